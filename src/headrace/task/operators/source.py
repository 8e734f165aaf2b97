"""Reading topics."""

from __future__ import annotations

from headrace.errors import RecordUndecodable
from headrace.model.record import RawRecord, Record
from headrace.plan.nodes import Source
from headrace.task.operators.base import Operator


class SourceOperator(Operator[Source]):
    """Sends on the records of its topics."""

    def on_record(self, record: Record) -> None:
        self.forward(record)


def decoded(source: Source, raw: RawRecord) -> Record:
    """A record of a source's topic, with the values of its bytes."""
    part, serde = "key", source.key
    try:
        key = serde.decode(raw.key)
        part, serde = "value", source.value
        value = serde.decode(raw.value)
    except ValueError as exc:
        raise RecordUndecodable(part, str(serde), str(exc), raw.origin or "?") from exc
    return Record(key=key, value=value, ts=raw.ts, headers=raw.headers, origin=raw.origin)
