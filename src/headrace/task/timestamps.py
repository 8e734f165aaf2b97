"""Timestamps of the records that come in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.errors import RecordFailed, TimestampInvalid
from headrace.expr import Bound
from headrace.model.clock import Clock
from headrace.model.record import RawRecord, Record
from headrace.plan.nodes import Source, Times
from headrace.state.memory import Memory
from headrace.task.drops import Drops, Reason
from headrace.task.operators.base import error_of
from headrace.task.operators.source import Unread, decoding, unread

_UNKNOWN = -1


class Timestamps:
    """Gives each record the time that its source says, and remembers the latest of each partition."""

    def __init__(self, clock: Clock, drops: Drops, memory: Memory) -> None:
        self._clock, self._drops, self._memory = clock, drops, memory
        self._of_source: dict[Source, tuple[Callable[[Record, int], int], dict[str, int]]] = {}

    def reading(self, source: Source, *, failures_read: bool) -> Callable[[str, RawRecord], Record | None]:
        """Reader of a topic: gives a record its values and its time; None if it has no time and is dropped.

        Where failures are read, one that cannot be read is told of as it is.
        """
        decode = decoding(source, failures_read=failures_read)

        def read(topic: str, raw: RawRecord) -> Record | None:
            record = decode(raw)
            if isinstance(record.value, Unread) and isinstance(source.timestamp, Bound):
                return record  # the function that finds times has nothing to look at
            try:
                return self._stamped(source, topic, record)
            except (RecordFailed, TimestampInvalid) as exc:
                if not failures_read:
                    raise
                return unread(raw, error_of(exc), exc.reason if isinstance(exc, RecordFailed) else exc.what)

        return read

    def _stamped(self, source: Source, topic: str, record: Record) -> Record | None:
        found = self._of_source.get(source)
        if found is None:
            times: dict[str, int] = self._memory.of(source.name, "partition times", dict)
            found = self._of_source[source] = (self._extractor(source), times)
        extract, latest_of = found
        latest = latest_of.get(topic, _UNKNOWN)
        ts = extract(record, latest)
        if ts < 0:
            self._drops.add(source.name, Reason.NO_TIME)
            return None
        if ts > latest:
            latest_of[topic] = ts
        return record if ts == record.ts else record.with_row(record.key, record.value, ts)

    def _extractor(self, source: Source) -> Callable[[Record, int], int]:
        if isinstance(source.timestamp, Bound):
            return _computed(source, source.timestamp)
        return {
            Times.FAIL: _failing,
            Times.SKIP: lambda record, _: record.ts,
            Times.PARTITION_TIME: _latest_so_far,
            Times.WALL_CLOCK: lambda *_: self._clock.now_ms(),
        }[source.timestamp]


def _failing(record: Record, _: int) -> int:
    if record.ts < 0:
        raise TimestampInvalid(record.ts, "which is before 1970", record.origin)
    return record.ts


def _latest_so_far(record: Record, latest: int) -> int:
    if record.ts >= 0:
        return record.ts
    if latest < 0:
        raise TimestampInvalid(record.ts, "and no record of its partition before it had a time", record.origin)
    return latest


def _computed(source: Source, bound: Bound) -> Callable[[Record, int], int]:
    compute = bound.called_with("key", "value", "timestamp", "partition_time")

    def extract(record: Record, latest: int) -> int:
        try:
            ts: Any = compute(record.key, record.value, record.ts, latest)
        except Exception as exc:
            raise _failed(source, record, str(exc)) from exc
        if type(ts) is not int:
            raise _failed(source, record, f"{ts!r} is not a time in whole milliseconds")
        return ts

    return extract


def _failed(source: Source, record: Record, reason: str) -> RecordFailed:
    return RecordFailed(f"{source.name} ({source.origin})", reason, record.origin)
