"""Tables that every task has in full: each stage that looks something up in one has it."""

from __future__ import annotations

from headrace.plan.graph import Plan
from headrace.plan.nodes import GlobalTable, Node
from headrace.plan.placed import Everywhere
from headrace.spark.grouping import Grouping


def place_globals(plan: Plan) -> Plan:
    """A plan in which each stage that reads a global table has one of its own."""
    steps = Grouping(plan).steps
    placed: dict[tuple[Node, int], Node] = {}
    rewritten: dict[Node, Node] = {}

    def place(table: GlobalTable, step: int) -> Node:
        name = f"{table.name} in stage {step}"
        return placed.setdefault((table, step), Everywhere(name=name, origin=table.origin, upstream=table))

    for node in plan.nodes:
        tables: dict[Node, Node] = {one: place(one, steps[node]) for one in node.inputs if isinstance(one, GlobalTable)}
        rewritten[node] = node.with_inputs({**rewritten, **tables})
    unread: dict[Node, Node] = {end: place(end, 1) for end in plan.ends if isinstance(end, GlobalTable)}
    ends = tuple(unread.get(end, rewritten[end]) for end in plan.ends)
    declared = tuple(rewritten[node] for node in plan.declared if node in rewritten)
    return Plan(plan.app, ends, (*declared, *unread.values()))
