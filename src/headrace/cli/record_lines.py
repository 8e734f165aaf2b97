"""Records as lines: what `topics produce` reads and `topics consume` prints."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import click

from headrace.cli.key_value_text import TypedForm, dumps
from headrace.errors import RecordRefused
from headrace.errors.printable import safe
from headrace.log.records import ConsumedRecord, Header, NewRecord

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIELDS = {"key", "value", "headers", "timestamp", "partition"}
# What `topics consume --json` prints besides: where a record lay says nothing about where it goes.
_LEFT_ASIDE = {"topic", "offset"}


@dataclass(frozen=True, kw_only=True)
class LineReader:
    """Turns lines into records of `topic`; a line that cannot be one is RecordRefused with its number."""

    topic: str
    source: str
    key: TypedForm
    value: TypedForm
    as_json: bool = False
    key_separator: str | None = None
    null_marker: str | None = None
    headers: tuple[Header, ...] = ()
    timestamp_ms: int | None = None
    partition: int | None = None

    def records(self, lines: Iterable[bytes]) -> Iterator[NewRecord]:
        for number, line in enumerate(lines, start=1):
            try:
                text = line.decode().removesuffix("\n").removesuffix("\r")
                yield self._of_json(text) if self.as_json else self._of_text(text)
            except ValueError as exc:
                reason = f"the line is not UTF-8 ({exc})" if isinstance(exc, UnicodeDecodeError) else str(exc)
                raise RecordRefused(self.topic, reason, where=f"line {number} of {self.source}") from exc

    def _of_text(self, text: str) -> NewRecord:
        key, value = None, text
        if self.key_separator is not None:
            key, found, value = text.partition(self.key_separator)
            if not found:
                raise ValueError(f"the line has no {self.key_separator!r} between key and value: {text!r}")
        return NewRecord(
            key=self._bytes(self.key, key),
            value=self._bytes(self.value, value),
            headers=self.headers,
            timestamp_ms=self.timestamp_ms,
            partition=self.partition,
        )

    def _bytes(self, form: TypedForm, text: str | None) -> bytes | None:
        return None if text is None or text == self.null_marker else form.from_text(text)

    def _of_json(self, text: str) -> NewRecord:
        try:
            line = json.loads(text)
        except ValueError as exc:
            raise ValueError(f"the line is not JSON: {exc}") from None
        if isinstance(line, dict):
            for part in ("key", "value"):
                if f"{part}_error" in line:
                    raise ValueError(
                        f"its {part} was printed escaped, for its bytes did not fit ({line[f'{part}_error']});"
                        f" consume and produce it with --{part} bytes"
                    )
        if not isinstance(line, dict) or not line.keys() <= _FIELDS | _LEFT_ASIDE:
            raise ValueError(f"the line is not an object of {', '.join(sorted(_FIELDS))}: {text}")
        key, value = line.get("key"), line.get("value")
        return NewRecord(
            key=None if key is None else self.key.from_json(key),
            value=None if value is None else self.value.from_json(value),
            headers=self.headers + _headers_of(line.get("headers")),
            timestamp_ms=_whole_number("timestamp", line.get("timestamp"), self.timestamp_ms),
            partition=_whole_number("partition", line.get("partition"), self.partition),
        )


@dataclass(frozen=True, kw_only=True)
class LineWriter:
    """Turns records into lines; bytes that do not fit their type are shown escaped, with the reason.

    So are characters that a terminal would obey, unless the lines are `raw`.
    """

    key: TypedForm
    value: TypedForm
    as_json: bool = False
    timestamps: bool = False
    headers: bool = False
    null_marker: str = "null"
    raw: bool = False

    def line(self, record: ConsumedRecord) -> str:
        return self._json(record) if self.as_json else self._text(record)

    def _text(self, record: ConsumedRecord) -> str:
        columns = []
        if self.timestamps:
            columns.append(shown_time(record.timestamp_ms))
        if self.headers:
            pairs = (f"{name}={self.null_marker if data is None else _escaped(data)}" for name, data in record.headers)
            columns.append(",".join(pairs))
        columns += [self._shown(self.key, record.key), self._shown(self.value, record.value)]
        return "\t".join(columns if self.raw else map(safe, columns))

    def _shown(self, form: TypedForm, data: bytes | None) -> str:
        if data is None:
            return self.null_marker
        try:
            return form.to_text(data)
        except ValueError as exc:
            return f"{_escaped(data)} (not {form.name}: {exc})"

    def _json(self, record: ConsumedRecord) -> str:
        line: dict[str, object] = {
            "partition": record.partition,
            "offset": record.offset,
            "timestamp": record.timestamp_ms,
        }
        for name, form, data in (("key", self.key, record.key), ("value", self.value, record.value)):
            try:
                line[name] = None if data is None else form.to_json(data)
            except ValueError as exc:
                line[name], line[f"{name}_error"] = _escaped(data or b""), f"not {form.name}: {exc}"
        line["headers"] = [[name, _header_json(data)] for name, data in record.headers]
        return dumps(line)


def timestamp_of(text: str) -> int:
    """Milliseconds since 1970 of a number of them, or of an ISO 8601 time (UTC unless it names a zone)."""
    try:
        return int(text)
    except ValueError:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return (moment - _EPOCH) // timedelta(milliseconds=1)


def time_given(_context: click.Context, _option: click.Parameter, given: str | None) -> int | None:
    """The callback of options that are times."""
    try:
        return None if given is None else timestamp_of(given)
    except ValueError:
        raise click.BadParameter(
            f"{given!r} is neither milliseconds since 1970 nor a time like 2024-05-01T12:00:00Z"
        ) from None


def _headers_of(given: object) -> tuple[Header, ...]:
    pairs = list(given.items()) if isinstance(given, dict) else given or []
    headers: list[Header] = []
    for pair in pairs if isinstance(pairs, list) else [pairs]:
        match pair:
            case [str(name), str() | None as value]:
                headers.append((name, None if value is None else value.encode()))
            case [str(name), {"hex": str(digits), **others}] if not others:
                headers.append((name, bytes.fromhex(digits)))
            case _:
                raise ValueError(f"headers are {{name: text}} or [[name, text], ...], not {dumps(given)}")
    return tuple(headers)


def _header_json(data: bytes | None) -> object:
    """A header has no type: text where it can be, else {"hex": ...}, which the reader takes too."""
    if data is None:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"hex": data.hex()}


def _whole_number(name: str, given: object, otherwise: int | None) -> int | None:
    if given is None:
        return otherwise
    if not isinstance(given, int) or isinstance(given, bool):
        raise ValueError(f"{name} {dumps(given)} is not a whole number")
    return given


def shown_time(timestamp_ms: int | None) -> str:
    """A time as people read it; - for none."""
    if timestamp_ms is None:
        return "-"
    try:
        moment = _EPOCH + timedelta(milliseconds=timestamp_ms)
    except OverflowError:
        return str(timestamp_ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _escaped(data: bytes) -> str:
    return data.decode(errors="backslashreplace")
