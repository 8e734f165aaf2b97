"""Aggregations over tumbling and hopping windows, and what all windowed aggregations have in common."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from struct import Struct
from typing import Any, TypeVar

from headrace.model.change import Change
from headrace.model.record import Record
from headrace.model.windows import Window, Windowed
from headrace.plan.nodes import Emit, SideOutput, SlidingWindowed, TimeWindowed
from headrace.plan.nodes.windowed import WindowedAggregation
from headrace.state.keyvalue import Stored
from headrace.state.merging import MergeRule, remembered
from headrace.state.window import Forgotten, WindowStore
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.emission import Emission
from headrace.task.folds import folding
from headrace.task.operators.base import Operator
from headrace.task.operators.tables import TableOperator
from headrace.task.stream_time import StreamTime

W = TypeVar("W", bound=WindowedAggregation)
V = TypeVar("V", bound=TimeWindowed | SlidingWindowed)


@dataclass(slots=True)
class Closed:
    """Close of windows: all up to here, by start or for sessions by end, were over when last looked at."""

    up_to: int = remembered(-1, MergeRule.EARLIEST)


class WindowedOperator(TableOperator[W]):
    """One task's share of a windowed aggregation. Stream time is that of the records it has seen itself."""

    def __init__(self, node: W, task: Context) -> None:
        super().__init__(node, task)
        self.windows, self.fold = node.windows, folding(self, node.fold)
        self.key = node.key_serde()
        self.time = StreamTime(task, node.name, node.windows.idle_ms, self._idle)
        self._emission = Emission(None if node.final else node.emit, self, old=self.sends_old)
        self._closed = task.memory.of(node.name, "closed", Closed)
        self._forgotten: list[Forgotten] | None = None

    @property
    def stream_time(self) -> int:
        """The latest of the records, or what the clock has made of it."""
        return self.time.ms

    def connect(
        self, upstream: tuple[Operator[Any] | None, ...], readers: tuple[tuple[Operator[Any], int], ...]
    ) -> None:
        super().connect(upstream, readers)
        if self.has_side_output(SideOutput.EXPIRED) or self.is_logged:
            self._forgotten = self.forgotten()

    def advance(self, record: Record) -> None:
        """Let stream time follow a record, and send on the windows that are over by that.

        That comes before the record is folded: it belongs to none of those windows, and the store may forget them as
        soon as something newer is put. Kafka Streams looks afterwards, and loses windows when time leaps.
        """
        self.time.see(record.ts)
        self._close(record)

    def on_time(self, ms: int) -> None:
        """Its windows go by its own records and its own silence."""

    def _idle(self) -> None:
        self._close(Record(ts=self.stream_time))
        super().on_time(self.stream_time)

    def _close(self, record: Record) -> None:
        if self.node.final:
            first, last = self._closed.up_to + 1, self.windows.last_closed(self.stream_time)
            if first <= last:
                self._closed.up_to = last
                self.send_closed(record, first, last)

    def send_closed(self, record: Record, first: int, last: int) -> None:
        """Send on the windows between two times, both inside."""
        raise NotImplementedError(type(self).__name__)

    def send_final(self, record: Record, key: bytes, window: Window, value: Any, ts: int) -> None:
        """Send on the last value of a window; `record` is the one that moved time on."""
        self.forward(self._record(record, Windowed(self.key.read(key), *window), Change(value), ts))

    def replace(
        self, record: Record, key: bytes, window: Window, new: Any, old: Any, ts: int, before: Stored | None
    ) -> None:
        """Store the new value of a window and send on the change; `key` has the bytes of the record's key.

        `before` is what the store has of the window, `old` what Kafka Streams takes for the old value of a change: for
        the first of a window, what its folding began with. Settled changes have the value that was settled before, as
        they have behind Kafka's caches.
        """
        if self.node.emit is Emit.SETTLED:
            old = None if before is None else before.value
        self.keep(key, window, new, ts)
        self.changed(record, key, window, new, old, ts, before)
        if self._forgotten:
            self._send_forgotten(record, self._forgotten)

    def stored(self, key: bytes, window: Window) -> Stored | None:
        """Value and time that are stored for a window."""
        raise NotImplementedError(type(self).__name__)

    def keep(self, key: bytes, window: Window, value: Any, ts: int) -> None:
        """Put the value of a window into the store."""
        raise NotImplementedError(type(self).__name__)

    def forgotten(self) -> list[Forgotten]:
        """List that the store puts expired windows into, from now on."""
        raise NotImplementedError(type(self).__name__)

    def get(self, key: Any) -> Stored | None:
        place = self.key.write(key.key), key.window
        found = self.stored(*place)
        return self.lingering(*place) if found is None and self.task.stores.is_settling else found

    def sent(self, key: Any) -> Stored | None:
        return self._emission.sent(_place(self.key.write(key.key), key.window), self.get(key))

    def lingering(self, key: bytes, window: Window) -> Stored | None:
        """Value of a window that expired in this batch."""
        raise NotImplementedError(type(self).__name__)

    def changed(
        self, record: Record, key: bytes, window: Window, new: Any, old: Any, ts: int, before: Stored | None
    ) -> None:
        """A window of the record's key has a new value: send it on, unless only the last one is wanted."""
        if not self.node.final or self.is_logged:
            self._emission.changed(_place(key, window), before, record, Windowed(record.key, *window), new, old, ts)

    def send_through(self, emission: Emission) -> None:
        """Send on changes by the way of a table that this is a part of."""
        self._emission = emission
        if emission.is_logged:
            self._forgotten = self.forgotten()

    def flush(self) -> None:
        self._emission.flush()

    def _send_forgotten(self, record: Record, forgotten: list[Forgotten]) -> None:
        windows = forgotten.copy()
        forgotten.clear()
        for key, window, stored in windows:
            gone = Windowed(self.key.read(key), *window)
            self.send_to_side_output(SideOutput.EXPIRED, self._record(record, gone, Change(stored.value), stored.ts))
            self._emission.forget(_place(key, window), gone, stored.ts)

    @staticmethod
    def _record(record: Record, key: Windowed[Any], change: Change, ts: int) -> Record:
        return record.with_row(key, change, ts)


class WindowStoreOperator(WindowedOperator[V]):
    """Base of aggregations over windows of one size: a window store, by the starts of the windows."""

    def __init__(self, node: V, task: Context) -> None:
        super().__init__(node, task)
        self.store = task.stores.window_store(node.store, node.kept_ms)
        self.store.lingering = {}

    def stored(self, key: bytes, window: Window) -> Stored | None:
        return self.store.get(key, window.start)

    def lingering(self, key: bytes, window: Window) -> Stored | None:
        return (self.store.lingering or {}).get((key, window.start))

    def keep(self, key: bytes, window: Window, value: Any, ts: int) -> None:
        self.store.put(key, window.start, value, ts=ts)

    def send_closed(self, record: Record, first: int, last: int) -> None:
        for key, start, stored in list(self.store.fetch_all(first, last)):
            self.send_final(record, key, self.window(start), stored.value, stored.ts)

    def forgotten(self) -> list[Forgotten]:
        return self.store.watched(self.window)

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
        holding = list(self.node.windows.holding(record.ts))
        taking = holding[bisect_left(holding, True, key=self._takes) :]  # the earliest are over first
        for _ in range(len(holding) - len(taking) - (not taking)):
            self.task.drops.add(self.node.name, Reason.LATE)  # once for each window, as Kafka Streams counts
        if not taking:
            return self.drop(Reason.LATE if holding else Reason.EARLY, record)
        # All windows before the first is stored: a record that fails in one is in none.
        for folded in [self._folded(record, key, window) for window in taking]:
            self.replace(record, key, *folded)
        return None

    def window(self, start: int) -> Window:
        return Window(start, start + self.node.windows.size_ms)

    def _takes(self, window: Window) -> bool:
        return self.node.windows.open(window, self.stream_time) and self.store.keeps(window.start)

    def _folded(self, record: Record, key: bytes, window: Window) -> tuple[Window, Any, Any, int, Stored | None]:
        stored = self.store.get(key, window.start)
        old, ts = (self.fold.initial(), record.ts) if stored is None else (stored.value, max(record.ts, stored.ts))
        return window, self.fold.add(record, old), old, ts, stored


def _place(key: bytes, window: Window) -> bytes:
    """Place under which the changes of a window are held back."""
    return key + _TIMES.pack(*window)


_TIMES = Struct(">qq")
