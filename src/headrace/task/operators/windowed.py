"""Aggregations over tumbling and hopping windows, and what all windowed aggregations have in common."""

from __future__ import annotations

from typing import Any, TypeVar

from headrace.model.change import Change
from headrace.model.record import Record
from headrace.model.windows import Window, Windowed
from headrace.plan.nodes import Emit, SlidingWindowed, TimeWindowed
from headrace.plan.nodes.windowed import WindowedAggregation
from headrace.state.keyvalue import Stored
from headrace.state.window import WindowStore
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.emission import Emission
from headrace.task.folds import folding
from headrace.task.operators.tables import TableOperator

W = TypeVar("W", bound=WindowedAggregation)
V = TypeVar("V", bound=TimeWindowed | SlidingWindowed)


class WindowedOperator(TableOperator[W]):
    """One task's share of a windowed aggregation. Stream time is the latest of the records it has seen itself."""

    def __init__(self, node: W, task: Context) -> None:
        super().__init__(node, task)
        self.windows, self.fold = node.windows, folding(self, node.fold)
        self.key = node.key_serde()
        self.stream_time = -1
        self._windowed_key = node.windowed_serde()
        self._emission = Emission(node.emit, self.forward, old=self.sends_old)
        self._closed = -1
        """All windows up to here, by start or for sessions by end, were over the last time we looked."""

    def advance(self, record: Record) -> None:
        """Let stream time follow a record, and send on the windows that are over by that.

        That comes before the record is folded: it belongs to none of those windows, and the store may forget them as
        soon as something newer is put. Kafka Streams looks afterwards, and loses windows when time leaps.
        """
        self.stream_time = max(self.stream_time, record.ts)
        if self.node.final:
            first, self._closed = self._closed + 1, max(self._closed, self.windows.last_closed(self.stream_time))
            if first <= self._closed:
                self.send_closed(record, first, self._closed)

    def send_closed(self, record: Record, first: int, last: int) -> None:
        """Send on the windows between two times, both inside."""
        raise NotImplementedError(type(self).__name__)

    def send_final(self, record: Record, key: bytes, window: Window, value: Any, ts: int) -> None:
        """Send on the last value of a window; `record` is the one that moved time on."""
        self.forward(self._record(record, Windowed(self.key.read(key), *window), Change(value), ts))

    def replace(self, record: Record, key: bytes, window: Window, new: Any, old: Any, ts: int) -> None:
        """Store the new value of a window and send on the change; `key` has the bytes of the record's key.

        `old` is what Kafka Streams takes for the old value of a change: for the first of a window, what its folding
        began with. Settled changes have the value that was settled before, as they have behind Kafka's caches.
        """
        if self.node.emit is Emit.SETTLED:
            before = self.stored(key, window)
            old = None if before is None else before.value
        self.keep(key, window, new, ts)
        self.changed(record, window, new, old, ts)

    def stored(self, key: bytes, window: Window) -> Stored | None:
        """What the store has of a window."""
        raise NotImplementedError(type(self).__name__)

    def keep(self, key: bytes, window: Window, value: Any, ts: int) -> None:
        """Put the value of a window into the store."""
        raise NotImplementedError(type(self).__name__)

    def get(self, key: Any) -> Stored | None:
        return self.stored(self.key.write(key.key), key.window)

    def changed(self, record: Record, window: Window, new: Any, old: Any, ts: int) -> None:
        """A window of the record's key has a new value: send it on, unless only the last one is wanted."""
        if not self.node.final:
            key = Windowed(record.key, *window)
            self._emission.changed(self._windowed_key.write(key), self._record(record, key, Change(new, old), ts))

    def send_through(self, emission: Emission) -> None:
        """Send on changes by the way of a table that this is a part of."""
        self._emission = emission

    def flush(self) -> None:
        self._emission.flush()

    @staticmethod
    def _record(record: Record, key: Windowed, change: Change, ts: int) -> Record:
        return Record(key=key, value=change, ts=ts, headers=record.headers, origin=record.origin)


class WindowStoreOperator(WindowedOperator[V]):
    """What aggregations over windows of one size have in common: a window store, by the starts of the windows."""

    def __init__(self, node: V, task: Context) -> None:
        super().__init__(node, task)
        self.store = task.windows.window_store(node.store, node.kept_ms)

    def stored(self, key: bytes, window: Window) -> Stored | None:
        return self.store.get(key, window.start)

    def keep(self, key: bytes, window: Window, value: Any, ts: int) -> None:
        self.store.put(key, window.start, value, ts=ts)

    def send_closed(self, record: Record, first: int, last: int) -> None:
        for key, start, stored in list(self.store.fetch_all(first, last)):
            self.send_final(record, key, self.window(start), stored.value, stored.ts)

    def window(self, start: int) -> Window:
        """The window that begins at a moment."""
        raise NotImplementedError(type(self).__name__)


class TimeWindowedOperator(WindowStoreOperator[TimeWindowed]):
    """One task's share of an aggregation over tumbling or hopping windows."""

    store: WindowStore

    def on_record(self, record: Record) -> None:
        if record.key is None:
            return self.drop(Reason.NO_KEY, record)
        self.advance(record)
        key = self.key.write(record.key)
        for window in self.node.windows.holding(record.ts):
            if self.node.windows.open(window, self.stream_time) and self.store.keeps(window.start):
                self._add(record, key, window)
            else:
                self.drop(Reason.LATE, record)
        return None

    def window(self, start: int) -> Window:
        return Window(start, start + self.node.windows.size_ms)

    def _add(self, record: Record, key: bytes, window: Window) -> None:
        stored = self.store.get(key, window.start)
        old, ts = (self.fold.initial(), record.ts) if stored is None else (stored.value, max(record.ts, stored.ts))
        self.replace(record, key, window, self.fold.add(record, old), old, ts)
