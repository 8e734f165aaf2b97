"""Expiry of the entries of a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush

from headrace.state.cells import LATEST, bytes_time, time_bytes
from headrace.state.memory import Earliest
from headrace.state.state import State


class Expiry:
    """Finds the keys that were not written for `ttl_ms`, by the times they were written with.

    The store itself says what the time of a key is; here is only one place in a queue for each key, moved on when its
    turn comes and the key turns out to be younger. `of` is the node or the store that it belongs to.
    """

    def __init__(self, state: State, of: str, ttl_ms: int) -> None:
        self.ttl_ms = ttl_ms
        self._turns = state.cells(f"{of}/turns of expiry")
        """By time and key, in the order of their turns."""
        self._turn_of = state.cells(f"{of}/turn of a key")
        self._next = state.memory.of(of, "next turn of expiry", Earliest)

    def is_over(self, ts: int, now: int) -> bool:
        """Whether what was written with a time is to be forgotten."""
        return ts + self.ttl_ms <= now

    def written(self, key: bytes, ts: int) -> None:
        """A key was written."""
        due, turn = ts + self.ttl_ms, self._turn_of.get(key)
        if turn is None or due < turn:
            if turn is not None:
                self._turns.remove(time_bytes(turn) + key)
            self._put(key, due)

    def over(self, now: int, time_of: Callable[[bytes], int | None]) -> Iterator[tuple[bytes, int]]:
        """The keys to forget, each with the time when that was due, by that time, then by their bytes.

        `time_of` gives the time with which a key was written last, None if it is not there.
        """
        if self._next.ms > now:
            return
        begin, self._next.ms = time_bytes(self._next.ms), LATEST
        turns: list[tuple[int, bytes]] = []
        for place, _ in self._turns.between(begin, None):
            turn, key = bytes_time(place[:8]), place[8:]
            if turn > now:
                self._next.see(turn)
                break
            self._turns.remove(place)
            self._turn_of.remove(key)
            turns.append((turn, key))
        while turns:
            turn, key = heappop(turns)  # in order it is a heap already
            ts = time_of(key)
            if ts is None:
                continue
            due = ts + self.ttl_ms
            if due <= turn:
                yield key, turn
            elif due <= now:
                heappush(turns, (due, key))
            else:
                self._put(key, due)

    def _put(self, key: bytes, due: int) -> None:
        if due <= LATEST:
            self._turn_of.put(key, due)
            self._turns.put(time_bytes(due) + key, b"")
            self._next.see(due)
