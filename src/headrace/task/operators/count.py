"""Counting records."""

from __future__ import annotations

from headrace.model.record import Record
from headrace.plan.nodes import Count
from headrace.serde import serde_of
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.emission import Emission
from headrace.task.operators.base import Operator


class CountOperator(Operator[Count]):
    """One task's share of a count."""

    def __init__(self, node: Count, task: Context) -> None:
        super().__init__(node, task)
        self._store = task.store(node.store)
        self._key = serde_of(node.output().key.type)
        self._emission = Emission(node.emit, self.forward)

    def on_record(self, record: Record) -> None:
        if record.key is None:
            return self.drop(Reason.NO_KEY)
        if record.value is None:
            return self.drop(Reason.NO_VALUE)
        key = self._key.write(record.key)
        before = self._store.get(key)
        counted, ts = (1, record.ts) if before is None else (before.value + 1, max(record.ts, before.ts))
        self._store.put(key, counted, ts=ts)
        self._emission.changed(
            key, Record(key=record.key, value=counted, ts=ts, headers=record.headers, origin=record.origin)
        )
        return None

    def flush(self) -> None:
        self._emission.flush()
