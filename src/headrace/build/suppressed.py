"""Suppression: how long the changes of a table are held back, and how many of them."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.errors import NoWindowsToClose, OptionInvalid
from headrace.model.durations import Duration, duration_ms
from headrace.plan.nodes import Node
from headrace.plan.nodes.suppress import lateness_of


@dataclass(frozen=True)
class Suppressed:
    """What `suppress` is told: `hr.until_window_closes()` or `hr.until_time_limit(...)`."""

    limit_ms: int | None
    max_records: int | None
    fail_when_full: bool
    max_bytes: int | None = None
    idle_ms: int | None = None

    def wait_ms(self, node: Node, here: str) -> int:
        """How long changes wait: the limit, or what the windows of the table need."""
        if self.limit_ms is not None:
            return self.limit_ms
        lateness = lateness_of(node)
        if lateness is None:
            raise NoWindowsToClose(node.name, here)
        return lateness


def window_closes(*, max_records: int | None = None, max_bytes: int | None = None, here: str) -> Suppressed:
    """Suppression until a window closes."""
    records, size = _most("max_records", max_records, here), _most("max_bytes", max_bytes, here)
    return Suppressed(None, records, fail_when_full=True, max_bytes=size)


def time_limit(
    limit: Duration,
    *,
    max_records: int | None = None,
    max_bytes: int | None = None,
    when_full: str,
    idle_after: Duration | None = None,
    here: str,
) -> Suppressed:
    """Suppression for some stream time after the first change of a key."""
    if when_full not in ("emit", "stop"):
        raise OptionInvalid("when_full", when_full, '"emit" or "stop"', here)
    return Suppressed(
        duration_ms("limit", limit, here),
        _most("max_records", max_records, here),
        fail_when_full=when_full == "stop",
        max_bytes=_most("max_bytes", max_bytes, here),
        idle_ms=None if idle_after is None else duration_ms("idle_after", idle_after, here, least=1),
    )


def checked(until: Suppressed, here: str) -> Suppressed:
    """The suppression, if it is one."""
    if not isinstance(until, Suppressed):
        raise OptionInvalid("until", until, "hr.until_window_closes() or hr.until_time_limit(...)", here)
    return until


def _most(option: str, most: object, here: str) -> int | None:
    if most is None:
        return None
    if not isinstance(most, int) or isinstance(most, bool) or most < 0:
        raise OptionInvalid(option, most, "a whole number from 0 on, or None for no limit", here)
    return most
