"""Kafka Streams in Java: its jars, pinned and fetched as headrace's own, and our programs, compiled when they change.

`python -m bench.streams` resolves ivy.xml over the network and writes jars.lock anew.
"""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from pathlib import Path

from headrace.jvm import jars, lock
from headrace.jvm.java import find_java
from headrace.jvm.paths import cache_folder

PROGRAMS = Path(__file__).parent / "programs"
SOURCES, MAIN = (PROGRAMS / "Streams.java", PROGRAMS / "Queries.java"), "Streams"
REQUEST, LOCK = PROGRAMS / "ivy.xml", PROGRAMS / "jars.lock"
GROUP, HEAP = "streams", "2g"


def command() -> list[str]:
    """The program on Kafka Streams, without its argument."""
    classpath = [_compiled(), *jars.fetch(GROUP, pinned=LOCK)]
    return [
        str(find_java().path),
        f"-Xmx{HEAP}",
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
        "-cp",
        ":".join(map(str, classpath)),
        MAIN,
    ]


def _compiled() -> Path:
    """The folder of its classes."""
    with cache_folder("bench") as folder:
        text = b"".join(file.read_bytes() for file in (*SOURCES, LOCK))
        classes = folder / hashlib.sha256(text).hexdigest()[:16]
        if not classes.is_dir():
            with tempfile.TemporaryDirectory(dir=folder) as draft:
                classpath = ":".join(map(str, jars.fetch(GROUP, pinned=LOCK)))
                javac = find_java().path.with_name("javac")
                subprocess.run([javac, "-nowarn", "-d", f"{draft}/classes", "-cp", classpath, *SOURCES], check=True)
                Path(draft, "classes").rename(classes)
    return classes


if __name__ == "__main__":
    lock.write(LOCK, jars.relock(REQUEST, (GROUP,)), by="python -m bench.streams")
