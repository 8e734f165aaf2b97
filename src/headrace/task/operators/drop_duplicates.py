"""Dropping records that have come before."""

from __future__ import annotations

from headrace.model.record import Record
from headrace.plan.nodes import DropDuplicates
from headrace.serde import serde_of
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.operators.base import Operator
from headrace.task.stream_time import StreamTime


class DropDuplicatesOperator(Operator[DropDuplicates]):
    """One task's share: the times of the records that were sent on, by key and id."""

    def __init__(self, node: DropDuplicates, task: Context) -> None:
        super().__init__(node, task)
        self._key = node.output().key.store_serde()
        self._id = None if node.id is None else (self.function(node.id), serde_of(node.id.type))
        self._sent = task.stores.window_store(node.store, node.kept_ms)
        self._time = StreamTime(task, node.name, None, lambda: None)

    def on_record(self, record: Record) -> None:
        if record.key is None:
            return self.drop(Reason.NO_KEY, record)
        self._time.see(record.ts)
        if record.ts <= self._time.ms - self.node.within_ms:
            return self.drop(Reason.LATE, record)
        key = self._known_by(record)
        if key is not None:
            reach = self.node.within_ms - 1
            if any(True for _ in self._sent.fetch(key, record.ts - reach, record.ts + reach)):
                return self.drop(Reason.DUPLICATE, record)
            self._sent.put(key, record.ts, True, ts=record.ts)
        return self.forward(record)

    def _known_by(self, record: Record) -> bytes | None:
        key = self._key.write(record.key)
        if self._id is None:
            return key
        function, serde = self._id
        found = function(record)
        if found is None:
            return None
        return len(key).to_bytes(4, "big") + key + self.written(record, serde, found)
