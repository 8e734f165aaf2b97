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
        self._headed = node.writes_headers

    def on_record(self, record: Record) -> None:
        topic, (key, value, ts, headers, origin) = self._topic(record), record
        try:
            written = None if key is None else self.node.key.write(key)
            data = None if value is None else self.node.value.write(value)
            if self._headed:
                headers = self.node.value.headed(self.node.key.headed(headers, key), value)
        except ValueError as exc:
            raise self.failed(record, str(exc)) from exc
        raw = RawRecord.made(topic, ts, written, data, headers, origin)
        if self.node.partitioner is None:
            return self.task.write(self.node, raw, None)
        for partition in self._partitions.of(record, topic):
            self.task.write(self.node, raw, partition)
        return None
