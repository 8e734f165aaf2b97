"""Windows as users write them; all of it is in the front door.

All but `unlimited` take `idle_after`. Time goes on by records alone unless it is given: with `idle_after="30s"`, when
an operator's task has had no record for 30 s by the clock, its stream time goes on with the clock from where it stood,
by as much as the clock has moved since the last record. So windows close and joins give up waiting though nothing
comes any more; `suppress` and joins with a grace behind it follow. A stream that is replayed from last year stays in
last year. A record that comes afterwards and lies behind is late as any other.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import Enum

from headrace.errors import OptionInvalid
from headrace.model.durations import Duration, duration_ms
from headrace.model.windows import (
    LATEST_MS,
    JoinWindows,
    SessionWindows,
    SlidingWindows,
    TimeWindows,
    UnlimitedWindows,
    unlimited_from,
)
from headrace.plan.origin import origin


class EmitStrategy(Enum):
    """When a windowed aggregation sends on its results."""

    ON_WINDOW_UPDATE = "on window update"
    ON_WINDOW_CLOSE = "on window close"


def tumbling(size: Duration, *, grace: Duration = "0s", idle_after: Duration | None = None) -> TimeWindows:
    """Windows that follow one another without gap or overlap: `hr.tumbling("5m", grace="30s")`.

    A window begins at a multiple of its size since 1970, and its end does not belong to it. It takes late records
    until stream time reaches its end + grace. With `idle_after`, that time follows the clock after so long a silence.
    """
    here = origin()
    size_ms = duration_ms("size", size, here, least=1)
    grace_ms = duration_ms("grace", grace, here)
    return TimeWindows(size_ms=size_ms, advance_ms=size_ms, grace_ms=grace_ms, idle_ms=_idle(idle_after, here))


def hopping(
    size: Duration, *, advance: Duration, grace: Duration = "0s", idle_after: Duration | None = None
) -> TimeWindows:
    """Windows that overlap: `hr.hopping("10m", advance="1m")` has a new window of ten minutes every minute."""
    here = origin()
    size_ms = duration_ms("size", size, here, least=1)
    advance_ms = duration_ms("advance", advance, here, least=1)
    if advance_ms > size_ms:
        raise OptionInvalid("advance", advance, f"no more than the size, {size}: records between would be lost", here)
    grace_ms = duration_ms("grace", grace, here)
    return TimeWindows(size_ms=size_ms, advance_ms=advance_ms, grace_ms=grace_ms, idle_ms=_idle(idle_after, here))


def sliding(difference: Duration, *, grace: Duration = "0s", idle_after: Duration | None = None) -> SlidingWindows:
    """A window for every set of records that lie within a time difference of each other: `hr.sliding("10s")`."""
    here = origin()
    return SlidingWindows(
        difference_ms=duration_ms("difference", difference, here),
        grace_ms=duration_ms("grace", grace, here),
        idle_ms=_idle(idle_after, here),
    )


def session(gap: Duration, *, grace: Duration = "0s", idle_after: Duration | None = None) -> SessionWindows:
    """A window for every stretch of a key's records without a silence of more than `gap`: `hr.session("30m")`."""
    here = origin()
    return SessionWindows(
        gap_ms=duration_ms("gap", gap, here, least=1),
        grace_ms=duration_ms("grace", grace, here),
        idle_ms=_idle(idle_after, here),
    )


def unlimited(*, start: int | datetime = 0) -> UnlimitedWindows:
    """One window that begins at `start`, a moment with a time zone or milliseconds since 1970, and never ends.

    A record before it is dropped. As it never closes, it has no results on window close.
    """
    here = origin()
    at = start
    if isinstance(at, datetime) and at.tzinfo is not None:
        at = (at - _FIRST) // timedelta(milliseconds=1)
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at < LATEST_MS:
        raise OptionInvalid("start", start, "milliseconds from 0 on, or a datetime from 1970 on with a time zone", here)
    return unlimited_from(at)


def join_windows(
    difference: Duration | None = None,
    *,
    before: Duration | None = None,
    after: Duration | None = None,
    grace: Duration = "0s",
    idle_after: Duration | None = None,
) -> JoinWindows:
    """How far apart two records may lie to be joined: `hr.join_windows("10s")`, or both sides by themselves.

    A right record matches a left one from `before` earlier to `after` later, both inside. Either is `difference`
    where it is not given. A timedelta may be negative: `before=timedelta(seconds=-5)` wants the right record at least
    5 s after the left one. With `idle_after`, what waits for a partner also leaves by the clock after so long a silence
    of both sides.
    """
    here = origin()
    if difference is None and (before is None or after is None):
        raise OptionInvalid("difference", None, "a difference, or both before= and after=", here)
    span = 0 if difference is None else duration_ms("difference", difference, here)
    before_ms = span if before is None else duration_ms("before", before, here, least=-_FAR)
    after_ms = span if after is None else duration_ms("after", after, here, least=-_FAR)
    if before_ms + after_ms < 0:
        raise OptionInvalid("before", before, f"one that leaves room: with after={after!r} nothing can match", here)
    grace_ms = duration_ms("grace", grace, here)
    return JoinWindows(before_ms=before_ms, after_ms=after_ms, grace_ms=grace_ms, idle_ms=_idle(idle_after, here))


def on_window_close() -> EmitStrategy:
    """One result for each window, when it is over: its end + grace has passed in stream time."""
    return EmitStrategy.ON_WINDOW_CLOSE


def on_window_update() -> EmitStrategy:
    """A result for each change of a window: what happens unless told otherwise."""
    return EmitStrategy.ON_WINDOW_UPDATE


def _idle(idle_after: Duration | None, here: str) -> int | None:
    return None if idle_after is None else duration_ms("idle_after", idle_after, here, least=1)


_FAR = 2**62
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)
