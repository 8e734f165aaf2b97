"""The user's own line, seen from inside headrace."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path
from types import TracebackType

_OURS = str(Path(__file__).resolve().parents[1]) + os.sep
# Code that a user calls but did not write: an error inside json.loads(value) belongs to the line that called it.
_LIBRARIES = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def is_users(filename: str) -> bool:
    """Whether a file was written by the user of headrace."""
    return not filename.startswith((_OURS, "<frozen", *_LIBRARIES))


def place(filename: str, line: int) -> str:
    """`file.py:42`."""
    return f"{Path(filename).name}:{line}"


def calling_line() -> str | None:
    """Where the innermost caller outside headrace is."""
    frame = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(_OURS):
            return place(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back  # type: ignore[assignment]
    return None


def failing_line(traceback: TracebackType | None) -> str | None:
    """The last line of the user's that an exception passed."""
    found = None
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if is_users(filename):
            found = place(filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    return found
