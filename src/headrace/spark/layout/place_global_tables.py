"""Place global tables: each stage that looks something up in one holds it in full."""

from __future__ import annotations

from dataclasses import replace

from headrace.plan.graph import Plan
from headrace.plan.nodes import Node, Source
from headrace.plan.placement_nodes import Everywhere, global_sources, is_global
from headrace.spark.layout.grouping import Grouping


def place_global_tables(plan: Plan) -> Plan:
    """A plan in which each stage that reads a global table, or may look into a global store, has one of its own."""
    steps, placed, rewritten = Grouping(plan).steps, _Placed(), dict[Node, Node]()
    sources = global_sources(plan)
    for node in plan.nodes:
        tables: dict[Node, Node] = {one: placed.read(one, steps[node]) for one in node.inputs if is_global(one)}
        rewritten[node] = node.with_inputs({**rewritten, **tables})
        for name in node.read_everywhere:
            placed.at(sources[name], steps[node])
    for end in plan.ends:
        if is_global(end) and not placed.has(end):
            placed.at(end, 1)
    ends = tuple(rewritten[end] for end in plan.ends if not is_global(end))
    declared = tuple(rewritten[node] for node in plan.declared if node in rewritten)
    return replace(plan, ends=(*ends, *placed.unread), declared=(*declared, *placed.unread))


class _Placed:
    """Stages of nodes."""

    def __init__(self) -> None:
        self._copies: dict[tuple[Node, int], Everywhere] = {}
        self._read: set[Node] = set()

    def at(self, source: Node, stage: int) -> Node:
        """The one of a stage."""
        assert isinstance(source, Source)
        name = f"{source.name} in stage {stage}"
        copy = Everywhere(name=name, origin=source.origin, upstream=source, stage=stage)
        return self._copies.setdefault((source, stage), copy)

    def read(self, source: Node, stage: int) -> Node:
        """Copy of a global table in a stage, for a node that reads its rows."""
        copy = self.at(source, stage)
        self._read.add(copy)
        return copy

    def has(self, source: Node) -> bool:
        """Whether it is in any stage."""
        return any(one is source for one, _ in self._copies)

    @property
    def unread(self) -> tuple[Node, ...]:
        """Global tables that no other node reads."""
        return tuple(one for one in self._copies.values() if one not in self._read)
