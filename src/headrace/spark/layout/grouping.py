"""Grouping of nodes into stages: stateful nodes, and all that must share their task."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from headrace.errors import SharedStoreInCircle
from headrace.passes.split_subtopologies import split_subtopologies
from headrace.plan.graph import Plan
from headrace.plan.nodes import Errors, Node, To, ToStream
from headrace.plan.nodes.expiring import Lasting
from headrace.plan.placement_nodes import Everywhere, is_global
from headrace.spark.layout.lanes import failures_of_repartitions, gathers, goes_by_task_time, python_nodes, reached


@dataclass(frozen=True)
class Grouping:
    """The nodes of a plan that run inside a stage, in groups that are in one stage each."""

    plan: Plan

    @cached_property
    def inside(self) -> set[Node]:
        """The nodes that run inside a stage."""
        kept = {node for node in self.plan.nodes if _is_kept(node)}.union(self.timed)
        # The code of a repartition runs at the end of the stage in front of it.
        kept |= {node.inputs[0] if node.facts.cuts else node for node in self.reading_failures}
        kept -= self.python.keys()
        behind = reached(self.plan.nodes, kept, lambda node: node.inputs, self._is_beyond)
        before = reached(reversed(self.plan.nodes), kept, lambda node: self.plan.consumers[node], self._is_beyond)
        between = {node for node in behind & before if not (self._is_beyond(node) or gathers(node))}
        return kept | between | {node for node in self.python if not (node.facts.cuts or is_global(node))}

    @cached_property
    def python(self) -> dict[Node, str]:
        """The nodes that run in Python, each with the reason."""
        return python_nodes(self.plan)

    def alike(self, node: Node, other: Node) -> bool:
        """Whether two nodes run in one lane."""
        return (node in self.python) == (other in self.python)

    def _is_beyond(self, node: Node) -> bool:
        return node.facts.cuts or node in self.python

    @cached_property
    def reading_failures(self) -> dict[Node, Errors]:
        """The nodes whose failures are read as a stream, and by whom: the kernel goes on with the next record."""
        return {node: errors for errors in self.plan.of(Errors) for node in errors.of}

    @cached_property
    def timed(self) -> dict[Node, str]:
        """The nodes of tasks whose time deletes rows, with its name: every record that such a task takes moves it."""
        later = failures_of_repartitions(self.plan)
        return {
            node: part.nodes[0].name
            for part in split_subtopologies(self.plan)
            if any(isinstance(node, Lasting) and node.ttl_ms is not None for node in part.nodes)
            for node in part.nodes
            if not (node.facts.cuts or isinstance(node, To) or node in later)
        }

    @cached_property
    def groups(self) -> dict[Node, set[Node]]:
        """Group of each node inside a stage: all nodes that must share its stage."""
        groups: dict[Node, set[Node]] = {}
        for node in self.plan.nodes:
            if node in self.inside:
                together = (one for one in node.inputs if one in self.inside and self.alike(one, node))
                joined = {node}.union(*(groups[one] for one in together), *self._sharing(node, groups))
                groups.update(dict.fromkeys(joined, joined))
        return groups

    def _sharing(self, node: Node, groups: dict[Node, set[Node]]) -> list[set[Node]]:
        """Nodes before a node that share its Python task: by a store, or by stream time."""
        return [groups[one] for one in self._in_task.get(node, ()) if one in groups]

    @cached_property
    def _in_task(self) -> dict[Node, list[Node]]:
        """For each node in Python, those that have to be in its stage though no record goes from one to another.

        What gathered rows go to comes later than those who left them out, as do the failures of a repartition.
        """
        gathering = {node for node in self.plan.nodes if gathers(node)}
        later = reached(self.plan.nodes, gathering, lambda node: node.inputs) | failures_of_repartitions(self.plan)
        found: dict[Node, list[Node]] = {}
        for part in split_subtopologies(self.plan):
            timed = any(map(goes_by_task_time, part.nodes))
            members = [one for one in part.nodes if one in self.python and one in self.inside and one not in later]
            for node in members:
                stores = set(node.shared_stores)
                found[node] = [one for one in members if timed or stores.intersection(one.shared_stores)]
        return found

    def group(self, node: Node) -> set[Node]:
        """Group of a node: all that is in one stage with it; it alone if it runs natively."""
        return self.groups.get(node, {node})

    @cached_property
    def steps(self) -> dict[Node, int]:
        """The number of each node's stage or native stretch."""
        steps: dict[Node, int] = {}
        waiting = list(self.plan.nodes)
        while waiting:
            ready = [node for node in waiting if self.before(node) <= steps.keys()]
            if not ready:
                sharing = [node for node in waiting if node.shared_stores and node in self.python]
                raise SharedStoreInCircle([node.name for node in sharing], [node.origin for node in sharing])
            for node in ready:
                after = max((steps[upstream] for upstream in self.before(node)), default=0)
                own = node.stage if isinstance(node, Everywhere) else after + 1
                steps[node] = own if node in self.inside else after
            waiting = [node for node in waiting if node not in steps]
        return steps

    def before(self, node: Node) -> set[Node]:
        """Nodes that are placed before a node can be."""
        members = self.group(node)
        return {upstream for member in members for upstream in member.inputs} - members


def _is_kept(node: Node) -> bool:
    """Whether a node has to be inside."""
    return not is_global(node) and (node.facts.stateful or node.facts.table or _takes_changes(node))


def _takes_changes(node: Node) -> bool:
    passes = isinstance(node, ToStream) or node.facts.cuts or node.facts.side_output is not None
    return not passes and any(upstream.facts.table for upstream in node.inputs)
