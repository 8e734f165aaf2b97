"""Changes of tables."""

from __future__ import annotations

from typing import Any, NamedTuple


class Change(NamedTuple):
    """Change of one key of a table: its new value, None if it was deleted, and the one before.

    `old` is filled only where something further on needs it; elsewhere it is None, whatever the value was.
    """

    new: Any
    old: Any = None
    is_latest: bool = True
    """False for a change of a versioned table that is older than what the key already has."""
