"""Writing topics."""

from __future__ import annotations

from headrace.model.record import RawRecord, Record
from headrace.plan.nodes import To
from headrace.task.context import Context
from headrace.task.operators.base import Operator
from headrace.task.partitions import Partitions


class ToOperator(Operator[To]):
    """Writes every record to its topic, with its own timestamp and headers."""

    def __init__(self, node: To, task: Context) -> None:
        super().__init__(node, task)
        topic = node.topic
        self._topic = (lambda _: topic) if isinstance(topic, str) else self.function(topic, never_none="a topic")
        self._partitions = Partitions(self, node.partitioner)

    def on_record(self, record: Record) -> None:
        topic = self._topic(record)
        raw = RawRecord(
            topic=topic,
            key=None if record.key is None else self.written(record, self.node.key, record.key),
            value=None if record.value is None else self.written(record, self.node.value, record.value),
            ts=record.ts,
            headers=record.headers,
            origin=record.origin,
        )
        for partition in self._partitions.of(record, topic):
            self.task.write(self.node, raw, partition)
