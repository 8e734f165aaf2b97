"""Records of a chunk, read from the columns that a Spark task has sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import NamedTuple, cast

from headrace.lane.frames import Reader, unpacked_parts
from headrace.lane.nodes import Enter
from headrace.model.change import Change
from headrace.model.queue_bits import PARTITIONS
from headrace.model.record import Header, RawRecord, Record
from headrace.plan.nodes import Source

_NOWHERE = -1


class RecordColumns(NamedTuple):
    """The records of a chunk, column by column."""

    times: Sequence[int]
    keys: Sequence[bytes | None]
    values: Sequence[bytes | None]
    olds: Sequence[bytes | None]
    """Of changes of a table the old values."""
    latest: Sequence[bool]
    """Of such changes, whether they are the latest."""
    headers: Sequence[tuple[Header, ...]]
    origins: Sequence[str | None]
    """Where they were read: topic-partition@offset; None of those that a timer has made."""

    @staticmethod
    def read(chunk: Reader, count: int, topic: Callable[[int], str]) -> RecordColumns:
        """Read the records of a message; `topic` finds the topic of a queue number."""
        times, sources, offsets = chunk.int64s(count), chunk.int64s(count), chunk.int64s(count)
        keys, values, olds = (chunk.column(count) or [None] * count for _ in range(3))
        headers, outdated = chunk.column(count), chunk.column(count)
        latest = [True] * count if outdated is None else [one is None for one in outdated]
        unpacked = [()] * count if headers is None else [_headers(one) for one in headers]
        return RecordColumns(times, keys, values, olds, latest, unpacked, _origins(sources, offsets, topic))

    def one_by_one(self) -> Iterator[tuple[RawRecord, bytes | None, bool]]:
        """Records, old values, and whether they are the latest. A plain tuple is all that a `RawRecord` is."""
        raws = zip(repeat(""), self.times, self.keys, self.values, self.headers, self.origins, strict=False)
        return zip(cast("Iterator[RawRecord]", raws), self.olds, self.latest, strict=True)

    def all_at_once(self, node: Enter | Source) -> list[Record] | None:
        """The records as they come in at a node, in half the time; None if the bytes of one of them do not fit.

        Or if it takes more than the bytes: serdes that look at headers see one record after the other.
        """
        if node.key.facts.headers or node.value.facts.headers:
            return None
        read_key, read_value = node.key.read, node.value.read
        try:
            keys = [None if one is None else read_key(one) for one in self.keys]
            values = [None if one is None else read_value(one) for one in self.values]
        except ValueError:
            return None
        return Record.made_all(keys, values, self.times, self.headers, self.origins)


Reading = Callable[[RawRecord, bytes | None, bool], Record]
"""How a record is made of its row."""


def entering(node: Enter) -> Reading:
    """Readers of the records that come from another part of the stage."""
    read_key, read_value, changes = node.key.read, node.value.read, node.changes

    def read(raw: RawRecord, old: bytes | None, latest: bool) -> Record:
        _, ts, key, data, headers, origin = raw
        value = None if data is None else read_value(data)
        if changes:
            value = Change(value, None if old is None else read_value(old), latest)
        return Record.made(None if key is None else read_key(key), value, ts, headers, origin)

    return read


def _origins(sources: Sequence[int], offsets: Sequence[int], topic: Callable[[int], str]) -> list[str | None]:
    places = {one: f"{topic(one)}-{one & PARTITIONS}@" for one in set(sources)}
    pairs = zip(sources, offsets, strict=True)
    return [None if offset == _NOWHERE else f"{places[source]}{offset}" for source, offset in pairs]


def _headers(packed: bytes | None) -> tuple[Header, ...]:
    if packed is None:
        return ()
    parts = unpacked_parts(packed)
    return tuple(((name or b"").decode(), value) for name, value in zip(parts[::2], parts[1::2], strict=True))
