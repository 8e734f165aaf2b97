"""Joins of a stream with a table: each record looks up its row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from headrace.model.record import Record
from headrace.plan.nodes import StreamGlobalJoin, StreamTableJoin
from headrace.state.cells import LATEST, bytes_time, closed, time_bytes
from headrace.state.merging import MergeRule, remembered
from headrace.state.state import State
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.operators.base import Operator, Way
from headrace.task.operators.tables import silent, table_of
from headrace.task.stream_time import StreamTime


@dataclass(slots=True)
class Arrived:
    """Count of the records that had to wait so far, and the earliest time of those that do."""

    count: int = remembered(0, MergeRule.LATEST)
    earliest: int = remembered(LATEST, MergeRule.EARLIEST)


class Waiting:
    """The records that wait for their rows, by time, then by the bytes of the key, then by arrival."""

    def __init__(self, state: State, node: str) -> None:
        self._cells = state.cells(f"{node}/waiting")
        self._arrived = state.memory.of(node, "arrived", Arrived)

    def add(self, key: bytes, record: Record) -> None:
        """Let a record wait."""
        arrived = self._arrived
        arrived.count += 1
        arrived.earliest = min(arrived.earliest, record.ts)
        self._cells.put(time_bytes(record.ts) + closed(key) + arrived.count.to_bytes(8, "big"), tuple(record))

    def take(self, until: int) -> Iterator[Record]:
        """The records up to a time, in order: they wait no longer."""
        if self._arrived.earliest > until:
            return
        for place, found in self._cells.between(time_bytes(self._arrived.earliest), None):
            if bytes_time(place[:8]) > until:
                self._arrived.earliest = bytes_time(place[:8])
                return
            self._cells.remove(place)
            yield Record._make(found)
        self._arrived.earliest = LATEST


class StreamTableJoinOperator(Operator[StreamTableJoin]):
    """Joins each record of the stream with the row of its key."""

    def __init__(self, node: StreamTableJoin, task: Context) -> None:
        super().__init__(node, task)
        self._joiner = self.computed(node.joiner, "key", "left", "right")
        self._key = node.output().key.store_serde()
        self._time = StreamTime(task, node.name, None, self._release)
        self._buffer = Waiting(task.state, node.name)

    def way(self, position: int) -> Way:
        return silent if position else self.on_record

    def on_record(self, record: Record) -> None:
        if record.value is None:
            return self.drop(Reason.NO_VALUE, record)
        if record.key is None and not self.node.keep_all:
            return self.drop(Reason.NO_KEY, record)
        if self.node.grace_ms is None or record.key is None:
            return self._join(record)
        self._time.see(record.ts)
        if record.ts < self._time.ms - self.node.grace_ms:
            self._join(record)
        else:
            self._buffer.add(self._key.write(record.key), record)
        return self._release()

    def on_time(self, ms: int) -> None:
        self._time.reach(ms)
        super().on_time(ms)

    def _release(self) -> None:
        join = self.guarded(self._join)
        for record in self._buffer.take(self._time.ms - (self.node.grace_ms or 0)):
            join(record)

    def _join(self, record: Record) -> None:
        row = None if record.key is None else table_of(self, 1).get_as_of(record.key, record.ts)
        if row is not None or self.node.keep_all:
            joined = self._joiner(record, record.key, record.value, row and row.value)
            self.forward(record.with_value(joined))


class StreamGlobalJoinOperator(Operator[StreamGlobalJoin]):
    """Joins each record of the stream with the row that it names."""

    def __init__(self, node: StreamGlobalJoin, task: Context) -> None:
        super().__init__(node, task)
        self._on, self._joiner = self.function(node.on), self.computed(node.joiner, "key", "left", "right")
        self._key = node.table.output().key.store_serde()
        self._store = task.stores.key_value_store(node.table.kept_rows.store)

    def on_record(self, record: Record) -> None:
        if record.value is None:
            return self.drop(Reason.NO_VALUE, record)
        named = self._on(record)
        if named is None and not self.node.keep_all:
            return self.drop(Reason.NO_KEY, record)
        row = None if named is None else self._store.get(self._key.write(named))
        if row is not None or self.node.keep_all:
            joined = self._joiner(record, record.key, record.value, row and row.value)
            self.forward(record.with_value(joined))
        return None
