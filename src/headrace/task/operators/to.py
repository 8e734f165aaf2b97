"""Writing topics."""

from __future__ import annotations

from typing import Any

from headrace.model.record import RawRecord, Record
from headrace.plan.nodes import To
from headrace.serde import Serde
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
            key=self._encoded(self.node.key, record.key, record),
            value=self._encoded(self.node.value, record.value, record),
            ts=record.ts,
            headers=record.headers,
            origin=record.origin,
        )
        for _ in self._partitions.of(record, topic):
            self.task.write(self.node, raw)

    def _encoded(self, serde: Serde[Any], value: Any, record: Record) -> bytes | None:
        try:
            return serde.encode(value)
        except ValueError as exc:
            raise self.failed(record, str(exc)) from exc
