"""From the changes of a table to records."""

from __future__ import annotations

from headrace.model.record import Record
from headrace.plan.nodes import ToStream
from headrace.task.operators.base import Operator


class ToStreamOperator(Operator[ToStream]):
    """Sends on the new value of each change; a deletion has none."""

    def on_record(self, record: Record) -> None:
        self.forward(record.with_value(record.value.new))
