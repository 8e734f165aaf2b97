"""The lock: every jar headrace may run, with the SHA-256 it must have."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

HEADER = """\
# Every jar that is fetched and what it must be. Written by: {by}
# group sha256 bytes organisation:name:revision
"""


@dataclass(frozen=True)
class Jar:
    """Jar of the lock: one line of it."""

    group: str
    sha256: str
    size: int
    organisation: str
    name: str
    revision: str

    @property
    def file(self) -> str:
        return f"{self.name}-{self.revision}.jar"

    def __str__(self) -> str:
        return f"{self.group} {self.sha256} {self.size} {self.organisation}:{self.name}:{self.revision}"

    def is_at(self, path: Path) -> bool:
        """Whether the file is there, whole and the one that was pinned."""
        return path.is_file() and path.stat().st_size == self.size and sha256(path) == self.sha256


def read(path: Path) -> list[Jar]:
    """Read a lock, in its order."""
    return [_jar(line) for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]


def write(path: Path, jars: Iterable[Jar], *, by: str) -> None:
    """Write a lock that `read` reads, and that says which command writes it."""
    path.write_text(HEADER.format(by=by) + "".join(f"{jar}\n" for jar in jars), "utf-8")


def sha256(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _jar(line: str) -> Jar:
    group, digest, size, coordinate = line.split()
    return Jar(group, digest, int(size), *coordinate.split(":"))
