"""How long the changes of a table are held back; `until_...` are in the front door."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.errors import NoWindowsToClose, OptionInvalid
from headrace.model.durations import Duration, duration_ms
from headrace.plan.nodes import Node
from headrace.plan.nodes.suppress import lateness_of
from headrace.plan.origin import origin


@dataclass(frozen=True)
class Suppressed:
    """What `suppress` is told: `hr.until_window_closes()` or `hr.until_time_limit(...)`."""

    limit_ms: int | None
    max_records: int | None
    fail_when_full: bool

    def wait_ms(self, node: Node, here: str) -> int:
        """How long changes wait: the limit, or what the windows of the table need."""
        if self.limit_ms is not None:
            return self.limit_ms
        lateness = lateness_of(node)
        if lateness is None:
            raise NoWindowsToClose(node.name, here)
        return lateness


def until_window_closes(*, max_records: int | None = None) -> Suppressed:
    """Send on one result for each window, when it is over.

    Results leave in the order of the ends of their windows, then of their keys. Nothing may leave earlier, so the
    application stops when more than `max_records` results have to wait.

        counts.suppress(hr.until_window_closes()).to_stream().to("final-counts")
    """
    return Suppressed(None, _most(max_records, origin()), fail_when_full=True)


def until_time_limit(limit: Duration, *, max_records: int | None = None, when_full: str = "emit") -> Suppressed:
    """Send on the last change of each key, when stream time is `limit` past the first that was held back.

    When more than `max_records` keys have to wait the oldest is sent on early, or with `when_full="stop"` the
    application stops.
    """
    here = origin()
    if when_full not in ("emit", "stop"):
        raise OptionInvalid("when_full", when_full, '"emit" or "stop"', here)
    most = _most(max_records, here)
    return Suppressed(duration_ms("limit", limit, here), most, fail_when_full=when_full == "stop")


def checked(until: Suppressed, here: str) -> Suppressed:
    """What `suppress` is told, if it is that."""
    if not isinstance(until, Suppressed):
        raise OptionInvalid("until", until, "hr.until_window_closes() or hr.until_time_limit(...)", here)
    return until


def _most(max_records: object, here: str) -> int | None:
    if max_records is None:
        return None
    if not isinstance(max_records, int) or isinstance(max_records, bool) or max_records < 0:
        raise OptionInvalid("max_records", max_records, "a whole number from 0 on, or None for no limit", here)
    return max_records
