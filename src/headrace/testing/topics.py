"""Test topics: records are piped into an input topic, and read from an output topic."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from headrace.errors import CannotPipe, NoRow, NothingToRead, OptionInvalid, OutputUnreadable
from headrace.model.durations import Duration, duration_ms, duration_text
from headrace.model.entries import entries_of
from headrace.model.moments import Moment, moment_ms
from headrace.model.record import Header, RawRecord, Record
from headrace.plan.nodes import To
from headrace.plan.origin import origin
from headrace.serde import Serde
from headrace.testing.text import Table, as_table

Send = Callable[[str, bytes | None, bytes | None, int, tuple[Header, ...], int | None], None]
"""Lets the application handle a record: topic, key, value, time, headers, and the partition if it is not the key's."""

Row = Record | tuple[Any, Any] | tuple[Any, Any, Moment]
"""What `pipe_records` takes: a record, (key, value), or (key, value, time)."""

Headers = Iterable[Header]

_NO_TIME = -1


class InputTopic:
    """A topic that the application reads."""

    def __init__(self, topic: str, key: Serde[Any], value: Serde[Any], send: Send) -> None:
        self._topic, self._key, self._value, self._send = topic, key, value, send
        self._now, self._advance = 0, 0

    def pipe(
        self,
        value: Any = None,
        *,
        key: Any = None,
        ts: Moment | None = None,
        headers: Headers = (),
        partition: int | None = None,
    ) -> None:
        """Write a record at the end of the topic, and let the application handle it.

        `ts` is in milliseconds since 1970 or a datetime; -1 is for a record without a time, as old producers wrote
        them. Without it the record has the time of the topic, which then moves on. Without `partition` it goes where
        Kafka's producers put its key; records without a key take turns.
        """
        try:
            data = None if value is None else self._value.write(value)
            key_data = None if key is None else self._key.write(key)
            headers = self._value.headed(self._key.headed(_headers(headers), key), value)
        except ValueError as exc:
            raise self._misfit(key, value) from exc
        if ts is None:
            ts = self._now
            self._now += self._advance
        elif type(ts) is not int or ts < _NO_TIME:
            ts = moment_ms("ts", ts, origin())
        self._send(self._topic, key_data, data, ts, headers, partition)

    def pipe_values(
        self, values: Iterable[Any], *, start: Moment | None = None, advance: Duration | None = None
    ) -> None:
        """Pipe records without keys, one after the other; `start` and `advance` are those of the topic from here on."""
        self.set_time(start, advance)
        for value in values:
            self.pipe(value)

    def pipe_records(
        self, records: Iterable[Row] | Table, *, start: Moment | None = None, advance: Duration | None = None
    ) -> None:
        """Pipe records with keys: `(key, value)`, `(key, value, ts)` or `Record`, or the rows of a `table`.

        A row that has no time gets that of the topic; `start` and `advance` are the topic's from here on.
        """
        self.set_time(start, advance)
        rows = records.rows(self._key, self._value) if isinstance(records, Table) else map(_parts, records)
        for key, value, ts, headers in rows:
            self.pipe(value, key=key, ts=ts, headers=headers)

    def advance_time(self, by: Duration) -> None:
        """Let the time of the topic move on: `"5s"` or a `timedelta`."""
        self._now += duration_ms("by", by, origin())

    def set_time(self, start: Moment | None, advance: Duration | None) -> None:
        """Set the time of the topic, and by how much it moves on with each record."""
        if start is not None:
            self._now = moment_ms("start", start, origin())
        if advance is not None:
            self._advance = duration_ms("advance", advance, origin())

    def __repr__(self) -> str:
        pace = f", {duration_text(self._advance)} a record" if self._advance else ""
        return f"<input {self._topic!r} ({self._key}, {self._value}) at {self._now} ms{pace}>"

    def _misfit(self, key: Any, value: Any) -> CannotPipe:
        """The error for a record of which one part does not fit its serde."""
        for part, serde, data in (("value", self._value, value), ("key", self._key, key)):
            try:
                serde.encode(data)
            except ValueError as exc:
                return CannotPipe(self._topic, part, str(serde), str(exc), origin())
        raise AssertionError("a serde that refuses a value only once")


class Written:
    """Records that were written to one topic and not read yet."""

    def __init__(self) -> None:
        self.count = 0
        self._unread: deque[tuple[To, RawRecord]] = deque()

    def add(self, one: tuple[To, RawRecord]) -> None:
        """Add a record, and the node that wrote it."""
        self.count += 1
        self._unread.append(one)

    def take(self) -> tuple[To, RawRecord]:
        """The next one."""
        return self._unread.popleft()

    def take_all(self) -> Iterator[tuple[To, RawRecord]]:
        """Take all records, one after the other."""
        return (self.take() for _ in range(len(self)))

    def __len__(self) -> int:
        return len(self._unread)


class OutputTopic:
    """A topic that the application writes. What was read once is not read again; `len` tells how much is left."""

    def __init__(self, topic: str, written: Written, key: Serde[Any] | None, value: Serde[Any] | None) -> None:
        self._topic, self._written, self._key, self._value = topic, written, key, value

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing left to read."""
        return not self._written

    def read(self) -> tuple[Any, Any]:
        """The next record as (key, value)."""
        if not self._written:
            raise NothingToRead(self._topic, self._written.count)
        record, _, _ = self._read(*self._written.take())
        return record.key, record.value

    def read_records(self) -> list[Record]:
        """All new records, with their timestamps and headers."""
        return [record for record, _, _ in self._rest()]

    def read_all(self) -> list[tuple[Any, Any]]:
        """All new records as (key, value)."""
        return [(record.key, record.value) for record in self.read_records()]

    def read_values(self) -> list[Any]:
        """The values of all new records."""
        return [record.value for record in self.read_records()]

    def read_table(self) -> Mapping[Any, Any]:
        """The last value of each key among all new records; a record without a value removes its key."""
        rows: dict[bytes, Record] = {}
        for node, raw in self._written.take_all():
            record, _, _ = self._read(node, raw)
            if raw.key is None:
                raise NoRow(self._topic, repr(record.value))
            rows[raw.key] = record
        return entries_of((row.key, row.value) for row in rows.values() if row.value is not None)

    def read_text(self, *columns: str) -> Table:
        """All new records as a readable table, to compare with `hr.testing.table(...)`.

        The columns are `key`, `value` and `ts`, and `headers` if there are any, unless you name those you want.
        """
        return as_table(self._rest(), columns)

    def __len__(self) -> int:
        return len(self._written)

    def __repr__(self) -> str:
        return f"<output {self._topic!r}, {self._written.count} written, {len(self)} unread>"

    def _rest(self) -> Iterator[tuple[Record, Serde[Any], Serde[Any]]]:
        return (self._read(node, raw) for node, raw in self._written.take_all())

    def _read(self, node: To, raw: RawRecord) -> tuple[Record, Serde[Any], Serde[Any]]:
        """A record that was written, and the serdes by which its key and its value are read."""
        key_read, value_read = node.read_with()
        keys, values = self._key or key_read, self._value or value_read
        key = self._decoded("key", keys, raw, key_read)
        value = self._decoded("value", values, raw, value_read)
        return Record(key=key, value=value, ts=raw.ts, headers=raw.headers, origin=raw.origin), keys, values

    def _decoded(self, part: str, serde: Serde[Any], raw: RawRecord, wrote: Serde[Any]) -> Any:
        try:
            return serde.decode(raw.key if part == "key" else raw.value, raw.headers)
        except ValueError as exc:
            raise OutputUnreadable(self._topic, part, str(serde), str(exc), str(wrote)) from exc


def _headers(headers: Headers) -> tuple[Header, ...]:
    found = tuple(headers)
    for one in found:
        match one:
            case (str(), bytes() | None):
                continue
        raise OptionInvalid("headers", headers, 'pairs of a name and its bytes or None: [("trace", b"7")]', origin())
    return found


def _parts(row: Row) -> tuple[Any, Any, Moment | None, Headers]:
    """Key, value, time and headers of what a test pipes."""
    match row:
        case Record(key=key, value=value, ts=ts, headers=headers):
            return key, value, ts, headers
        case (key, value):
            return key, value, None, ()
        case (key, value, ts):
            return key, value, ts, ()
    raise OptionInvalid("record", row, "(key, value), (key, value, ts) or a Record", origin())
