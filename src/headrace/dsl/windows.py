"""Windows as users write them, all in the front door.

All but `unlimited` take `idle_after`. Time goes on by records alone unless it is given: with `idle_after="30s"`, when
an operator's task has had no record for 30 s by the clock, its stream time goes on with the clock from where it stood,
by as much as the clock has moved since the last record. So windows close and joins give up waiting though nothing
comes any more; `suppress` and joins with a grace behind it follow. A stream that is replayed from last year stays in
last year. A record that comes afterwards and lies behind is late as any other.
"""

from __future__ import annotations

from datetime import datetime
from enum import Enum

from headrace.build import windows
from headrace.model.durations import Duration
from headrace.model.windows import (
    JoinWindows,
    SessionWindows,
    SlidingWindows,
    TimeWindows,
    UnlimitedWindows,
)
from headrace.plan.origin import origin


class EmitStrategy(Enum):
    """Emission of a windowed aggregation: on every update, or when a window closes."""

    ON_WINDOW_UPDATE = "on window update"
    ON_WINDOW_CLOSE = "on window close"


def tumbling(size: Duration, *, grace: Duration = "0s", idle_after: Duration | None = None) -> TimeWindows:
    """Windows that follow one another without gap or overlap: `hr.tumbling("5m", grace="30s")`.

    A window begins at a multiple of its size since 1970, and its end does not belong to it. It takes late records
    until stream time reaches its end + grace. With `idle_after`, that time follows the clock after so long a silence.
    """
    return windows.tumbling(size, grace=grace, idle_after=idle_after, here=origin())


def hopping(
    size: Duration, *, advance: Duration, grace: Duration = "0s", idle_after: Duration | None = None
) -> TimeWindows:
    """Windows that overlap: `hr.hopping("10m", advance="1m")` has a new window of ten minutes every minute."""
    return windows.hopping(size, advance=advance, grace=grace, idle_after=idle_after, here=origin())


def sliding(difference: Duration, *, grace: Duration = "0s", idle_after: Duration | None = None) -> SlidingWindows:
    """A window for every set of records that lie within a time difference of each other: `hr.sliding("10s")`."""
    return windows.sliding(difference, grace=grace, idle_after=idle_after, here=origin())


def session(gap: Duration, *, grace: Duration = "0s", idle_after: Duration | None = None) -> SessionWindows:
    """A window for every stretch of a key's records without a silence of more than `gap`: `hr.session("30m")`."""
    return windows.session(gap, grace=grace, idle_after=idle_after, here=origin())


def unlimited(*, start: int | datetime = 0) -> UnlimitedWindows:
    """One window that begins at `start`, a moment with a time zone or milliseconds since 1970, and never ends.

    A record before it is dropped. As it never closes, it has no results on window close.
    """
    return windows.unlimited(start=start, here=origin())


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
    return windows.join_windows(
        difference, before=before, after=after, grace=grace, idle_after=idle_after, here=origin()
    )


def on_window_close() -> EmitStrategy:
    """One result for each window, when it is over: its end + grace has passed in stream time."""
    return EmitStrategy.ON_WINDOW_CLOSE


def on_window_update() -> EmitStrategy:
    """A result for each change of a window: what happens unless told otherwise."""
    return EmitStrategy.ON_WINDOW_UPDATE
