"""The stream time of one operator, which may follow the clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headrace.state.merging import MergeRule, remembered
from headrace.task.context import Context
from headrace.task.timers import NEVER

_STEP_MS = 1000


@dataclass(slots=True)
class Seen:
    """Stream time of an operator so far."""

    ms: int = remembered(-1, MergeRule.LATEST)
    """Its stream time."""

    stood: int = remembered(-1, MergeRule.LATEST)
    """Where the last record left stream time, if it may follow the clock."""

    since: int = remembered(0, MergeRule.LATEST)
    """The steady time of that record."""

    @property
    def has_seen(self) -> bool:
        """Whether a record has come."""
        return self.ms >= 0


class StreamTime:
    """The latest time of all records that an operator has seen, -1 before the first; it is remembered.

    With `idle_ms`, once so much time has passed since the last record, it goes on from where that record left
    it, by as much as has passed since then, at every tick of the task. It never goes back.
    """

    def __init__(self, task: Context, node: str, idle_ms: int | None, moved: Callable[[], None]) -> None:
        self._seen = task.memory.of(node, "stream time", Seen)
        self._clock, self._idle_ms, self._moved = task.clock, idle_ms, moved
        if idle_ms is not None:
            task.time.followers.append(self)

    @property
    def ms(self) -> int:
        """The stream time."""
        return self._seen.ms

    def see(self, ts: int) -> None:
        """Advance to the time of a record."""
        seen = self._seen
        if ts > seen.ms:
            seen.ms = ts
        if self._idle_ms is not None:
            seen.stood, seen.since = seen.ms, self._clock.steady_ms()

    def reach(self, ms: int) -> None:
        """Advance to a time that an operator upstream has reached."""
        if ms > self._seen.ms:
            self._seen.ms = ms
            self._moved()

    def due_ms(self, now: int) -> int:
        """Wall-clock time that matters next: once it has been quiet for long enough, ever again."""
        assert self._idle_ms is not None
        return NEVER if self._seen.stood < 0 else max(self._seen.since + self._idle_ms, now + _STEP_MS)

    def follow(self, now: int) -> None:
        """Follow the clock to a time of day."""
        assert self._idle_ms is not None
        seen = self._seen
        if seen.stood >= 0 and now - seen.since >= self._idle_ms:
            self.reach(seen.stood + now - seen.since)
