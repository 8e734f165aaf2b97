"""Change buffer of a watcher: every change, or for a slow one the last of each key, up to a limit."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from headrace.query.service.ports import Changed

_SLOW = 1 << 17
"""With so much waiting a reader is slow: from then on only the last change of each key waits, until all is taken."""

_FULL = 1 << 20
"""So much of the entries that are there may wait for one watcher."""

_FIRST = 32 << 20
"""So much of them may wait for all watchers that join: each has an equal share of it, or one part."""

_PATIENCE_S = 20.0
_LOOK_S = 5.0


class NobodyTakes(Exception):
    """The watcher has left, or begins anew: no further change is to be told."""


class Budget:
    """Bytes that all watchers of a server share."""

    def __init__(self, size: int) -> None:
        self._left, self._lock = size, threading.Lock()
        self.joining = 0
        """How many watchers are being told the entries that are there."""

    @property
    def share(self) -> int:
        """How much of the entries that are there may wait for one watcher before it gets the next part."""
        return min(_FULL, _FIRST // max(1, self.joining))

    def take(self, size: int) -> bool:
        """Take some, or give some back; False if there is too little left."""
        with self._lock:
            if size > self._left:
                return False
            self._left -= size
            return True


@dataclass(frozen=True)
class TakenChanges:
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
        self._waiting: dict[bytes | int, Changed] = {}
        """By key of one who is slow, else by number."""

        self._since: dict[int, int] = {}
        self._bytes = self._taken = self.conflated = 0
        self._current = self._all_told = self._woken = self._slow = False
        self.turn = 0
        """Another one each time that it begins anew."""

        self._lock = threading.Lock()
        self._stalled: float | None = None
        """Since when its reader has taken nothing of what is being sent."""

        self.event = asyncio.Event()
        """Set when there is something to take."""

        self._room = asyncio.Event()
        """Set when there may be room again for entries that are there."""

        self.too_slow = asyncio.Event()
        self.closed = False

    def tell(self, changes: list[Changed]) -> None:
        """Add changes, from the thread that reads a changelog: does not wait."""
        with self._lock:
            self._put(changes)

    def tell_first(self, changes: list[Changed], turn: int) -> None:
        """Tell entries that are there; in the event loop. NobodyTakes if it has begun anew since that turn."""
        self.check(turn)
        with self._lock:
            self._put(changes)
        self.check(turn)

    async def room(self, turn: int) -> None:
        """Wait for room for the next part of the entries that are there.

        A watcher whose reader takes nothing for a while is cut off.
        """
        self.check(turn)
        while 0 < self._bytes + self._taken >= min(self._budget.share, self._limit // 2):
            self._room.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(_LOOK_S):
                    await self._room.wait()
            if self._stalled is not None and self._loop.time() - self._stalled > _PATIENCE_S:
                with self._lock:
                    self._cut_off()
            self.check(turn)

    @contextmanager
    def sending(self) -> Iterator[None]:
        """Count changes as waiting while they are handed to their reader."""
        self._stalled = self._loop.time()
        try:
            yield
        finally:
            self._stalled = None

    def check(self, turn: int) -> None:
        """Raise NobodyTakes if the watch has ended, or has begun anew since that turn."""
        if self.closed or self.turn != turn:
            raise NobodyTakes

    def go_on(self, since: Mapping[int, int]) -> None:
        """Take over resume offsets of partitions whose snapshot has been told."""
        with self._lock:
            for partition, offset in since.items():
                self._since[partition] = max(offset, self._since.get(partition, 0))

    def is_current(self) -> None:
        """Note the end of the snapshot of all partitions."""
        with self._lock:
            self._current = self._all_told = True
            self._wake()

    def take(self) -> TakenChanges:
        """Take everything that waits. It counts as waiting until it has been sent."""
        with self._lock:
            changes, self._waiting, self._slow = list(self._waiting.values()), {}, False
            self._taken, self._bytes = self._taken + self._bytes, 0
            self._woken, current, self._current = False, self._current, False
            self.event.clear()
            return TakenChanges(changes, dict(self._since) if self._all_told else {}, current)

    def sent(self) -> None:
        """Note that the changes which were taken have been handed to their reader."""
        with self._lock:
            self._budget.take(-self._taken)
            self._taken = 0
            self._room.set()

    @property
    def since(self) -> dict[int, int]:
        """Resume token after what has been taken."""
        with self._lock:
            return dict(self._since)

    def forget(self) -> None:
        """Begin anew: everything will be told again."""
        with self._lock:
            self._clear()
            self._since, self._current, self._all_told = {}, False, False
            self.turn += 1
            self._room.set()

    def close(self) -> None:
        """Close the buffer: nobody takes any more."""
        with self._lock:
            self.closed = True
            self._clear()
        self.sent()

    # -- with the lock held

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
        """Add a change; False if there is no room."""
        place = change.key if self._slow else len(self._waiting)
        former = self._waiting.pop(place, None)  # the newest change of a key comes last
        self.conflated += former is not None
        grown = change.size - (former.size if former is not None else 0)
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
        left = sum(one.size for one in last.values())
        self._budget.take(left - self._bytes)
        self._slow, self._waiting, self._bytes = True, last, left

    def _clear(self) -> None:
        """Forget everything that waits."""
        self._waiting = {}
        self._budget.take(-self._bytes)
        self._bytes = 0

    def _cut_off(self) -> None:
        self.closed = True
        self._clear()
        self._call(self.too_slow.set)
        self._call(self._room.set)
        self._wake()

    def _wake(self) -> None:
        if not self._woken:
            self._woken = True
            self._call(self.event.set)

    def _call(self, what: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the server has ended, and its loop
            self._loop.call_soon_threadsafe(what)
