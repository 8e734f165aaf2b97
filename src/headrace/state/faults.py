"""Faults of a value of state."""

from __future__ import annotations

from collections.abc import Iterable


class StateFault(ValueError):
    """Fault of a value of state, and what to do; whoever knows where it lies tells the rest."""

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(reason)
        self.reason, self.fix = reason, fix


class ClassLost(StateFault):
    """State has a value of a class that is not there any more."""

    def __init__(self, name: str, fields: Iterable[str]) -> None:
        shape = f" ({', '.join(fields)})" if fields else ""
        super().__init__(
            f"it has a value of the class {name}{shape}, which is not there",
            f"import its module where the program begins; if the class has moved: hr.moved({name!r}, TheClass)",
        )


class ClassChanged(StateFault):
    """State has a value of a class that has other fields now."""

    def __init__(self, name: str, there: Iterable[str], now: Iterable[str]) -> None:
        super().__init__(
            f"it has a value of the class {name} with {', '.join(there) or 'nothing'}; now it has {', '.join(now)}",
            "give the class its old fields again, run the new one under another id, or: headrace reset",
        )
