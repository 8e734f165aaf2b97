"""Where each node of a plan runs on Spark: stages, and the native stretches between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from headrace.plan.graph import Plan
from headrace.plan.nodes import Node, Source, TableJoin, TableSource, ToStream, ToTable
from headrace.plan.nodes.materialized import unnamed_store
from headrace.plan.schema import Schema


class Lane(Enum):
    """How a node runs."""

    NATIVE = "native"
    """Catalyst, before or after a stage."""

    KERNEL = "kernel"
    """The JVM, inside a stage, one record at a time."""


@dataclass(frozen=True)
class Edge:
    """The way from a node to one that reads it. Rows on it carry its number as their tag.

    A source that runs inside a stage, as tables do, has an edge to itself: the records that were read for it.
    """

    number: int
    start: Node
    end: Node

    @property
    def schema(self) -> Schema:
        """The types of the rows on it: what the start makes, or leaves out of that."""
        return self.start.output() if self.end.facts.beside is None else self.end.output()


@dataclass(frozen=True)
class Placement:
    """A plan laid out as `native 0 -> stage 1 -> native 1 -> stage 2 -> ...`.

    Tables and all nodes with a store run inside a stage, and so does what lies between them: a record goes through all
    of it before the next one is taken. Nodes that hang together there are in one stage, the first behind everything
    they read. Any other node runs natively, as early as its inputs allow: stretch 0 follows the source, stretch n
    follows stage n.
    """

    plan: Plan

    @cached_property
    def step(self) -> dict[Node, int]:
        """The number of each node's stage or native stretch."""
        steps: dict[Node, int] = {}
        waiting = list(self.plan.nodes)
        while waiting:
            ready = [node for node in waiting if self._before(node) <= steps.keys()]
            assert ready, "a plan has no circles"
            for node in ready:
                after = max((steps[upstream] for upstream in self._before(node)), default=0)
                steps[node] = after + 1 if node in self._inside else after
            waiting = [node for node in waiting if node not in steps]
        return steps

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """All edges, numbered."""
        read = [(node, node) for node in self.plan.of(Source) if node in self._inside]
        pairs = read + [(upstream, node) for node in self.plan.nodes for upstream in node.inputs]
        return tuple(Edge(number, start, end) for number, (start, end) in enumerate(pairs))

    def inputs(self, node: Node) -> tuple[Edge, ...]:
        """The edges a node reads from, in the order of its inputs."""
        return tuple(edge for edge in self.edges if edge.end is node)

    def outputs(self, node: Node) -> tuple[Edge, ...]:
        """The edges a node writes to, in the order in which those who read it were declared."""
        edges = [edge for edge in self.edges if edge.start is node and edge.end is not node]
        return tuple(sorted(edges, key=lambda edge: self.plan.consumers[node].index(edge.end)))

    def reads_value(self, edge: Edge) -> bool:
        """Whether the values of the rows on an edge are looked at, by its end or by what stands beside that."""
        return edge.end.facts.reads_value or any(one.facts.beside for one in self.plan.consumers[edge.end])

    def read(self, source: Source) -> tuple[Edge, ...]:
        """The edges that the records of a source's topics are put on."""
        own = tuple(edge for edge in self.edges if edge.start is source and edge.end is source)
        return own or self.outputs(source)

    @property
    def stages(self) -> int:
        """How many stages there are."""
        return max(self.step.values())

    def lane(self, node: Node) -> Lane:
        """How a node runs."""
        return Lane.KERNEL if node in self._inside else Lane.NATIVE

    def stage(self, number: int) -> tuple[Node, ...]:
        """The nodes inside a stage."""
        return self._at(number, Lane.KERNEL)

    def stretch(self, number: int) -> tuple[Node, ...]:
        """The nodes that run natively behind a stage, or behind the source for 0."""
        return self._at(number, Lane.NATIVE)

    def _at(self, number: int, lane: Lane) -> tuple[Node, ...]:
        return tuple(node for node in self.plan.nodes if self.step[node] == number and self.lane(node) is lane)

    @cached_property
    def _inside(self) -> set[Node]:
        """The nodes that run inside a stage."""
        kept = {node for node in self.plan.nodes if node.facts.stateful or node.facts.table or _takes_changes(node)}
        behind = _reached(self.plan.nodes, kept, lambda node: node.inputs)
        before = _reached(reversed(self.plan.nodes), kept, lambda node: self.plan.consumers[node])
        return kept | {node for node in behind & before if not node.facts.cuts}

    @cached_property
    def _groups(self) -> dict[Node, set[Node]]:
        """For each node inside a stage, all that it hangs together with there."""
        groups: dict[Node, set[Node]] = {}
        for node in self.plan.nodes:
            if node in self._inside:
                joined = {node}.union(*(groups[upstream] for upstream in node.inputs if upstream in self._inside))
                groups.update(dict.fromkeys(joined, joined))
        return groups

    def _before(self, node: Node) -> set[Node]:
        """What has to have its place before a node can have one."""
        members = self._groups.get(node, {node})
        return {upstream for member in members for upstream in member.inputs} - members


def _takes_changes(node: Node) -> bool:
    return any(upstream.facts.table for upstream in node.inputs) and not isinstance(node, ToStream)


def _reached(nodes: Iterable[Node], kept: set[Node], neighbours: Callable[[Node], tuple[Node, ...]]) -> set[Node]:
    """The nodes next to which is one that is kept, or reached itself; nothing is reached through a cut."""
    reached: set[Node] = set()
    for node in nodes:
        if any(one in kept or (one in reached and not one.facts.cuts) for one in neighbours(node)):
            reached.add(node)
    return reached


def stores(node: Node) -> list[str]:
    """The stores of a node; a table that was given none keeps its rows as well, for somebody may ask for them."""
    unnamed = isinstance(node, TableSource | ToTable) or (isinstance(node, TableJoin) and node.settles)
    store = getattr(node, "store", None) or (unnamed_store(node) if unnamed else None)
    return [store] if store else []
