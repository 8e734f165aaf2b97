"""Outbox of a task: records that it has sent on, in columns for Spark."""

from __future__ import annotations

from headrace.lane.frames import Writer, packed_parts
from headrace.model.record import Header

NOBODY = -1

Row = tuple[int, int, int, bytes | None, bytes | None, bytes | None, bytes | None, bytes | None, bytes | None]


class Outbox:
    """Records that leave, each with the number of the one in the chunk that it comes of."""

    def __init__(self) -> None:
        self.cause = NOBODY
        """The record at hand."""
        self._rows: list[Row] = []

    def add(
        self,
        tag: int,
        ts: int,
        key: bytes | None,
        value: bytes | None,
        old: bytes | None,
        headers: tuple[Header, ...],
        topic: bytes | None,
        latest: bool,
    ) -> None:
        """Add a record."""
        packed = packed_parts(part for name, data in headers for part in (name.encode(), data)) if headers else None
        self._rows.append((self.cause, tag, ts, key, value, old, packed, topic, None if latest else b""))

    def write(self, message: Writer) -> None:
        """Write all records into a message; the outbox is empty afterwards."""
        rows, self._rows = self._rows, []
        message.int32(len(rows))
        if rows:
            causes, tags, times, *columns = zip(*rows, strict=True)
            message.int32s(causes).int32s(tags).int64s(times)
            for column in columns:
                message.column(column)
