"""Record metadata and other values that a processor sees beside its record."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, NoReturn

from headrace.errors import KeyFixed
from headrace.model.record import V2, Header, K, Record, V


class RecordMetadata(NamedTuple):
    """Metadata of a record: topic, partition and offset of it, or of the record that it comes from."""

    topic: str
    partition: int
    offset: int

    @staticmethod
    def of(record: Record | None) -> RecordMetadata | None:
        """The place of a record, None for one that comes from no topic.

        >>> RecordMetadata.of(Record(ts=0, origin="daily-clicks-3@17"))
        RecordMetadata(topic='daily-clicks', partition=3, offset=17)
        """
        if record is None or record.origin is None:
            return None
        place, _, offset = record.origin.rpartition("@")
        topic, _, partition = place.rpartition("-")
        return RecordMetadata(topic, int(partition), int(offset))


class FixedKeyRecord(Record[K, V]):
    """A record whose key stays as it is; made by `process_values` alone."""

    __slots__ = ()

    @classmethod
    def of(cls, record: Record[K, V]) -> FixedKeyRecord[K, V]:
        """A record, with its key fixed."""
        return cls(key=record.key, value=record.value, ts=record.ts, headers=record.headers, origin=record.origin)

    def free(self) -> Record[K, V]:
        """Copy of the record whose key may be changed."""
        return Record(key=self.key, value=self.value, ts=self.ts, headers=self.headers, origin=self.origin)

    def with_key(self, key: Any) -> NoReturn:  # noqa: ARG002
        """Refused: another key belongs to another task."""
        raise KeyFixed()

    def with_pair(self, key: Any, value: Any) -> NoReturn:  # noqa: ARG002
        """Refused: another key belongs to another task."""
        raise KeyFixed()

    def with_value(self, value: V2) -> FixedKeyRecord[K, V2]:
        """Copy of the record with another value."""
        return FixedKeyRecord(key=self.key, value=value, ts=self.ts, headers=self.headers, origin=self.origin)

    def with_ts(self, ts: int) -> FixedKeyRecord[K, V]:
        """Copy of the record at another time, which is not before 1970."""
        return FixedKeyRecord.of(self.free().with_ts(ts))

    def with_headers(self, headers: Iterable[Header]) -> FixedKeyRecord[K, V]:
        """Copy of the record with other headers."""
        return FixedKeyRecord.of(self.free().with_headers(headers))
