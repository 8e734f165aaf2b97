"""Counting records."""

from __future__ import annotations

from headrace.model.record import Record
from headrace.plan.nodes import Count, Emit
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.operators.tables import KeptRows, KeptTable


class CountOperator(KeptTable[Count]):
    """One task's share of a count."""

    def __init__(self, node: Count, task: Context) -> None:
        super().__init__(node, task)
        self._rows = KeptRows(self, node.kept_rows, node.emit)

    def on_record(self, record: Record) -> None:
        if record.key is None:
            return self.drop(Reason.NO_KEY, record)
        if record.value is None:
            return self.drop(Reason.NO_VALUE, record)
        place = self._rows.place(record.key)
        before = self._rows.find(place)
        if before is None:
            # As in Kafka Streams the first change comes from 0; settled changes are those between batches.
            self._rows.replace(place, before, record, 1, record.ts, 0 if self.node.emit is Emit.EVERY else None)
        else:
            old, ts = before
            self._rows.replace(place, before, record, old + 1, max(record.ts, ts), old)
        return None
