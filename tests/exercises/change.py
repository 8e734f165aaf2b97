"""Change of the repository as text: new files, and lines that go behind lines which are there.

`+++ path` begins a file, a space a line that has to be there, `-` one that is taken out, `+` one that goes behind them.
Lines are found by what they say, wherever they have moved to meanwhile; together they have to stand in one place alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXERCISES = Path(__file__).parent
COPIED = ("src/headrace", "kernel", "tests", "docs", "pyproject.toml")


class Copy:
    """Copy of the repository in which a change is tried."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        ignore = shutil.ignore_patterns("__pycache__")
        for name in COPIED:
            source, target = ROOT / name, folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(source, target, ignore=ignore) if source.is_dir() else shutil.copyfile(source, target)

    def apply(self, name: str) -> list[str]:
        """Make a change, and give the paths of the files that it touches, in their order."""
        text = (EXERCISES / name).read_text()
        return [self._change(*part.split("\n", 1)) for part in text.split("+++ ")[1:]]

    def add(self, source: Path, path: str, replaced: str = "", by: str = "") -> str:
        """Put a file where a change wants it, and give its path."""
        target = self.folder / path
        assert not target.exists(), f"{path} is there"
        target.parent.mkdir(exist_ok=True)
        target.write_text(source.read_text().replace(replaced, by) if replaced else source.read_text())
        return path

    def run(self, *arguments: str) -> str:
        """Run Python with the package and the tests of the copy, and give what it prints."""
        path = os.pathsep.join(str(self.folder / name) for name in ("src", "tests"))
        command = [sys.executable, *arguments]
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def _change(self, path: str, lines: str) -> str:
        target = self.folder / path
        parts = list(_parts(lines.splitlines()))
        if not target.exists():
            ((there, added),) = parts
            assert not there, f"{path} is not there"
            target.write_text(added)
            return path
        text = target.read_text()
        for there, added in parts:
            old, kept = (_text(line for line in there if line[0] in signs) for signs in (" -", " "))
            assert text.count(old) == 1, f"{path} has {text.count(old)} times: {old}"
            text = text.replace(old, kept + added)
        target.write_text(text)
        return path


def _parts(lines: list[str]) -> Iterator[tuple[list[str], str]]:
    """The lines that have to be there, and those that go behind them."""
    there: list[str] = []
    for is_new, group in groupby(lines, lambda line: line.startswith("+")):
        if is_new:
            yield there, _text(group)
        else:
            there = list(group)


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line[1:]}\n" for line in lines)
