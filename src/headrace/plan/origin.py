"""Origin of a node: the line of the user's program that declared it."""

from __future__ import annotations

from headrace.model.source_lines import calling_line

_UNKNOWN = "<unknown>:0"


def origin() -> str:
    """`file.py:line` of the innermost caller that is not headrace itself."""
    return calling_line() or _UNKNOWN
