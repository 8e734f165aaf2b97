"""What runs inside the stages of a plan, and what hangs together there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from headrace.passes.split_subtopologies import split_subtopologies
from headrace.plan.graph import Plan
from headrace.plan.nodes import Errors, GlobalTable, Node, To, ToStream
from headrace.plan.nodes.lasting import Lasting


@dataclass(frozen=True)
class Grouping:
    """The nodes of a plan that run inside a stage, in groups that are in one stage each."""

    plan: Plan

    @cached_property
    def inside(self) -> set[Node]:
        """The nodes that run inside a stage."""
        kept = {node for node in self.plan.nodes if _is_kept(node)}.union(self.timed, self.reading_failures)
        behind = _reached(self.plan.nodes, kept, lambda node: node.inputs)
        before = _reached(reversed(self.plan.nodes), kept, lambda node: self.plan.consumers[node])
        return kept | {node for node in behind & before if not (node.facts.cuts or _gathers(node))}

    @cached_property
    def reading_failures(self) -> dict[Node, Errors]:
        """The nodes whose failures are read as a stream, and by whom: the kernel goes on with the next record."""
        return {node: errors for errors in self.plan.of(Errors) for node in errors.of}

    @cached_property
    def timed(self) -> dict[Node, str]:
        """The nodes of tasks whose time deletes rows, with its name: every record that such a task takes moves it."""
        return {
            node: part.nodes[0].name
            for part in split_subtopologies(self.plan)
            if any(isinstance(node, Lasting) and node.ttl_ms is not None for node in part.nodes)
            for node in part.nodes
            if not (node.facts.cuts or isinstance(node, To))
        }

    @cached_property
    def groups(self) -> dict[Node, set[Node]]:
        """For each node inside a stage, all that it hangs together with there."""
        groups: dict[Node, set[Node]] = {}
        for node in self.plan.nodes:
            if node in self.inside:
                joined = {node}.union(*(groups[upstream] for upstream in node.inputs if upstream in self.inside))
                groups.update(dict.fromkeys(joined, joined))
        return groups

    def group(self, node: Node) -> set[Node]:
        """All that is in one stage with a node; it alone if it runs natively."""
        return self.groups.get(node, {node})

    @cached_property
    def steps(self) -> dict[Node, int]:
        """The number of each node's stage or native stretch."""
        steps: dict[Node, int] = {}
        waiting = list(self.plan.nodes)
        while waiting:
            ready = [node for node in waiting if self.before(node) <= steps.keys()]
            assert ready, "a plan has no circles"
            for node in ready:
                after = max((steps[upstream] for upstream in self.before(node)), default=0)
                steps[node] = after + 1 if node in self.inside else after
            waiting = [node for node in waiting if node not in steps]
        return steps

    def before(self, node: Node) -> set[Node]:
        """What has to have its place before a node can have one."""
        members = self.group(node)
        return {upstream for member in members for upstream in member.inputs} - members


def _is_kept(node: Node) -> bool:
    """Whether a node has to be inside; a global table is read natively, and kept by a node of its own."""
    if isinstance(node, GlobalTable):
        return False
    return node.facts.stateful or node.facts.table or _takes_changes(node)


def _gathers(node: Node) -> bool:
    """Whether it stands beside several operators, which may be in different stages."""
    return node.facts.beside is not None and len(node.inputs) > 1


def _takes_changes(node: Node) -> bool:
    passes = isinstance(node, ToStream) or node.facts.cuts or node.facts.beside is not None
    return not passes and any(upstream.facts.table for upstream in node.inputs)


def _reached(nodes: Iterable[Node], kept: set[Node], neighbours: Callable[[Node], tuple[Node, ...]]) -> set[Node]:
    """The nodes next to which is one that is kept, or reached itself; nothing is reached through a cut."""
    reached: set[Node] = set()
    for node in nodes:
        if any(one in kept or (one in reached and not one.facts.cuts) for one in neighbours(node)):
            reached.add(node)
    return reached
