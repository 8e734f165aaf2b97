"""Timers of a task: scheduled punctuations."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

NEVER = 2**63 - 1

Called = Callable[[int], None]
"""Called with the time that it is by then."""


class Timer:
    """A call that comes again and again until it is cancelled."""

    def __init__(self, number: int, interval_ms: int, call: Called) -> None:
        self.number, self.interval_ms, self.call = number, interval_ms, call
        self.cancelled = False

    def cancel(self) -> None:
        """Never call again; a call may cancel its own timer."""
        self.cancelled = True


class Timers:
    """The timers of a task that go by one clock: the stream time of its records, or the time of day.

    A timer that missed several of its times is called once, with the time that it is now, and is then due again at
    the next time of its own schedule. Timers that are due at one time are called in the order they were made.
    """

    def __init__(self) -> None:
        self.due: list[tuple[int, int, Timer]] = []
        """A heap of the calls to come: where it is empty, nobody has to look at the time."""
        self._made = 0

    def add(self, first: int, interval_ms: int, call: Called) -> Timer:
        """Call at `first`, and from then on at every interval."""
        self._made += 1
        timer = Timer(self._made, interval_ms, call)
        heappush(self.due, (first, timer.number, timer))
        return timer

    def run(self, now: int) -> bool:
        """Make all calls that are due at `now`, in the order of their times; whether there was one."""
        called = False
        while self.due and self.due[0][0] <= now:
            due, _, timer = heappop(self.due)
            if timer.cancelled:
                continue
            timer.call(now)
            called = True
            if not timer.cancelled:
                self._put_after(now, due, timer)
        return called

    def next_ms(self) -> int:
        """Time of the next call that is due; NEVER if there is none."""
        while self.due and self.due[0][2].cancelled:
            heappop(self.due)
        return self.due[0][0] if self.due else NEVER

    def skip(self, now: int) -> None:
        """Skip all calls that are due by now."""
        while self.due and self.due[0][0] <= now:
            due, _, timer = heappop(self.due)
            self._put_after(now, due, timer)

    def _put_after(self, now: int, due: int, timer: Timer) -> None:
        missed = (now - due) // timer.interval_ms
        heappush(self.due, (due + (missed + 1) * timer.interval_ms, timer.number, timer))
