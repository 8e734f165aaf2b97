"""Lock of the directory of an application: one process of a machine works on it at a time."""

from __future__ import annotations

import os
from pathlib import Path

from headrace.engine.place import writing
from headrace.errors import CheckpointInUse
from headrace.log.files import make_private, write_whole
from headrace.log.locks import FileLock

_LAST_BREATH_S = 60.0


class PlaceLock:
    """Lock on a directory; `place` is what the user calls it, if that is not the directory."""

    def __init__(self, app: str, directory: Path, place: str | None = None) -> None:
        self._app, self._directory, self._place = app, directory, place or str(directory)
        self._lock, self._pid = FileLock(directory / "lock"), directory / "pid"

    @property
    def descriptor(self) -> int:
        """The open lock, for a child that must hold it too."""
        return self._lock.descriptor

    def take(self) -> None:
        """Make sure that the directory can be written, and that nobody else works on it."""
        with writing(str(self._directory)):
            make_private(self._directory)
            taken = self._lock.take() or (self._orphaned() and self._lock.take(wait_s=_LAST_BREATH_S))
            if taken:
                write_whole(self._pid, f"{os.getpid()}\n")
        if not taken:
            raise CheckpointInUse(self._app, self._place, self._holder())

    def release(self) -> None:
        """Let others work on the directory."""
        self._lock.release()

    def _orphaned(self) -> bool:
        """Whether the lock is held only by the JVM of a process that was killed: it ends by itself in a moment."""
        try:
            os.kill(int(self._holder()), 0)
        except (ValueError, ProcessLookupError):
            return True
        except PermissionError:
            return False
        return False

    def _holder(self) -> str:
        try:
            return self._pid.read_text().strip()
        except OSError:
            return "unknown"
