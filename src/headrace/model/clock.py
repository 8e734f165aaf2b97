"""Clocks: the time of day, and one that tests set."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time of day: that of the machine, or what a test says. Stream time comes from records instead."""

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        ...

    def steady_ms(self) -> int:
        """Steady time: goes on evenly when somebody sets the clock, for whoever waits."""
        ...


class MachineClock:
    """The time of this machine."""

    def __init__(self) -> None:
        self._behind_ns = time.time_ns() - time.monotonic_ns()

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def steady_ms(self) -> int:
        return (time.monotonic_ns() + self._behind_ns) // 1_000_000


class SetClock:
    """A clock that stands still until it is set."""

    def __init__(self, now_ms: int = 0) -> None:
        self._now_ms = self._steady_ms = now_ms

    def now_ms(self) -> int:
        return self._now_ms

    def steady_ms(self) -> int:
        return self._steady_ms

    def set(self, now_ms: int, steady_ms: int | None = None) -> None:
        """Make it this time."""
        self._now_ms, self._steady_ms = now_ms, now_ms if steady_ms is None else steady_ms
