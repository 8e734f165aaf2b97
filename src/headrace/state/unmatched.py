"""Records of a join that wait for a partner."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import Any

_Place = tuple[int, int, bytes]
"""Time, side and key, in the order in which records leave: at one time the right side before the left."""

_NEVER = 2**63 - 1


class Unmatched:
    """Values by time, side (0 left, 1 right) and key, those of one place in the order they came."""

    def __init__(self) -> None:
        self._places: list[_Place] = []
        self._values: dict[_Place, list[Any]] = {}
        self.earliest = _NEVER
        """Nothing that waits is due before this time has passed by; where the last search ended, or what came since."""

    def add(self, ts: int, side: int, key: bytes, value: Any) -> None:
        """Let a value wait."""
        place = (ts, -side, key)
        if place not in self._values:
            insort(self._places, place)
            self._values[place] = []
        self._values[place].append(value)
        self.earliest = min(self.earliest, ts)

    def remove(self, ts: int, side: int, key: bytes) -> None:
        """A partner came: nothing of this place waits any more."""
        place = (ts, -side, key)
        if self._values.pop(place, None) is not None:
            del self._places[bisect_left(self._places, place)]

    def expired(self, after: Sequence[int], grace: int, stream_time: int) -> list[tuple[int, int, bytes, Any]]:
        """Take what waited for longer than its side may: as (time, side, key, value), in order.

        The search goes value by value, and ends at the one behind those by which both sides still have to wait.
        """
        found: list[tuple[int, int, bytes, Any]] = []
        waiting: set[int] = set()
        self.earliest = _NEVER
        for ts, minus_side, key in list(self._places):
            side = -minus_side
            for value in self._values[ts, minus_side, key]:
                self.earliest = ts
                if len(waiting) == 2:
                    return found
                if ts + after[side] + grace >= stream_time:
                    waiting.add(side)
                else:
                    found.append((ts, side, key, value))
            if side not in waiting:
                self.remove(ts, side, key)
        return found
