"""Let one process at a time do work whose result all can use."""

from __future__ import annotations

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def exclusive(lock: Path, doing: str) -> Iterator[None]:
    """Hold `lock` while inside; say on stderr when another process has it and we wait.

    It only saves double work, so a file system that cannot lock is no error.
    """
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"waiting for another headrace process that is {doing} ...", file=sys.stderr, flush=True)
            with suppress(OSError):
                fcntl.flock(file, fcntl.LOCK_EX)
        except OSError:
            pass
        yield
