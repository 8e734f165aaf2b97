"""When the entries of a store are to be forgotten."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush


class Expiry:
    """Finds the keys that were not written for `ttl_ms`, by the times they were written with.

    The store itself says what the time of a key is; here is only one place in a queue for each key, moved on when its
    turn comes and the key turns out to be younger.
    """

    def __init__(self, ttl_ms: int) -> None:
        self.ttl_ms = ttl_ms
        self._turns: list[tuple[int, bytes]] = []
        self._turn_of: dict[bytes, int] = {}

    def is_over(self, ts: int, now: int) -> bool:
        """Whether what was written with a time is to be forgotten."""
        return ts + self.ttl_ms <= now

    def written(self, key: bytes, ts: int) -> None:
        """A key was written."""
        due = ts + self.ttl_ms
        if due < self._turn_of.get(key, due + 1):
            self._put(key, due)

    def over(self, now: int, time_of: Callable[[bytes], int | None]) -> Iterator[tuple[bytes, int]]:
        """The keys to forget, each with the time when that was due, by that time, then by their bytes.

        `time_of` gives the time with which a key was written last, None if it is not there.
        """
        while self._turns and self._turns[0][0] <= now:
            turn, key = heappop(self._turns)
            if self._turn_of.get(key) != turn:
                continue
            del self._turn_of[key]
            ts = time_of(key)
            if ts is None:
                continue
            if ts + self.ttl_ms > turn:
                self._put(key, ts + self.ttl_ms)
            else:
                yield key, turn

    def _put(self, key: bytes, due: int) -> None:
        self._turn_of[key] = due
        heappush(self._turns, (due, key))
