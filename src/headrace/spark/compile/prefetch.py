"""Prefetch: the state of a record's key that goes along with it into Python."""

from __future__ import annotations

from collections.abc import Iterator

from headrace.lane.nodes import Enter
from headrace.lane.program import Lookup, Program
from headrace.plan.nodes import Node, Source
from headrace.plan.schema import Field
from headrace.spark.compile.lane_formats import key_serde


def prefetched(program: Program) -> dict[int, tuple[Lookup, ...]]:
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
    for one in node.prefetched:
        key = key_serde(one.key) if isinstance(one.key, Field) else one.key
        if key is not None:
            yield Lookup(f"store.{one.store}", key)
