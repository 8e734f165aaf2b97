"""Break cycles between stages: what a returning record meets goes on to a later stage as well."""

from __future__ import annotations

from dataclasses import replace

from headrace.plan.graph import Plan
from headrace.plan.nodes import Node, VersionedTable, WindowedCogroup
from headrace.plan.old_values import sending_old
from headrace.plan.placement_nodes import Copy, Later, VersionedCopy
from headrace.spark.layout.grouping import Grouping


def break_cycles(plan: Plan) -> Plan:
    """A plan without circles between stages.

    A record that travels to another task and back comes to a later stage than the one that it left. There it may meet
    only what is there, too: streams go on to it, and of tables it has copies.
    """
    grouping = Grouping(plan)
    levels = _levels(grouping)
    ahead = _ahead(grouping, levels)
    return break_cycles(_moved(plan, levels, ahead)) if ahead else plan


def _moved(plan: Plan, levels: dict[Node, int], ahead: set[tuple[Node, Node]]) -> Plan:
    """The plan in which some nodes read later what others send on."""
    old = sending_old(plan)
    rewritten: dict[Node, Node] = {}
    moved: dict[tuple[Node, int], Node] = {}

    def later(upstream: Node, reader: Node) -> Node:
        level = levels[reader]
        if (upstream, level) not in moved:
            name, origin = f"{upstream.name} for {reader.name}", upstream.origin
            sent = Later(name=name, origin=origin, upstream=rewritten[upstream], sends_old=upstream in old)
            moved[upstream, level] = _copied(upstream, sent) if upstream.facts.table else sent
        return moved[upstream, level]

    for node in plan.nodes:
        inputs = {one: later(one, node) if (one, node) in ahead else rewritten[one] for one in node.inputs}
        rewritten[node] = node.with_inputs(inputs)
    ends = tuple(rewritten[end] for end in plan.ends)
    return replace(plan, ends=ends, declared=tuple(rewritten[node] for node in plan.declared if node in rewritten))


def _copied(table: Node, sent: Later) -> Copy:
    """A copy of a table, by what it sends on."""
    name = f"copy of {sent.name}"
    if not table.versioned:
        return Copy(name=name, origin=table.origin, upstream=sent)
    while not isinstance(table, VersionedTable | VersionedCopy):
        (table,) = table.inputs
    return VersionedCopy(name=name, origin=table.origin, upstream=sent, history_ms=table.history_ms)


def _levels(grouping: Grouping) -> dict[Node, int]:
    """The first stage or stretch in which each node could be if it were alone."""
    levels: dict[Node, int] = {}
    for node in grouping.plan.nodes:
        if node in grouping.inside:
            levels[node] = max((levels[one] + _steps(grouping, one, node) for one in node.inputs), default=1)
        else:
            levels[node] = max((levels[one] for one in node.inputs), default=0)
    for cogroup in grouping.plan.of(WindowedCogroup):  # its parts write to its store
        levels.update(dict.fromkeys(cogroup.parts, levels[cogroup]))
    return levels


def _steps(grouping: Grouping, upstream: Node, node: Node) -> int:
    """How many stages a node inside one is behind what it reads from, at least."""
    return int(upstream not in grouping.inside or not grouping.alike(upstream, node))


def _ahead(grouping: Grouping, levels: dict[Node, int]) -> set[tuple[Node, Node]]:
    """The edges inside one stage, or several, that lead out of a circle if they go on to a later one."""
    stages = {id(members): members for members in grouping.groups.values()}.values()
    crossing = [(members, edges) for members in stages if (edges := _crossing(members, levels))]
    circles = [edges for members, edges in crossing if _comes_back(grouping, members, records=True)]
    if circles:
        return set().union(*circles)
    # No record comes back to where it was, but stages wait for one another.
    return next((edges for members, edges in crossing if _comes_back(grouping, members, records=False)), set())


def _crossing(members: set[Node], levels: dict[Node, int]) -> set[tuple[Node, Node]]:
    """The edges of a stage whose ends could be in different ones."""
    edges = {(one, node) for node in members for one in node.inputs if one in members}
    return {(one, node) for one, node in edges if levels[one] != levels[node]}


def _comes_back(grouping: Grouping, members: set[Node], *, records: bool) -> bool:
    """Whether records that leave a stage come back to it; or something that waits for them, not only they."""
    consumers = grouping.plan.consumers
    waiting = [reader for member in members for reader in consumers[member] if reader not in members]
    seen: set[Node] = set()
    while waiting:
        node = waiting.pop()
        if node in members:
            return True
        if node not in seen:
            reached = {node} if records else grouping.group(node)
            seen |= reached
            waiting += [reader for one in reached for reader in consumers[one]]
    return False
