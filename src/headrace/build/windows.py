"""Windows, from the durations that a front end is given."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

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

_FAR = 2**62
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)


def tumbling(size: Duration, *, grace: Duration, idle_after: Duration | None = None, here: str) -> TimeWindows:
    """Windows of a size that follow one another."""
    return hopping(size, advance=size, grace=grace, idle_after=idle_after, here=here)


def hopping(
    size: Duration, *, advance: Duration, grace: Duration, idle_after: Duration | None = None, here: str
) -> TimeWindows:
    """Windows of a size that begin at multiples of `advance`."""
    size_ms = duration_ms("size", size, here, least=1)
    advance_ms = duration_ms("advance", advance, here, least=1)
    if advance_ms > size_ms:
        raise OptionInvalid("advance", advance, f"no more than the size, {size}: records between would be lost", here)
    grace_ms = duration_ms("grace", grace, here)
    return TimeWindows(size_ms=size_ms, advance_ms=advance_ms, grace_ms=grace_ms, idle_ms=_idle(idle_after, here))


def sliding(difference: Duration, *, grace: Duration, idle_after: Duration | None = None, here: str) -> SlidingWindows:
    """Windows of the records that lie within a time difference of each other."""
    return SlidingWindows(
        difference_ms=duration_ms("difference", difference, here),
        grace_ms=duration_ms("grace", grace, here),
        idle_ms=_idle(idle_after, here),
    )


def session(gap: Duration, *, grace: Duration, idle_after: Duration | None = None, here: str) -> SessionWindows:
    """Windows of the records of a key without a silence of more than `gap`."""
    return SessionWindows(
        gap_ms=duration_ms("gap", gap, here, least=1),
        grace_ms=duration_ms("grace", grace, here),
        idle_ms=_idle(idle_after, here),
    )


def unlimited(*, start: int | datetime, here: str) -> UnlimitedWindows:
    """One window from a moment on that never ends."""
    at = start
    if isinstance(at, datetime) and at.tzinfo is not None:
        at = (at - _FIRST) // timedelta(milliseconds=1)
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at < LATEST_MS:
        raise OptionInvalid("start", start, "milliseconds from 0 on, or a datetime from 1970 on with a time zone", here)
    return unlimited_from(at)


def join_windows(
    difference: Duration | None,
    *,
    before: Duration | None = None,
    after: Duration | None = None,
    grace: Duration,
    idle_after: Duration | None = None,
    here: str,
) -> JoinWindows:
    """Windows of a join: how far before and after a record its partners may lie."""
    if difference is None and (before is None or after is None):
        raise OptionInvalid("difference", None, "a difference, or both before= and after=", here)
    span = 0 if difference is None else duration_ms("difference", difference, here)
    before_ms = span if before is None else duration_ms("before", before, here, least=-_FAR)
    after_ms = span if after is None else duration_ms("after", after, here, least=-_FAR)
    if before_ms + after_ms < 0:
        raise OptionInvalid("before", before, f"one that leaves room: with after={after!r} nothing can match", here)
    grace_ms = duration_ms("grace", grace, here)
    return JoinWindows(before_ms=before_ms, after_ms=after_ms, grace_ms=grace_ms, idle_ms=_idle(idle_after, here))


def _idle(idle_after: Duration | None, here: str) -> int | None:
    return None if idle_after is None else duration_ms("idle_after", idle_after, here, least=1)
