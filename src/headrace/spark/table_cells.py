"""Table rows as cells of the kernel, written as its operators would, to fill stores from outside."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from headrace.plan.nodes import Node
from headrace.plan.schema import Field
from headrace.plan.state import FinalResults, Keys, StreamTime, TableRows, WindowRows
from headrace.serde import Serde
from headrace.spark.compile.sql import decode, packed, packed_key
from headrace.spark.layout.placement import Placement
from headrace.spark.session.spark import Session
from headrace.state.cells import sized, time_bytes

MEMORY = "memory"

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
    if any(isinstance(one, TableRows) and one.ttl_ms is not None for one in node.state):
        return f"{node.name} has a ttl, which Kafka Streams does not know"
    if any(isinstance(one, FinalResults) and one.wanted for one in node.state):
        return f"{node.name} sends on final results alone, and its changelog does not tell which were sent"
    if windows_of(node) is not None and node.forgets_after_ms is None:
        return f"{node.name} has a window without end"
    if not any(isinstance(one, TableRows | WindowRows) and one.adoptable for one in node.state):
        return f"what {node.name} ({node.op}) keeps has another form in Kafka Streams"
    return None


def windows_of(node: Node) -> WindowRows | None:
    """The windows that a node keeps, if it does."""
    return next((one for one in node.state if isinstance(one, WindowRows)), None)


def inner_key(node: Node) -> Field:
    """The key of a table, without the window."""
    windows = windows_of(node)
    return (node.inputs[0] if windows is not None and windows.keys is Keys.OF_INPUT else node).output().key


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


def memories(node: Node, newest: int | None, stream_time: int | None) -> Mapping[bytes, bytes]:
    """Memory of a windowed table's operator, once it has rows up to the newest."""
    windows, (time, *_) = windows_of(node), StreamTime().in_kernel(node.name).remembered
    if windows is None:
        return {}
    known = {windows.newest: newest, time: stream_time}
    return {"/".join(one.place).encode(): _long(number) for one, number in known.items() if number is not None}


def _place(node: Node, row: TableRow, key: bytes) -> bytes:
    windows = windows_of(node)
    if windows is None:
        return key
    chunk = row.time // windows.chunk_ms * windows.chunk_ms
    place = time_bytes(chunk) + sized(key) + time_bytes(row.time)
    return place + time_bytes(row.start) if windows.sessions else place
