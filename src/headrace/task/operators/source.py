"""Reading topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.errors import RecordUndecodable
from headrace.model.record import RawRecord, Record
from headrace.plan.nodes import Source
from headrace.task.operators.base import Operator, Way


class SourceOperator(Operator[Source]):
    """Sends on the records of its topics."""

    def on_record(self, record: Record) -> None:
        self.forward(record)


@dataclass(frozen=True, slots=True)
class Undecoded:
    """The value of a record whose bytes do not fit, on its way to where the failures of its source are read."""

    data: bytes | None
    exc: RecordUndecodable


def way_into(source: Operator[Any]) -> Way:
    """How the records of a source come in; those that could not be decoded go to where its failures are read."""
    if source.node not in source.task.reading_failures:
        return source.on_record

    def call(record: Record) -> None:
        if isinstance(record.value, Undecoded):
            source.send_failure(record.with_value(record.value.data), record.value.exc, record.value.exc.what)
        else:
            source.on_record(record)

    return call


def decoded(source: Source, raw: RawRecord, *, failures_read: bool) -> Record:
    """A record of a source's topic, with the values of its bytes; where failures are read, one that has none, too."""
    try:
        return _decoded_record(source, raw)
    except RecordUndecodable as exc:
        if not failures_read:
            raise
        return Record(key=raw.key, value=Undecoded(raw.value, exc), ts=raw.ts, headers=raw.headers, origin=raw.origin)


def _decoded_record(source: Source, raw: RawRecord) -> Record:
    part, serde = "key", source.key
    try:
        key = serde.decode(raw.key)
        part, serde = "value", source.value
        value = serde.decode(raw.value)
    except ValueError as exc:
        raise RecordUndecodable(part, str(serde), str(exc), raw.origin or "?") from exc
    return Record(key=key, value=value, ts=raw.ts, headers=raw.headers, origin=raw.origin)
