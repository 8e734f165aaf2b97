"""Window stores: values by key and time."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator
from typing import Any

from headrace.model.windows import Window
from headrace.state.keyvalue import Stored

Forgotten = tuple[bytes, Window, Stored]
"""A window that a store has forgotten: its key, and what was stored."""


class WindowStore:
    """The latest value of every key and time, in memory, for a while.

    What lies `retention_ms` or more behind the newest time that was put is gone, for reading and for good; putting
    there does nothing. With `duplicates` a key keeps every value of one time, in the order they came.
    """

    def __init__(self, retention_ms: int, *, duplicates: bool = False) -> None:
        self._retention_ms, self._duplicates = retention_ms, duplicates
        self._newest: int | None = None
        self._gone = _NEVER
        """All times up to here are gone."""
        self._by_time: dict[int, dict[bytes, list[Stored]]] = {}
        self._times: list[int] = []
        self._times_of: dict[bytes, list[int]] = {}
        self._watched: tuple[list[Forgotten], Callable[[int], Window]] | None = None
        self.lingering: dict[tuple[bytes, int], Stored] | None = None
        """What was forgotten in this batch, for those who look it up when tables settle; None if nobody does."""

    def watched(self, window: Callable[[int], Window]) -> list[Forgotten]:
        """Where all that is forgotten is put from now on; `window` makes one of a time."""
        if self._watched is None:
            self._watched = [], window
        return self._watched[0]

    def put(self, key: bytes, time: int, value: Any, *, ts: int) -> None:
        """Store a value under a key and a time; None removes what is there."""
        if self._newest is None or time > self._newest:
            self._newest, self._gone = time, time - self._retention_ms
            self._expire()
        if time <= self._gone:
            return
        if value is None:
            if not self._duplicates:
                self._remove(key, time)
            return
        at = self._by_time.get(time)
        if at is None:
            at = self._by_time[time] = {}
            insort(self._times, time)
        if key not in at:
            at[key] = []
            insort(self._times_of.setdefault(key, []), time)
        elif not self._duplicates:
            at[key].clear()
        at[key].append(Stored(value, ts))

    def settled(self) -> None:
        """The batch is over."""
        if self.lingering:
            self.lingering.clear()

    def keeps(self, time: int) -> bool:
        """Whether what is put under a time stays, and what was put there is still known."""
        return time > self._gone

    def get(self, key: bytes, time: int) -> Stored | None:
        """What is stored under a key and a time; of several values the last."""
        found = self._by_time.get(time, {}).get(key)
        return found[-1] if found else None

    def fetch(self, key: bytes, first: int, last: int) -> Iterator[tuple[int, Stored]]:
        """What a key has from one time to another, both inside, by time, then in the order it came."""
        for time in _between(self._times_of.get(key, []), first, last):
            for stored in self._by_time[time][key]:
                yield time, stored

    def fetch_all(
        self, first: int, last: int, first_key: bytes | None = None, last_key: bytes | None = None
    ) -> Iterator[tuple[bytes, int, Stored]]:
        """What all keys have from one time to another, both inside, by time, then by the bytes of the key.

        With bounds for the keys, which are inside too, what those between them have.
        """
        for time in _between(self._times, first, last):
            for key, values in sorted(self._by_time[time].items()):
                if (first_key is None or first_key <= key) and (last_key is None or key <= last_key):
                    for stored in values:
                        yield key, time, stored

    def __getstate__(self) -> dict[str, Any]:
        """All but who watches: in another process that is somebody else."""
        return {**self.__dict__, "_watched": None}

    def _expire(self) -> None:
        gone = bisect_right(self._times, self._gone)
        for time in self._times[:gone]:
            at = self._by_time.pop(time)
            for key in at:
                self._forget(key, time)
            if self._watched is not None:
                watched, window = self._watched
                watched += [(key, window(time), stored) for key in sorted(at) for stored in at[key]]
            if self.lingering is not None:
                self.lingering |= {(key, time): values[-1] for key, values in at.items()}
        del self._times[:gone]

    def _remove(self, key: bytes, time: int) -> None:
        at = self._by_time.get(time, {})
        if at.pop(key, None) is not None:
            self._forget(key, time)
            if not at:
                del self._by_time[time]
                del self._times[bisect_left(self._times, time)]

    def _forget(self, key: bytes, time: int) -> None:
        times = self._times_of[key]
        del times[bisect_left(times, time)]
        if not times:
            del self._times_of[key]


_NEVER = -(2**63)


def _between(times: list[int], first: int, last: int) -> list[int]:
    return times[bisect_left(times, first) : bisect_right(times, last)]
