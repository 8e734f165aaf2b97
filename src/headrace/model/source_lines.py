"""Source lines of users, found in the stack from inside headrace."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from headrace.model.notebook import cell_of

OURS = str(Path(__file__).resolve().parents[1]) + os.sep
"""What the names of our own files begin with."""


def place(filename: str, line: int) -> str:
    """`file.py:42`, or `cell 3, line 5` of a notebook."""
    cell = cell_of(filename)
    return f"{Path(filename).name}:{line}" if cell is None else f"{cell}, line {line}"


def calling_line() -> str | None:
    """Source line of the innermost caller outside headrace."""
    frame = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(OURS):
            return place(frame.f_code.co_filename, frame.f_lineno)
        frame = frame.f_back  # type: ignore[assignment]
    return None
