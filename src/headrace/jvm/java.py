"""Find a Java that Spark can run on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from headrace.errors import JavaFails, JavaMissing, JavaTooOld

OLDEST = 17
_PATIENCE_S = 60.0
_TROUBLE = re.compile(r"(?i)\b(?:failed|could not|cannot|not enough|unable to (?:allocate|create))\b")

# Kafka would read files and the environment for whoever writes ${file:...} into a property: we do that ourselves.
NO_PROVIDERS = "-Dorg.apache.kafka.automatic.config.providers=none"


@dataclass(frozen=True)
class Java:
    """A Java that runs, and its version as it says it: "17.0.15" is major 17, "1.8.0_392" is major 8."""

    path: Path
    version: str
    major: int


def find_java() -> Java:
    """Find the Java that JAVA_HOME names, else the one on the PATH.

    A JAVA_HOME that leads nowhere is an error, not passed over: Spark's own scripts would trip over it later.
    """
    home = os.environ.get("JAVA_HOME")
    path = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    java = _ask(Path(path)) if path and os.access(path, os.X_OK) else None
    if java is None:
        # What is on the PATH and does not run is macOS's stub, which only says that there is no Java.
        raise JavaMissing(f"JAVA_HOME names {home}, where no bin/java runs" if home else None)
    if java.major < OLDEST:
        raise JavaTooOld(java.version, str(java.path))
    return java


def _ask(path: Path) -> Java | None:
    """The Java at a path; None if that is something else, such as macOS's stub for one that is not installed."""
    try:
        ran = subprocess.run(
            [path, "-version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=_PATIENCE_S
        )
    except subprocess.TimeoutExpired:
        raise JavaFails(str(path), f"it says nothing within {_PATIENCE_S:.0f} s") from None
    except OSError as error:
        raise JavaFails(str(path), error.strerror or str(error)) from None
    answer = ran.stdout.decode(errors="replace")
    said = re.search(r'version "((?:1\.)?(\d+)[^"]*)"', answer)
    if said:
        return Java(path, said[1], int(said[2]))
    why = [line.strip() for line in answer.splitlines() if _TROUBLE.search(line)]
    if why:
        raise JavaFails(str(path), why[-1])
    return None
