"""State of Python processes that cannot be written or read."""

from __future__ import annotations

from headrace.errors.run import RunError


class StateUnwritable(RunError):
    """A value cannot be kept in state."""

    code = "state-unwritable"

    def __init__(self, place: str, reason: str, fix: str) -> None:
        super().__init__(f"{place} cannot be kept: {reason}", fix=fix)


class StateUnreadable(RunError):
    """A value in state cannot be read."""

    code = "state-unreadable"

    def __init__(self, place: str, reason: str, fix: str) -> None:
        super().__init__(f"{place} cannot be read: {reason}", fix=fix)
