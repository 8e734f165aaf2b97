"""How records come in from a task of Spark."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import cast

from headrace.lane.frames import Reader, letter_parts
from headrace.lane.nodes import Enter
from headrace.model.change import Change
from headrace.model.record import Header, RawRecord, Record

_PLACE, _PARTITION = 40, (1 << 24) - 1

Rows = tuple[list[RawRecord], Sequence[bytes | None], Sequence[bool]]
"""Records, and of changes of a table their old values and whether they are the latest."""

Reading = Callable[[RawRecord, bytes | None, bool], Record]
"""How a record is made of its row."""


def read_rows(chunk: Reader, count: int, topics: Mapping[int, str]) -> Rows:
    """The records of a chunk. They are plain tuples, which is all that a `RawRecord` is."""
    times, sources, offsets = chunk.int64s(count), chunk.int64s(count), chunk.int64s(count)
    keys, values, olds = chunk.column(count), chunk.column(count), chunk.column(count)
    headers, outdated = chunk.column(count), chunk.column(count)
    nothing: list[None] = [None] * count
    unpacked = [()] * count if headers is None else [_headers(one) for one in headers]
    origins = _origins(sources, offsets, topics)
    raws = zip(repeat("", count), times, keys or nothing, values or nothing, unpacked, origins, strict=True)
    latest = [True] * count if outdated is None else [one is None for one in outdated]
    return cast("list[RawRecord]", list(raws)), olds or nothing, latest


def entering(node: Enter) -> Reading:
    """How the records of another part are made of their bytes."""
    read_key, read_value, changes = node.key.read, node.value.read, node.changes

    def read(raw: RawRecord, old: bytes | None, latest: bool) -> Record:
        _, ts, key, data, headers, origin = raw
        value = None if data is None else read_value(data)
        if changes:
            value = Change(value, None if old is None else read_value(old), latest)
        return Record.made(None if key is None else read_key(key), value, ts, headers, origin)

    return read


def _origins(sources: Sequence[int], offsets: Sequence[int], topics: Mapping[int, str]) -> list[str]:
    """Where records were read: topic-partition@offset."""
    places = {one: f"{topics.get(one >> _PLACE, '?')}-{one & _PARTITION}@" for one in set(sources)}
    return [f"{places[source]}{offset}" for source, offset in zip(sources, offsets, strict=True)]


def _headers(packed: bytes | None) -> tuple[Header, ...]:
    if packed is None:
        return ()
    parts = letter_parts(packed)
    return tuple(((name or b"").decode(), value) for name, value in zip(parts[::2], parts[1::2], strict=True))
