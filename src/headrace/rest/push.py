"""What waits for somebody who watches: each change, or of one who is slow the last of each key; as much as has room."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from headrace.query.answering import Changed

_OVERHEAD = 300
"""What a change takes besides its bytes."""

_SLOW = 1 << 17
"""With so much waiting a reader is slow: from then on only the last change of each key waits, until all is taken."""

_FULL = 1 << 20
"""So much may wait before whoever tells the entries that are there has to wait, too."""

_PATIENCE_S = 20.0


class NobodyTakes(Exception):
    """Whoever was to be told has left, or begins anew: there is no need to go on telling."""


class Budget:
    """Room that all watchers of a server share."""

    def __init__(self, size: int) -> None:
        self._left, self._lock = size, threading.Lock()

    def take(self, size: int) -> bool:
        """Take some, or give some back; False if there is too little left."""
        with self._lock:
            if size > self._left:
                return False
            self._left -= size
            return True


@dataclass(frozen=True)
class Taken:
    """Changes to send, and where to go on behind them."""

    changes: list[Changed]
    since: Mapping[int, int]
    """Empty until everything has been told once: who comes back before is told all of it again."""

    current: bool
    """Whether with them everything has been told that there was when the watch began."""


class Pending:
    """The changes that wait for one watcher. They come from any thread, and are taken in the event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, limit: int, budget: Budget) -> None:
        self._loop, self._limit, self._budget = loop, limit, budget
        self._full = min(_FULL, limit // 2)
        self._waiting: dict[bytes | int, Changed] = {}
        """By key of one who is slow, else by number."""

        self._since: dict[int, int] = {}
        self._bytes = self.conflated = 0
        self._current = self._all_told = self._woken = self._slow = False
        self.turn = 0
        """Another one each time that it begins anew."""

        self._room = threading.Condition()
        self.event = asyncio.Event()
        """Set when there is something to take."""

        self.too_slow = asyncio.Event()
        self.closed = False

    def tell(self, changes: list[Changed]) -> None:
        """From the thread that reads a changelog: does not wait."""
        with self._room:
            self._put(changes)

    def tell_first(self, changes: list[Changed], turn: int) -> None:
        """What is told at first, from a thread of the watcher's own: waits while its reader does not keep up.

        NobodyTakes if it is told no more, or has begun anew since that turn.
        """
        with self._room:
            for change in changes:
                self._wait_for_room(turn)
                self._put([change])
            self.check(turn)

    def check(self, turn: int) -> None:
        """NobodyTakes if it is told no more, or has begun anew since that turn."""
        if self.closed or self.turn != turn:
            raise NobodyTakes

    def go_on(self, since: Mapping[int, int]) -> None:
        """All that was there in these partitions has been told; changes go on from here."""
        with self._room:
            for partition, offset in since.items():
                self._since[partition] = max(offset, self._since.get(partition, 0))

    def is_current(self) -> None:
        """All that was there anywhere has been told."""
        with self._room:
            self._current = self._all_told = True
            self._wake()

    def take(self) -> Taken:
        """All that waits."""
        with self._room:
            changes, self._slow = self._clear(), False
            self._woken, current, self._current = False, self._current, False
            self.event.clear()
            self._room.notify_all()
            return Taken(changes, dict(self._since) if self._all_told else {}, current)

    @property
    def since(self) -> dict[int, int]:
        """Where to go on from, with what has been told."""
        with self._room:
            return dict(self._since)

    def forget(self) -> None:
        """Begin anew: everything will be told again."""
        with self._room:
            self._clear()
            self._since, self._current, self._all_told = {}, False, False
            self.turn += 1
            self._room.notify_all()

    def close(self) -> None:
        """Nobody takes any more."""
        with self._room:
            self.closed = True
            self._clear()
            self._room.notify_all()

    # -- with the lock held

    def _wait_for_room(self, turn: int) -> None:
        self.check(turn)
        while self._bytes > self._full:
            before = self._bytes
            if not self._room.wait(_PATIENCE_S) and self._bytes >= before:
                self._cut_off()
            self.check(turn)

    def _put(self, changes: list[Changed]) -> None:
        if self.closed:
            return
        for change in changes:
            if not self._slow and self._bytes > min(_SLOW, self._limit // 2):
                self._conflate()
            if not self._add(change):
                self._cut_off()
                return
            if change.offset >= 0:
                self._since[change.partition] = change.offset + 1
        self._wake()

    def _add(self, change: Changed) -> bool:
        """False if there is no room."""
        place = change.key if self._slow else len(self._waiting)
        former = self._waiting.pop(place, None)  # the newest change of a key comes last
        self.conflated += former is not None
        grown = _size(change) - (_size(former) if former is not None else 0)
        if self._bytes + grown > self._limit or not self._budget.take(grown):
            return False
        self._bytes += grown
        self._waiting[place] = change
        return True

    def _conflate(self) -> None:
        last: dict[bytes | int, Changed] = {}
        for change in self._waiting.values():
            last.pop(change.key, None)
            last[change.key] = change
        self.conflated += len(self._waiting) - len(last)
        left = sum(map(_size, last.values()))
        self._budget.take(left - self._bytes)
        self._slow, self._waiting, self._bytes = True, last, left

    def _clear(self) -> list[Changed]:
        """Nothing waits any more; what did."""
        waiting, self._waiting = list(self._waiting.values()), {}
        self._budget.take(-self._bytes)
        self._bytes = 0
        return waiting

    def _cut_off(self) -> None:
        self.closed = True
        self._clear()
        self._call(self.too_slow.set)
        self._wake()

    def _wake(self) -> None:
        if not self._woken:
            self._woken = True
            self._call(self.event.set)

    def _call(self, what: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the server has ended, and its loop
            self._loop.call_soon_threadsafe(what)


def _size(change: Changed) -> int:
    return _OVERHEAD + len(change.key) + (len(change.entry.value) if change.entry is not None else 0)
