"""Moving records to the tasks that own their keys."""

from __future__ import annotations

from headrace.model.record import Record
from headrace.plan.nodes import Repartition
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.operators.base import Operator
from headrace.task.partitions import Partitions


class RepartitionOperator(Operator[Repartition]):
    """Hands every record that has a key to the task that owns it; one that has none, if it is wanted, to any."""

    def __init__(self, node: Repartition, task: Context) -> None:
        super().__init__(node, task)
        self._partitions = Partitions(self, node.partitioner)

    def on_record(self, record: Record) -> None:
        if record.key is None and not self.node.takes_none:
            return self.drop(Reason.NO_KEY, record)
        for partition in self._partitions.of(record, self.node.name):
            self.task.send(self.node, record, partition)
        return None
