"""Where in the user's program a node was declared."""

from __future__ import annotations

from headrace.model.source_lines import calling_line

_UNKNOWN = "<unknown>:0"


def origin() -> str:
    """`file.py:line` of the innermost caller that is not headrace itself."""
    return calling_line() or _UNKNOWN
