"""Suppressions as users write them, all in the front door."""

from __future__ import annotations

from headrace.build.suppressed import Suppressed, time_limit, window_closes
from headrace.model.durations import Duration
from headrace.plan.origin import origin


def until_window_closes(*, max_records: int | None = None, max_bytes: int | None = None) -> Suppressed:
    """Send on one result for each window, when it is over.

    Results leave in the order of the ends of their windows, then of their keys. Nothing may leave earlier, so the
    application stops when more than `max_records` results, or results of more than `max_bytes`, have to wait.

        counts.suppress(hr.until_window_closes()).to_stream().to("final-counts")
    """
    return window_closes(max_records=max_records, max_bytes=max_bytes, here=origin())


def until_time_limit(
    limit: Duration,
    *,
    max_records: int | None = None,
    max_bytes: int | None = None,
    when_full: str = "emit",
    idle_after: Duration | None = None,
) -> Suppressed:
    """Send on the last change of each key, when stream time is `limit` past the first that was held back.

    When more than `max_records` keys have to wait, or keys and values of more than `max_bytes`, the oldest is sent on
    early, or with `when_full="stop"` the application stops. With `idle_after`, stream time follows the clock after so
    long a silence, as that of windows does.
    """
    return time_limit(
        limit,
        max_records=max_records,
        max_bytes=max_bytes,
        when_full=when_full,
        idle_after=idle_after,
        here=origin(),
    )
