"""Run Ivy, which pyspark ships, and say in words what went wrong."""

from __future__ import annotations

import os
import re
import select
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from headrace.jvm.java import find_java
from headrace.jvm.paths import pyspark_jars

SILENCE_S = 60.0
FLAGS = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


def retrieve(
    request: Path,
    group: str,
    pattern: str,
    *,
    settings: Path | None,
    work: Path,
    log: Path,
    on_line: Callable[[str], None] = lambda _: None,
) -> str:
    """Have Ivy put what `request` names where `pattern` says; return why something may be missing.

    Ivy's cache is a folder in `work`, used for this run alone: a damaged file cannot survive in it.
    A user's own settings (HEADRACE_IVY_SETTINGS) go before `settings`.
    """
    own = os.environ.get("HEADRACE_IVY_SETTINGS")
    if own and not Path(own).is_file():
        return f"HEADRACE_IVY_SETTINGS names {own}, which is not a file"
    chosen = own or settings
    command = [
        *(find_java().path, *FLAGS, "-jar", next(pyspark_jars().glob("ivy-*.jar"))),
        *(("-settings", chosen) if chosen else ()),
        *("-cache", work / "ivy", "-ivy", request, "-confs", group, "-retrieve", pattern),
    ]
    lines: list[str] = []
    with (
        log.open("w", encoding="utf-8") as copy,
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as process,
    ):
        try:
            for line in _lines(process):
                print(line, file=copy)
                lines.append(line)
                on_line(line)
        except TimeoutError as silence:
            return str(silence)
        finally:
            process.kill()
    return _reason(lines)


def _lines(process: subprocess.Popen[bytes]) -> Iterator[str]:
    """Lines as they come. Dots of a slow download are a sign of life too, so bytes are watched, not lines."""
    assert process.stdout is not None
    pipe, rest = process.stdout.fileno(), b""
    while True:
        if not select.select([pipe], [], [], SILENCE_S)[0]:
            raise TimeoutError(f"the repository was silent for {SILENCE_S:g} s")
        block = os.read(pipe, 1 << 16)
        *whole, rest = (rest + block).split(b"\n")
        for line in whole if block else [*whole, rest]:
            yield line.decode(errors="replace").strip()
        if not block:
            return


def _reason(lines: list[str]) -> str:
    text = "\n".join(lines)
    if host := re.search(r"Host (\S+) not found", text):
        return f"the host {host[1]} was not found"
    if refused := re.search(r"Server access error at url (\S+) \((?:[\w.]+: )?(.*)\)", text):
        return f"{urlsplit(refused[1]).netloc} cannot be reached ({refused[2]})"
    if failed := re.search(r"\[FAILED\s*] \S+?!(.+)", text):
        return f"the download failed ({failed[1]})"
    if "UNRESOLVED DEPENDENCIES" in text:
        return "the repository does not have them or does not answer"
    if broken := re.search(r'Exception in thread "main" (?:[\w.]+: )?(.+)', text):
        return f"Ivy stopped ({broken[1]})"
    return f"Ivy's last line is: {next((line for line in reversed(lines) if line), '')}"
