"""Table rows as cells of the kernel, written as its operators would, to fill stores from outside."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from headrace.model.windows import UnlimitedWindows
from headrace.plan.nodes import (
    Aggregate,
    Count,
    Node,
    Reduce,
    SessionWindowed,
    TableAggregate,
    TableFilter,
    TableMapValues,
    TableReduce,
    TableSource,
    TimeWindowed,
    ToTable,
)
from headrace.plan.nodes.expiring import Lasting
from headrace.plan.nodes.windowed import WindowedAggregation
from headrace.plan.schema import Field
from headrace.serde import Serde
from headrace.spark.compile.sql import decode, packed, packed_key
from headrace.spark.layout.placement import Placement
from headrace.spark.session.spark import Session
from headrace.state.cells import sized, time_bytes

MEMORY = "memory"

_PLAIN = (Aggregate, Count, Reduce, TableAggregate, TableFilter, TableMapValues, TableReduce, TableSource, ToTable)
_AT_ONCE = 10_000
_long = struct.Struct(">q").pack


@dataclass(frozen=True)
class TableRow:
    """A row of a table, with its key and value as they are in a topic, and the task that it belongs to."""

    task: int
    key: bytes
    """Without the window."""

    value: bytes
    ts: int
    time: int = 0
    """By which its window is forgotten: the start of a window, the end of a session."""

    start: int = 0
    """Of a session."""


def obstacle(node: Node, placement: Placement) -> str | None:
    """Why the store of a node cannot be filled; None if it can."""
    if node in placement.python:
        return f"{node.name} runs in Python ({placement.python[node]})"
    if isinstance(node, Lasting) and node.ttl_ms is not None:
        return f"{node.name} has a ttl, which Kafka Streams does not know"
    if isinstance(node, WindowedAggregation) and node.final:
        return f"{node.name} sends on final results alone, and its changelog does not tell which were sent"
    if isinstance(node, WindowedAggregation) and isinstance(node.windows, UnlimitedWindows):
        return f"{node.name} has a window without end"
    if type(node) not in (*_PLAIN, TimeWindowed, SessionWindowed):
        return f"what {node.name} ({node.op}) keeps has another form in Kafka Streams"
    return None


def inner_key(node: Node) -> Field:
    """The key of a table, without the window."""
    return node.upstream.output().key if isinstance(node, WindowedAggregation) else node.output().key


def cells(
    session: Session, node: Node, rows: Iterable[TableRow], key: Serde[Any], value: Serde[Any]
) -> Iterator[list[tuple[int, bytes, bytes]]]:
    """The cells of a table's rows, many at a time: of each its task, key and value.

    Keys and values come in the bytes of these serdes; Spark writes them as rows travel.
    """
    as_kept = [
        f"{packed_key(inner_key(node), decode(key, 'key'))} AS key",
        f"{packed(node.output().value.type, decode(value, 'value'))} AS value",
    ]
    left = iter(rows)
    while some := list(islice(left, _AT_ONCE)):
        given = session.createDataFrame([(row.key, row.value) for row in some], "key binary, value binary")
        found = given.coalesce(1).selectExpr(*as_kept).collect()
        yield [
            (row.task, _place(node, row, bytes(one.key)), _long(row.ts) + bytes(one.value))
            for row, one in zip(some, found, strict=True)
        ]


def memories(node: Node, store: str, newest: int | None, stream_time: int | None) -> Mapping[bytes, bytes]:
    """Memory of a windowed table's operator, once it has rows up to the newest."""
    known = {f"{store}/newest": newest, f"{node.name}/stream time": stream_time}
    return {place.encode(): _long(number) for place, number in known.items() if number is not None}


def _place(node: Node, row: TableRow, key: bytes) -> bytes:
    if not isinstance(node, WindowedAggregation):
        return key
    place = time_bytes(row.time // _chunk(node) * _chunk(node)) + sized(key) + time_bytes(row.time)
    return place + time_bytes(row.start) if isinstance(node, SessionWindowed) else place


def _chunk(node: WindowedAggregation) -> int:
    """How long the windows are that lie together, as `TimeWindowed` and `SessionWindowed` of the kernel say it."""
    if isinstance(node, TimeWindowed):
        return node.windows.advance_ms
    assert isinstance(node, SessionWindowed)
    return max(1, node.windows.gap_ms, node.kept_ms // 8)
