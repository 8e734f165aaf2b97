"""Windows as users write them; all of it is in the front door."""

from __future__ import annotations

from enum import Enum

from headrace.errors import OptionInvalid
from headrace.model.durations import Duration, duration_ms
from headrace.model.windows import JoinWindows, SessionWindows, SlidingWindows, TimeWindows
from headrace.plan.origin import origin


class EmitStrategy(Enum):
    """When a windowed aggregation sends on its results."""

    ON_WINDOW_UPDATE = "on window update"
    ON_WINDOW_CLOSE = "on window close"


def tumbling(size: Duration, *, grace: Duration = "0s") -> TimeWindows:
    """Windows that follow one another without gap or overlap: `hr.tumbling("5m", grace="30s")`.

    A window begins at a multiple of its size since 1970, and its end does not belong to it. It takes late records
    until stream time reaches its end + grace.
    """
    here = origin()
    size_ms = duration_ms("size", size, here, least=1)
    return TimeWindows(size_ms=size_ms, advance_ms=size_ms, grace_ms=duration_ms("grace", grace, here))


def hopping(size: Duration, *, advance: Duration, grace: Duration = "0s") -> TimeWindows:
    """Windows that overlap: `hr.hopping("10m", advance="1m")` has a new window of ten minutes every minute."""
    here = origin()
    size_ms = duration_ms("size", size, here, least=1)
    advance_ms = duration_ms("advance", advance, here, least=1)
    if advance_ms > size_ms:
        raise OptionInvalid("advance", advance, f"no more than the size, {size}: records between would be lost", here)
    return TimeWindows(size_ms=size_ms, advance_ms=advance_ms, grace_ms=duration_ms("grace", grace, here))


def sliding(difference: Duration, *, grace: Duration = "0s") -> SlidingWindows:
    """A window for every set of records that lie within a time difference of each other: `hr.sliding("10s")`."""
    here = origin()
    return SlidingWindows(
        difference_ms=duration_ms("difference", difference, here), grace_ms=duration_ms("grace", grace, here)
    )


def session(gap: Duration, *, grace: Duration = "0s") -> SessionWindows:
    """A window for every stretch of a key's records without a silence of more than `gap`: `hr.session("30m")`."""
    here = origin()
    return SessionWindows(gap_ms=duration_ms("gap", gap, here, least=1), grace_ms=duration_ms("grace", grace, here))


def join_windows(
    difference: Duration | None = None,
    *,
    before: Duration | None = None,
    after: Duration | None = None,
    grace: Duration = "0s",
) -> JoinWindows:
    """How far apart two records may lie to be joined: `hr.join_windows("10s")`, or both sides by themselves.

    A right record matches a left one from `before` earlier to `after` later, both inside. Either is `difference`
    where it is not given. A timedelta may be negative: `before=timedelta(seconds=-5)` wants the right record at least
    5 s after the left one.
    """
    here = origin()
    if difference is None and (before is None or after is None):
        raise OptionInvalid("difference", None, "a difference, or both before= and after=", here)
    span = 0 if difference is None else duration_ms("difference", difference, here)
    before_ms = span if before is None else duration_ms("before", before, here, least=-_FAR)
    after_ms = span if after is None else duration_ms("after", after, here, least=-_FAR)
    if before_ms + after_ms < 0:
        raise OptionInvalid("before", before, f"one that leaves room: with after={after!r} nothing can match", here)
    return JoinWindows(before_ms=before_ms, after_ms=after_ms, grace_ms=duration_ms("grace", grace, here))


def on_window_close() -> EmitStrategy:
    """One result for each window, when it is over: its end + grace has passed in stream time."""
    return EmitStrategy.ON_WINDOW_CLOSE


def on_window_update() -> EmitStrategy:
    """A result for each change of a window: what happens unless told otherwise."""
    return EmitStrategy.ON_WINDOW_UPDATE


_FAR = 2**62
