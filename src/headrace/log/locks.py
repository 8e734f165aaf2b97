"""Locks on files, released by the operating system however their process ends."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

_POLL_S = 0.05


class FileLock:
    """Advisory lock on a file, as one holder has it.

    Two `FileLock`s on one path compete, also inside one process. The file stays when the lock is released:
    removing it would let two processes lock two different files of the same name.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd: int | None = None

    def take(self, *, shared: bool = False, wait_s: float = 0.0) -> bool:
        """Take the lock, trying for `wait_s` seconds; False when somebody else kept it all that time."""
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        deadline = time.monotonic() + wait_s
        # Polling instead of a blocking flock: the wait can be bounded, and Ctrl-C gets through.
        while True:
            try:
                fcntl.flock(fd, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    os.close(fd)
                    return False
                time.sleep(_POLL_S)
            except BaseException:
                os.close(fd)
                raise
            else:
                self._fd = fd
                return True

    @property
    def descriptor(self) -> int:
        """The open file of a lock that is held. A child that inherits it holds the lock too, until it is released."""
        assert self._fd is not None
        return self._fd

    def release(self) -> None:
        """Let go; does nothing when the lock is not held."""
        if self._fd is not None:
            fcntl.flock(self._fd, fcntl.LOCK_UN)  # closing is not enough where a child has inherited it
            os.close(self._fd)
            self._fd = None


def is_held(path: Path) -> bool:
    """Whether anybody holds the lock at `path`, shared or not."""
    if not path.exists():
        return False
    probe = FileLock(path)
    free = probe.take()
    probe.release()
    return not free
