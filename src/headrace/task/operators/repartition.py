"""Moving records to the tasks that own their keys."""

from __future__ import annotations

from headrace.model.record import Record
from headrace.plan.nodes import Repartition
from headrace.task.drops import Reason
from headrace.task.operators.base import Operator


class RepartitionOperator(Operator[Repartition]):
    """Hands every record that has a key to the task that owns it; one that has none, if it is wanted, to any."""

    def on_record(self, record: Record) -> None:
        if record.key is None and not self.node.takes_none:
            self.drop(Reason.NO_KEY, record)
        else:
            self.task.send(self.node, record)
