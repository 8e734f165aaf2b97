"""Reading topics."""

from __future__ import annotations

from collections.abc import Callable
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
class Unread:
    """The value of a record that cannot be read, on its way to where the failures of its source are read.

    Its bytes do not fit the serdes, or it has no time.
    """

    data: bytes | None
    error: str
    message: str


def way_into(source: Operator[Any]) -> Way:
    """Entry of the records of a source; undecodable ones go to its side output of failures."""
    if source.node not in source.task.reading_failures:
        return source.forward if type(source) is SourceOperator else source.on_record

    def call(record: Record) -> None:
        if isinstance(record.value, Unread):
            source.send_failure(record.with_value(record.value.data), record.value.error, record.value.message)
        else:
            source.on_record(record)

    return call


def decoding(source: Source, *, failures_read: bool) -> Callable[[RawRecord], Record]:
    """Decoder of a source's records; where failures are read, one that fails goes on as a failure."""
    key_headed, value_headed = bool(source.key.facts.headers), bool(source.value.facts.headers)
    read_key: Callable[..., Any] = source.key.read_with if key_headed else source.key.read
    read_value: Callable[..., Any] = source.value.read_with if value_headed else source.value.read

    def decode(raw: RawRecord) -> Record:
        _, ts, key, value, headers, origin = raw
        part, serde = "key", source.key
        try:
            if key is not None:
                key = read_key(key, headers) if key_headed else read_key(key)
            part, serde = "value", source.value
            if value is not None:
                value = read_value(value, headers) if value_headed else read_value(value)
            return Record.made(key, value, ts, headers, origin)
        except ValueError as exc:
            undecodable = RecordUndecodable(part, str(serde), str(exc), origin or "?")
            if not failures_read:
                raise undecodable from exc
            return unread(raw, type(exc).__name__, undecodable.what)

    return decode


def unread(raw: RawRecord, error: str, message: str) -> Record:
    """A record that cannot be read; if it is for want of a time, it has the first of all."""
    _, ts, key, value, headers, origin = raw
    return Record(key=key, value=Unread(value, error, message), ts=max(ts, 0), headers=headers, origin=origin)
