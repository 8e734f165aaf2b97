"""Reading topics."""

from __future__ import annotations

from typing import Any

from headrace.errors import RecordUndecodable
from headrace.model.record import RawRecord, Record
from headrace.plan.nodes import Source
from headrace.serde import Serde
from headrace.task.operators.base import Operator


class SourceOperator(Operator[Source]):
    """Sends on the records of its topics."""

    def on_record(self, record: Record) -> None:
        self.forward(record)


def decoded(source: Source, raw: RawRecord) -> Record:
    """A record of a source's topic, with the values of its bytes."""
    return Record(
        key=_decoded("key", source.key, raw.key, raw.origin),
        value=_decoded("value", source.value, raw.value, raw.origin),
        ts=raw.ts,
        headers=raw.headers,
        origin=raw.origin,
    )


def _decoded(part: str, serde: Serde[Any], data: bytes | None, origin: str | None) -> Any:
    try:
        return serde.decode(data)
    except ValueError as exc:
        raise RecordUndecodable(part, str(serde), str(exc), origin or "?") from exc
