"""The stream time of one operator, which may follow the clock."""

from __future__ import annotations

from collections.abc import Callable

from headrace.task.context import Context


class StreamTime:
    """The latest time of all records that an operator has seen, -1 before the first.

    With `idle_ms`, once so much time of day has passed since the last record, it goes on from where that record left
    it, by as much as the clock has moved since then, at every tick of the task. It never goes back.
    """

    def __init__(self, task: Context, idle_ms: int | None, moved: Callable[[], None]) -> None:
        self.ms = -1
        self._clock, self._idle_ms, self._moved = task.clock, idle_ms, moved
        self._stood, self._since = -1, 0
        if idle_ms is not None:
            task.time.wall.add(self._clock.now_ms(), 1, self._follow)

    def see(self, ts: int) -> None:
        """A record has come."""
        if ts > self.ms:
            self.ms = ts
        if self._idle_ms is not None:
            self._stood, self._since = self.ms, self._clock.now_ms()

    def reach(self, ms: int) -> None:
        """It is this time at least, for an operator in front says so."""
        if ms > self.ms:
            self.ms = ms
            self._moved()

    def _follow(self, now: int) -> None:
        assert self._idle_ms is not None
        if self._stood >= 0 and now - self._since >= self._idle_ms:
            self.reach(self._stood + now - self._since)
