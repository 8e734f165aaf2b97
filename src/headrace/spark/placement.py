"""Where each node of a plan runs on Spark: stages, and the native stretches between them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from headrace.plan.graph import Plan
from headrace.plan.nodes import Node


class Lane(Enum):
    """How a node runs."""

    NATIVE = "native"
    """Catalyst, before or after a stage."""

    KERNEL = "kernel"
    """The JVM, inside a stage, one record at a time."""


@dataclass(frozen=True)
class Edge:
    """The way from a node to one that reads it. Rows on it carry its number as their tag."""

    number: int
    start: Node
    end: Node


@dataclass(frozen=True)
class Placement:
    """A plan laid out as `native 0 -> stage 1 -> native 1 -> stage 2 -> ...`.

    A node with a store runs in the stage after everything it reads from. Any other node runs natively, as early as
    its inputs allow: stretch 0 follows the source, stretch n follows stage n.
    """

    plan: Plan

    @cached_property
    def step(self) -> dict[Node, int]:
        """The number of each node's stage or native stretch."""
        steps: dict[Node, int] = {}
        for node in self.plan.nodes:
            after = max((steps[upstream] for upstream in node.inputs), default=0)
            steps[node] = after + 1 if node.facts.stateful else after
        return steps

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """All edges, numbered."""
        pairs = [(upstream, node) for node in self.plan.nodes for upstream in node.inputs]
        return tuple(Edge(number, start, end) for number, (start, end) in enumerate(pairs))

    def inputs(self, node: Node) -> tuple[Edge, ...]:
        """The edges a node reads from, in the order of its inputs."""
        return tuple(edge for edge in self.edges if edge.end is node)

    def outputs(self, node: Node) -> tuple[Edge, ...]:
        """The edges a node writes to."""
        return tuple(edge for edge in self.edges if edge.start is node)

    @property
    def stages(self) -> int:
        """How many stages there are."""
        return max(self.step.values())

    def lane(self, node: Node) -> Lane:
        """How a node runs."""
        return Lane.KERNEL if node.facts.stateful else Lane.NATIVE

    def stage(self, number: int) -> tuple[Node, ...]:
        """The nodes inside a stage."""
        return self._at(number, Lane.KERNEL)

    def stretch(self, number: int) -> tuple[Node, ...]:
        """The nodes that run natively behind a stage, or behind the source for 0."""
        return self._at(number, Lane.NATIVE)

    def _at(self, number: int, lane: Lane) -> tuple[Node, ...]:
        return tuple(node for node in self.plan.nodes if self.step[node] == number and self.lane(node) is lane)
