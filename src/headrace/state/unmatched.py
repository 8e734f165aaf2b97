"""Records of a join that wait for a partner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.state.cells import LATEST, bytes_time, time_bytes
from headrace.state.memory import Earliest
from headrace.state.state import State

_SIDES = b"\1", b"\0"
"""In the order in which records leave: at one time the right side before the left."""


class Unmatched:
    """Values by time, side (0 left, 1 right) and key, those of one place in the order they came."""

    def __init__(self, state: State, node: str) -> None:
        self._cells = state.cells(f"{node}/unmatched")
        self._earliest = state.memory.of(node, "earliest unmatched", Earliest)

    @property
    def earliest(self) -> int:
        """Time before which no record that waits is due: the end of the last search, or an earlier record since."""
        return self._earliest.ms

    def add(self, ts: int, side: int, key: bytes, value: Any) -> None:
        """Let a value wait."""
        place = _place(ts, side, key)
        values = self._cells.get(place) or []
        values.append(value)
        self._cells.put(place, values)
        self._earliest.see(ts)

    def remove(self, ts: int, side: int, key: bytes) -> None:
        """A partner came: nothing of this place waits any more."""
        self._cells.remove(_place(ts, side, key))

    def expired(self, after: Sequence[int], grace: int, stream_time: int) -> list[tuple[int, int, bytes, Any]]:
        """Take what waited for longer than its side may: as (time, side, key, value), in order.

        The search goes value by value, and ends at the one behind those by which both sides still have to wait.
        """
        found: list[tuple[int, int, bytes, Any]] = []
        waiting: set[int] = set()
        self._earliest.ms = LATEST
        for place, values in self._cells.between(b"", None):
            ts, side, key = bytes_time(place[:8]), _SIDES.index(place[8:9]), place[9:]
            for value in values:
                self._earliest.ms = ts
                if len(waiting) == 2:
                    return found
                if ts + after[side] + grace >= stream_time:
                    waiting.add(side)
                else:
                    found.append((ts, side, key, value))
            if side not in waiting:
                self._cells.remove(place)
        return found


def _place(ts: int, side: int, key: bytes) -> bytes:
    return time_bytes(ts) + _SIDES[side] + key
