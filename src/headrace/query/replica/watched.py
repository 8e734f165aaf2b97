"""Watchers of a replica, and its last changes, for those who come back."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from rocksdict import DbClosedError

from headrace.errors import NobodyAnswers
from headrace.log.follow import Read
from headrace.query.replica.key_order import Layout, Span
from headrace.query.replica.replica import Replica
from headrace.query.requests import Entry
from headrace.query.service.ports import Changed, Watched

if TYPE_CHECKING:
    from headrace.query.replica.held_partition import Held

Tell = Callable[[list[Changed]], None]
Placed = tuple[bytes, Changed]
"""A change, and where its key is in a replica."""

_MOST_REMEMBERED = 2_000
_MOST_BYTES = 4 * 1024 * 1024
_PART_BYTES = 32 * 1024
"""Of what is told at first: one part for each watcher in turn."""

_LITTLE = 500
"""So few changes are told at once."""

NOT_A_CHANGE = -1
"""The offset of an entry that is told because it is there."""


class ChannelEnded(Exception):
    """Nothing is told any more of a replica that is held no more."""


class ChangeChannel:
    """The changes of one replica, from the thread that reads them to those who watch."""

    def __init__(self, partition: int, layout: Layout) -> None:
        self._partition, self._layout = partition, layout
        self._recent: deque[Read] = deque()
        self._bytes = 0
        self._from = -1
        """From this offset on all changes are remembered; -1 for none."""

        self._watchers = _ReplicaWatchers()
        self._ended = False
        self.lock = threading.Lock()
        """Held while records are written and told: whoever comes between finds both done, or none."""

    def publish(self, records: list[Read], before: int, *, remember: bool) -> None:
        """Tell records that were just written, from an offset on; the lock is held.

        They are not remembered while a replica is built.
        """
        if remember:
            self._remember(records, before)
        if records and self._watchers:
            self._watchers.tell(self._changes(records))

    def join(self, watcher: ReplicaWatcher, replica: Replica) -> Iterator[list[Changed]]:
        """Let a watcher in. What is handed back is to be told before `watcher.open`: it has a moment's view.

        ChannelEnded if the replica is held here no more.
        """
        with self.lock:
            if self._ended:
                raise ChannelEnded
            since = watcher.since
            remembered = self._from if self._from >= 0 else replica.next
            if since is not None and remembered <= since <= replica.next:
                missed = self._changes(read for read in self._recent if read[0] >= since)
                first = _in_parts(iter(watcher.of(missed)))
                watcher.whole = False
            else:
                view = replica.now()
                first = _in_parts(
                    Changed(self._partition, NOT_A_CHANGE, entry.key, entry) for entry in view.entries(watcher.span)
                )
            watcher.since = replica.next
            self._watchers.add(watcher)
        return first

    def leave(self, watcher: ReplicaWatcher) -> None:
        """Stop telling a watcher."""
        with self.lock:
            self._watchers.discard(watcher)

    def end(self) -> None:
        """End all watches: the replica is held here no more."""
        with self.lock:
            self._ended = True
            watchers, self._watchers = self._watchers, _ReplicaWatchers()
        for watcher in watchers:
            watcher.gone(self._partition)

    def _changes(self, records: Iterable[Read]) -> list[Placed]:
        """Records as changes, without those whose keys are none of the store's."""
        place, partition, found = self._layout.place, self._partition, []
        for offset, ts, key, value in records:
            try:
                placed = place(key)  # type: ignore[arg-type]  # one that is not there is none of the store's either
            except (ValueError, TypeError):
                continue
            assert key is not None
            entry = None if value is None else Entry(key, value, ts)
            found.append((placed, Changed(partition, offset, key, entry)))
        return found

    def _remember(self, records: list[Read], before: int) -> None:
        if self._from < 0:
            self._from = before
        for read in records:
            self._recent.append(read)
            self._bytes += len(read[2] or b"") + len(read[3] or b"")
        while len(self._recent) > _MOST_REMEMBERED or self._bytes > _MOST_BYTES:
            offset, _, key, value = self._recent.popleft()
            self._bytes -= len(key or b"") + len(value or b"")
            self._from = offset + 1


class ReplicaWatcher:
    """Watcher of some keys of one replica. Until it is open, changes wait for it, the last of each key."""

    def __init__(
        self,
        partition: int,
        layout: Layout,
        watched: Watched,
        tell: Tell,
        gone: Callable[[int], None],
    ) -> None:
        self.partition, self.span, self.gone = partition, span_of(layout, watched), gone
        self.since: int | None = watched.since.get(partition)
        """From where on it is told changes."""

        self.whole = True
        """Whether it was told everything at first, and not only what it had missed."""

        self._tell = tell
        self._waiting: dict[bytes, Changed] | None = {}
        self._lock = threading.Lock()

    def tell_changes(self, changes: list[Changed]) -> None:
        """Tell the changes of watched keys."""
        with self._lock:
            if self._waiting is not None:
                for change in changes:
                    self._waiting.pop(change.key, None)  # so that they are in the order of their offsets
                    self._waiting[change.key] = change
                return
        self._tell(changes)

    def open(self) -> Iterator[list[Changed]]:
        """Changes during the snapshot, in parts; after them each change is told at once.

        More changes while these are told. Once they are few the rest is told at once, like any change from then on. How
        many are few grows: where as much changes as can be told, this has to end, too.
        """
        few = _LITTLE
        while waiting := self._much(few):
            few *= 2
            yield from _in_parts(iter(waiting))

    def _much(self, few: int) -> list[Changed]:
        """Waiting changes, if there are more than a few; a few are told, and none waits any more."""
        with self._lock:
            waiting = list((self._waiting or {}).values())
            if len(waiting) > few:
                self._waiting = {}
                return waiting
            if waiting:
                self._tell(waiting)
            self._waiting = None
            return []

    def of(self, changes: list[Placed]) -> list[Changed]:
        """Changes among some that this watcher watches."""
        low, high = self.span.low, self.span.high
        return [change for placed, change in changes if low <= placed < high]


class _ReplicaWatchers:
    """Watchers of a replica, by the key that each watches: many may watch one key each."""

    def __init__(self) -> None:
        self._of_one: dict[bytes, list[ReplicaWatcher]] = {}
        self._of_more: list[ReplicaWatcher] = []

    def __bool__(self) -> bool:
        return bool(self._of_one or self._of_more)

    def __iter__(self) -> Iterator[ReplicaWatcher]:
        return chain(self._of_more, *self._of_one.values())

    def tell(self, changes: list[Placed]) -> None:
        """Tell each what it watches."""
        for watcher in self._of_more:
            if those := watcher.of(changes):
                watcher.tell_changes(those)
        told: dict[ReplicaWatcher, list[Changed]] = {}
        for placed, change in changes if self._of_one else ():
            for watcher in self._of_one.get(placed, ()):
                told.setdefault(watcher, []).append(change)
        for watcher, those in told.items():
            watcher.tell_changes(those)

    def add(self, watcher: ReplicaWatcher) -> None:
        """Add a watcher."""
        self._among(watcher).append(watcher)

    def discard(self, watcher: ReplicaWatcher) -> None:
        """Remove a watcher, if it is there."""
        among = self._among(watcher)
        if watcher in among:
            among.remove(watcher)
        if not among and watcher.span.holds_one:
            del self._of_one[watcher.span.low]

    def _among(self, watcher: ReplicaWatcher) -> list[ReplicaWatcher]:
        span = watcher.span
        return self._of_one.setdefault(span.low, []) if span.holds_one else self._of_more


class LocalWatch:
    """A watch over several partitions, each joined once those before it have been told."""

    def __init__(
        self,
        watched: Watched,
        layout: Layout,
        tell: Tell,
        partitions: Collection[int],
        gone: Callable[[int], None],
        held: Callable[[int], Held],
    ) -> None:
        self._watched, self._layout, self._tell, self._gone, self._held = watched, layout, tell, gone, held
        self._joined: list[tuple[ChangeChannel, ReplicaWatcher]] = []
        self.life = ""
        self.first = self._first(partitions)

    @property
    def since(self) -> Mapping[int, int]:
        """Resume offsets: for each partition the next offset after the snapshot."""
        return {watcher.partition: watcher.since or 0 for _, watcher in self._joined}

    @property
    def whole(self) -> frozenset[int]:
        """The partitions of which everything was told first, and not only what was missed."""
        return frozenset(watcher.partition for _, watcher in self._joined if watcher.whole)

    def close(self) -> None:
        """No more changes."""
        for channel, watcher in self._joined:
            channel.leave(watcher)

    def _first(self, partitions: Collection[int]) -> Iterator[list[Changed]]:
        try:
            for partition in partitions:
                yield from self._join(partition)
        except (DbClosedError, ChannelEnded) as exc:
            raise NobodyAnswers(self._watched.store, partitions, "it was closed here") from exc

    def _join(self, partition: int) -> Iterator[list[Changed]]:
        held, watched = self._held(partition), self._watched
        life = held.replica.origin.life
        if self._joined and life != self.life:
            raise NobodyAnswers(watched.store, [partition], "its changelog was made again")
        self.life = life
        wanted = watched if watched.life == life else replace(watched, since={})
        watcher = ReplicaWatcher(partition, self._layout, wanted, self._tell, self._gone)
        first = held.channel.join(watcher, held.replica)
        self._joined.append((held.channel, watcher))
        yield from first
        yield from watcher.open()


def span_of(layout: Layout, watched: Watched) -> Span:
    """The stretch of a replica that is watched."""
    return layout.span(watched.first, watched.last, watched.prefix, watched.key)


def _in_parts(changes: Iterator[Changed]) -> Iterator[list[Changed]]:
    part, size = list[Changed](), 0
    for change in changes:
        part.append(change)
        size += change.size
        if size >= _PART_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part
