"""Calls that a task makes when its time has come."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

Called = Callable[[int], None]
"""Called with the time that it is by then."""


class Timer:
    """A call that comes again and again until it is cancelled."""

    def __init__(self, interval_ms: int, call: Called) -> None:
        self.interval_ms, self.call = interval_ms, call
        self.cancelled = False

    def cancel(self) -> None:
        """Never call again; a call may cancel its own timer."""
        self.cancelled = True


class Timers:
    """The timers of a task that go by one clock: the stream time of its records, or the time of day.

    A timer that missed several of its times is called once, with the time that it is now, and is then due again at
    the next time of its own schedule.
    """

    def __init__(self) -> None:
        self._due: list[tuple[int, int, Timer]] = []
        self._made = 0

    def add(self, first: int, interval_ms: int, call: Called) -> Timer:
        """Call at `first`, and from then on at every interval."""
        timer = Timer(interval_ms, call)
        self._put(first, timer)
        return timer

    def run(self, now: int) -> bool:
        """It is `now`: make all calls that are due, in the order of their times; whether there was one."""
        called = False
        while self._due and self._due[0][0] <= now:
            due, _, timer = heappop(self._due)
            if timer.cancelled:
                continue
            timer.call(now)
            called = True
            if not timer.cancelled:
                missed = (now - due) // timer.interval_ms
                self._put(due + (missed + 1) * timer.interval_ms, timer)
        return called

    def _put(self, due: int, timer: Timer) -> None:
        self._made += 1
        heappush(self._due, (due, self._made, timer))
