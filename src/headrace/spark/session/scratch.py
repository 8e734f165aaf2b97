"""Scratch folder of a JVM: files it needs only while it runs, such as unpacked native libraries."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from headrace.errors import TemporaryUnusable
from headrace.log.locks import FileLock

_PREFIX = "headrace-jvm-"
_LOCK = "lock"
_LEAST = 64 << 20


class Scratch:
    """A folder in the temporary directory, for this user alone.

    It is removed when the JVM has ended in order. If that was killed, the next one of the same user removes it: whoever
    uses a folder holds the lock in it, the JVM too.
    """

    def __init__(self) -> None:
        place = Path(tempfile.gettempdir())
        try:
            _remove_abandoned(place)
            free = shutil.disk_usage(place).free
            if free < _LEAST:
                raise TemporaryUnusable(str(place), f"{free >> 20} MB are free, {_LEAST >> 20} MB are needed")
            self.path, self._lock = _taken(place)
        except OSError as error:
            raise TemporaryUnusable(str(place), error.strerror or str(error)) from None

    @property
    def lock(self) -> int:
        """The open lock, for the JVM to hold it too."""
        return self._lock.descriptor

    def remove(self) -> None:
        """Remove it: the JVM has ended."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._lock.release()


def _taken(place: Path) -> tuple[Path, FileLock]:
    while True:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        lock = FileLock(path / _LOCK)
        if lock.take() and path.exists():
            return path, lock
        lock.release()  # somebody has taken it for abandoned, between the folder and its lock


def _remove_abandoned(place: Path) -> None:
    for path in place.glob(f"{_PREFIX}*"):
        if path.is_symlink() or path.stat().st_uid != os.getuid() or not (path / _LOCK).exists():
            continue
        lock = FileLock(path / _LOCK)
        if lock.take():
            shutil.rmtree(path, ignore_errors=True)
            lock.release()
