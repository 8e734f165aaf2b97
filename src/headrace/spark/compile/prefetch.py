"""Prefetch: the state of a record's key that goes along with it into Python."""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lane.nodes import Enter
from headrace.lane.program import Lookup, Program
from headrace.plan.nodes import (
    Aggregate,
    Cogroup,
    Count,
    Node,
    Process,
    Reduce,
    Source,
    StreamTableJoin,
    TableAggregate,
    TableReduce,
    TableSource,
    ToTable,
)
from headrace.plan.nodes.materialized import unnamed_store
from headrace.plan.stores import KeyValue
from headrace.spark.compile.lane_formats import key_serde

_KEYED = (Aggregate, Cogroup, Count, Reduce, TableAggregate, TableReduce, TableSource, ToTable)


def looked_up(program: Program) -> dict[int, tuple[Lookup, ...]]:
    """Stores by the tag of an entry: those that the keys of its records are likely to be looked up in."""
    return {
        tag: tuple(dict.fromkeys(_stores(program, node)))
        for tag, node in program.entries.items()
        if isinstance(node, Enter | Source)
    }


def _stores(program: Program, node: Node) -> Iterator[Lookup]:
    yield from _own(node)
    for reader in program.plan.consumers[node]:
        if reader.facts.rekeys or reader.facts.cuts:
            yield from _own(reader)
        else:
            yield from _stores(program, reader)


def _own(node: Node) -> Iterator[Lookup]:
    if isinstance(node, StreamTableJoin) and isinstance(node.table, TableSource | ToTable):
        yield from _own(node.table)
    if isinstance(node, _KEYED):
        key = key_serde(node.output().key)
        yield from [] if key is None else [Lookup(f"store.{node.store or unnamed_store(node)}", key)]
    if isinstance(node, Process):
        stores = (one.store for one in node.stores if isinstance(one.store, KeyValue))
        yield from (Lookup(f"store.{store.name}", store.key) for store in stores)
