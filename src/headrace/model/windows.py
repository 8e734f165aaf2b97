"""Windows of time: which of them hold a timestamp, and when each closes. All times are in milliseconds.

Where windows have `idle_ms`, the stream time of their operator follows the clock after so long a silence.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from headrace.model.durations import duration_text
from headrace.model.types import Type

K = TypeVar("K")


class Window(NamedTuple):
    """A span of time. Its end belongs to it if it is a sliding or a session window, otherwise not."""

    start: int
    end: int


class Windowed(NamedTuple, Generic[K]):
    """The key of a windowed table: the key of its records, and the window.

    >>> str(Windowed("ann", 0, 10_000))
    'ann@0/10000'
    """

    key: K
    start: int
    end: int

    @property
    def window(self) -> Window:
        """The window alone."""
        return Window(self.start, self.end)

    def __str__(self) -> str:
        return f"{self.key}@{self.start}/{self.end}"


@dataclass(frozen=True)
class WindowedType(Type):
    """The type of a `Windowed` key."""

    key: Type

    @property
    def parts(self) -> tuple[Type, ...]:
        return (self.key,)


def windowed_of(key: Type) -> WindowedType:
    """The type of windowed keys around a type of keys."""
    return WindowedType(f"Windowed[{key}]", f"struct<key:{key.sql},start:bigint,end:bigint>", key)


LATEST_MS = 2**63 - 1
"""The end of time, and of a window that never ends."""


@dataclass(frozen=True, kw_only=True)
class TimeWindows:
    """Windows `[start, end)` of one size, one every `advance_ms` since 1970: tumbling, or hopping if they overlap.

    A window takes records until stream time reaches its end + grace.
    """

    size_ms: int
    advance_ms: int
    grace_ms: int
    idle_ms: int | None = None

    @property
    def retention_ms(self) -> int:
        """How long the store of an aggregation has to keep a window, from its start on."""
        return self.size_ms + self.grace_ms

    @property
    def needed_ms(self) -> int:
        """How long the store keeps a window so that nothing is lost."""
        return self.retention_ms

    @property
    def lateness_ms(self) -> int:
        """How far stream time is past the end of a window when the window is over."""
        return self.grace_ms

    def holding(self, ts: int) -> Iterator[Window]:
        """The windows a moment lies in, the earliest first; none begins before 0.

        >>> list(TimeWindows(size_ms=10, advance_ms=5, grace_ms=0).holding(12))
        [Window(start=5, end=15), Window(start=10, end=20)]
        """
        first = max(0, ts - self.size_ms + self.advance_ms) // self.advance_ms * self.advance_ms
        for start in range(first, ts + 1, self.advance_ms):
            yield Window(start, min(start + self.size_ms, LATEST_MS))

    def open(self, window: Window, stream_time: int) -> bool:
        """Whether a window still takes records."""
        return window.start + self.size_ms > stream_time - self.grace_ms

    def last_closed(self, stream_time: int) -> int:
        """The latest start of a window that is over."""
        return stream_time - self.grace_ms - self.size_ms

    def __str__(self) -> str:
        size = duration_text(self.size_ms)
        hop = f"hopping {size} by {duration_text(self.advance_ms)}"
        kind = f"tumbling {size}" if self.advance_ms == self.size_ms else hop
        return kind + _ends(self.grace_ms, self.idle_ms)


@dataclass(frozen=True, kw_only=True)
class UnlimitedWindows(TimeWindows):
    """One window, from `start_ms` on, that never ends: it takes every record that is not before it."""

    start_ms: int

    def holding(self, ts: int) -> Iterator[Window]:
        if ts >= self.start_ms:
            yield Window(self.start_ms, LATEST_MS)

    def __str__(self) -> str:
        return f"unlimited from {self.start_ms} ms on"


def unlimited_from(start_ms: int) -> UnlimitedWindows:
    """The one window from a moment on.

    >>> list(unlimited_from(5).holding(7)) == [Window(5, LATEST_MS)], list(unlimited_from(5).holding(4))
    (True, [])
    """
    size = LATEST_MS - start_ms
    return UnlimitedWindows(size_ms=size, advance_ms=size, grace_ms=0, start_ms=start_ms)


@dataclass(frozen=True, kw_only=True)
class SlidingWindows:
    """Windows `[start, start + difference]` around the records themselves, both bounds inside.

    A record at t ends the window of what came up to `difference_ms` before it, and is followed by the window that
    begins right after it, once that holds something. A window takes records until stream time passes its end + grace.
    """

    difference_ms: int
    grace_ms: int
    idle_ms: int | None = None

    @property
    def retention_ms(self) -> int:
        """How long the store of an aggregation has to keep a window, at the least that may be asked for."""
        return 2 * self.difference_ms + self.grace_ms

    @property
    def needed_ms(self) -> int:
        """How long the store keeps a window so that nothing is lost.

        A record that is as late as it may be looks back at windows of twice the difference, and the newest window may
        begin right now.
        """
        return 3 * self.difference_ms + self.grace_ms + 1

    @property
    def lateness_ms(self) -> int:
        """How far stream time is past the end of a window when the window is over."""
        return self.grace_ms

    def starting(self, start: int) -> Window:
        """The window that begins at a moment."""
        return Window(start, start + self.difference_ms)

    def open(self, window: Window, stream_time: int) -> bool:
        """Whether a window still takes records."""
        return window.end >= stream_time - self.grace_ms

    def last_closed(self, stream_time: int) -> int:
        """The latest start of a window that is over."""
        return stream_time - self.grace_ms - self.difference_ms - 1

    def __str__(self) -> str:
        return f"sliding {duration_text(self.difference_ms)}{_ends(self.grace_ms, self.idle_ms)}"


@dataclass(frozen=True, kw_only=True)
class SessionWindows:
    """Windows `[first record, last record]` of a key that is never silent for longer than `gap_ms` inside one.

    A session takes records until stream time passes its end + gap + grace.
    """

    gap_ms: int
    grace_ms: int
    idle_ms: int | None = None

    @property
    def retention_ms(self) -> int:
        """How long the store of an aggregation has to keep a session, from its end on, at the least."""
        return self.gap_ms + self.grace_ms

    @property
    def needed_ms(self) -> int:
        """How long the store keeps a session so that nothing is lost: it is open up to this very moment."""
        return self.gap_ms + self.grace_ms + 1

    @property
    def lateness_ms(self) -> int:
        """How far stream time is past the end of a session when the session is over."""
        return self.gap_ms + self.grace_ms

    def open(self, session: Window, stream_time: int) -> bool:
        """Whether a session still takes records."""
        return session.end >= stream_time - self.gap_ms - self.grace_ms

    def last_closed(self, stream_time: int) -> int:
        """The latest end of a session that is over."""
        return stream_time - self.gap_ms - self.grace_ms - 1

    def __str__(self) -> str:
        return f"session gap {duration_text(self.gap_ms)}{_ends(self.grace_ms, self.idle_ms)}"


Windows = TimeWindows | SlidingWindows | SessionWindows
"""What a grouped stream can be windowed by."""


@dataclass(frozen=True, kw_only=True)
class JoinWindows:
    """Join window of two records: `left - before <= right <= left + after`, both bounds inside.

    `before_ms` or `after_ms` may be negative: then the right record has to be that much later, or earlier.
    """

    before_ms: int
    after_ms: int
    grace_ms: int
    idle_ms: int | None = None

    @property
    def retention_ms(self) -> int:
        """How long a side keeps its records for the other: one that lies exactly on the bound is still found."""
        return max(0, self.before_ms) + max(0, self.after_ms) + self.grace_ms + 1

    def __str__(self) -> str:
        before, after = duration_text(self.before_ms), duration_text(self.after_ms)
        span = f"within {before}" if before == after else f"{before} before to {after} after"
        return span + _ends(self.grace_ms, self.idle_ms)


def _ends(grace_ms: int, idle_ms: int | None) -> str:
    idle = "" if idle_ms is None else f", idle after {duration_text(idle_ms)}"
    return f", grace {duration_text(grace_ms)}{idle}"
