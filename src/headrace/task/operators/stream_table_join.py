"""Joins of a stream with a table: each record looks up its row."""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush

from headrace.model.record import Record
from headrace.plan.nodes import StreamGlobalJoin, StreamTableJoin
from headrace.plan.nodes.materialized import unnamed_store
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.operators.base import Operator, Way
from headrace.task.operators.tables import silent, table_of
from headrace.task.stream_time import StreamTime


@dataclass(slots=True)
class Waiting:
    """The records that wait for their rows."""

    waiting: list[tuple[int, bytes, int, Record]] = field(default_factory=list)
    """A heap: by time, then by the bytes of the key, then by arrival."""
    arrived: int = 0

    def add(self, key: bytes, record: Record) -> None:
        """Let a record wait."""
        self.arrived += 1
        heappush(self.waiting, (record.ts, key, self.arrived, record))


class StreamTableJoinOperator(Operator[StreamTableJoin]):
    """Joins each record of the stream with the row of its key."""

    def __init__(self, node: StreamTableJoin, task: Context) -> None:
        super().__init__(node, task)
        self._joiner = self.computed(node.joiner)
        self._key = node.output().key.store_serde()
        self._time = StreamTime(task, node.name, None, self._release)
        self._buffer = task.memory.of(node.name, "waiting", Waiting)

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
        waiting = self._buffer.waiting
        while waiting and waiting[0][0] <= self._time.ms - (self.node.grace_ms or 0):
            join(heappop(waiting)[-1])

    def _join(self, record: Record) -> None:
        row = None if record.key is None else table_of(self, 1).get_as_of(record.key, record.ts)
        if row is not None or self.node.keep_all:
            values = {"key": record.key, "left": record.value, "right": row and row.value}
            self.forward(record.with_value(self._joiner(record, values)))


class StreamGlobalJoinOperator(Operator[StreamGlobalJoin]):
    """Joins each record of the stream with the row that it names."""

    def __init__(self, node: StreamGlobalJoin, task: Context) -> None:
        super().__init__(node, task)
        self._on, self._joiner = self.function(node.on), self.computed(node.joiner)
        self._key = node.table.output().key.store_serde()
        self._store = task.store(node.table.store or unnamed_store(node.table))

    def on_record(self, record: Record) -> None:
        if record.value is None:
            return self.drop(Reason.NO_VALUE, record)
        named = self._on(record)
        if named is None and not self.node.keep_all:
            return self.drop(Reason.NO_KEY, record)
        row = None if named is None else self._store.get(self._key.write(named))
        if row is not None or self.node.keep_all:
            values = {"key": record.key, "left": record.value, "right": row and row.value}
            self.forward(record.with_value(self._joiner(record, values)))
        return None
