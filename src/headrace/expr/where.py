"""Source lines of the user, and the one that failed."""

from __future__ import annotations

import os
import sysconfig
from types import TracebackType

from headrace.model.source_lines import OURS, calling_line, place

__all__ = ["calling_line", "failing_line", "is_users", "place"]

# Code that a user calls but did not write: an error inside json.loads(value) belongs to the line that called it.
_LIBRARIES = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib", "purelib", "platlib")})


def is_users(filename: str) -> bool:
    """Whether a file was written by the user of headrace."""
    return not filename.startswith((OURS, "<frozen", *_LIBRARIES))


def failing_line(traceback: TracebackType | None) -> str | None:
    """The last line of the user's that an exception passed."""
    found = None
    while traceback is not None:
        filename = traceback.tb_frame.f_code.co_filename
        if is_users(filename):
            found = place(filename, traceback.tb_lineno)
        traceback = traceback.tb_next
    return found
