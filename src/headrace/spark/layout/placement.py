"""Placement of a plan on Spark: stages, and the native stretches between them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from headrace.plan.graph import Plan
from headrace.plan.nodes import (
    Errors,
    ForeignKeyMatch,
    ForeignKeySubscribe,
    Node,
    Repartition,
    Source,
    To,
)
from headrace.plan.nodes.side_outputs import UNDECODED
from headrace.plan.placement_nodes import is_global
from headrace.plan.schema import Field, Schema
from headrace.serde import BYTES
from headrace.spark.layout.grouping import Grouping
from headrace.spark.layout.stage_passes import rewrite_for_stages


class Lane(Enum):
    """Lane of a node: native, kernel or Python."""

    NATIVE = "native"
    """Catalyst, before or after a stage."""

    KERNEL = "kernel"
    """The JVM, inside a stage, one record at a time."""

    PYTHON = "python"
    """A Python process beside the stage, with the user's own code."""


@dataclass(frozen=True)
class Edge:
    """The way from a node to one that reads it. Rows on it carry its number as their tag.

    A source that runs inside a stage, as tables do, has an edge to itself: the records that were read for it.
    """

    number: int
    start: Node
    end: Node
    undecoded: bool = False
    """Whether the records of a source are on it as they lie in its topics: the kernel decodes them, or Python."""
    raw: bool = False
    """Whether it leads from Python to Python: nobody between looks into the bytes."""

    @property
    def schema(self) -> Schema:
        """The types of the rows on it: what the start makes, or leaves out of that."""
        if self.end.facts.side_output is not None:
            return self.end.output()
        if self.undecoded:
            return UNDECODED
        made = self.start.output()
        return Schema(made.key, Field.of(BYTES)) if _sends_letters(self.start) else made


@dataclass(frozen=True)
class Placement:
    """A plan laid out as `native 0 -> stage 1 -> native 1 -> stage 2 -> ...`.

    Tables and all nodes with a store run inside a stage, and so does what lies between them: a record goes through all
    of it before the next one is taken. Nodes that hang together there are in one stage, the first behind everything
    they read. Any other node runs natively, as early as its inputs allow: stretch 0 follows the source, stretch n
    follows stage n.
    """

    declared: Plan

    @cached_property
    def plan(self) -> Plan:
        """Plan that is laid out: the declared one, with the nodes that only stages need."""
        return rewrite_for_stages(self.declared)

    @cached_property
    def step(self) -> dict[Node, int]:
        """The number of each node's stage or native stretch."""
        return self._grouping.steps

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """Edges by their numbers."""
        read = [(node, node) for node in self.plan.of(Source) if node in self._grouping.inside]
        pairs = read + [(upstream, node) for node in self.plan.nodes for upstream in node.inputs]
        return tuple(
            Edge(number, start, end, self._is_undecoded(start, end), self._is_raw(start, end))
            for number, (start, end) in enumerate(pairs)
        )

    def _is_undecoded(self, start: Node, end: Node) -> bool:
        if is_global(start):
            return start in self.python
        return start is end and (start in self.reading_failures or start in self.python)

    def _is_raw(self, start: Node, end: Node) -> bool:
        cut = end if end.facts.cuts else start
        return cut.facts.cuts and cut in self.python and all(one in self.python for one in self.plan.consumers[cut])

    def inputs(self, node: Node) -> tuple[Edge, ...]:
        """The edges a node reads from, in the order of its inputs."""
        return tuple(edge for edge in self.edges if edge.end is node)

    def outputs(self, node: Node) -> tuple[Edge, ...]:
        """The edges a node writes to, in the order in which those who read it were declared."""
        edges = [edge for edge in self.edges if edge.start is node and edge.end is not node]
        return tuple(sorted(edges, key=lambda edge: self.plan.consumers[node].index(edge.end)))

    def goes_out(self, edge: Edge) -> bool:
        """Whether what goes on an edge comes to topics only, and to no stage any more."""
        if isinstance(edge.end, To):
            return True
        if edge.end in self.inside or edge.end.facts.cuts:
            return False
        return all(map(self.goes_out, self.outputs(edge.end)))

    def reads_value(self, edge: Edge) -> bool:
        """Whether the values of the rows on an edge are looked at, by its end or by a side output of that."""
        return (
            edge.end in self.python
            or edge.end.facts.reads_value
            or any(one.facts.takes_left_out for one in self.plan.consumers[edge.end])
        )

    def read(self, source: Source) -> tuple[Edge, ...]:
        """The edges that the records of a source's topics are put on."""
        own = tuple(edge for edge in self.edges if edge.start is source and edge.end is source)
        return own or self.outputs(source)

    @property
    def stages(self) -> int:
        """How many stages there are."""
        return max(self.step.values())

    def lane(self, node: Node) -> Lane:
        """Lane of a node."""
        if node in self.python:
            return Lane.PYTHON
        return Lane.KERNEL if node in self._grouping.inside else Lane.NATIVE

    @property
    def inside(self) -> set[Node]:
        """The nodes that run inside a stage."""
        return self._grouping.inside

    @property
    def python(self) -> dict[Node, str]:
        """The nodes that run in Python, each with the reason."""
        return self._grouping.python

    def stage(self, number: int, lane: Lane | None = None) -> tuple[Node, ...]:
        """The nodes inside a stage, of both lanes or of one."""
        members = (node for node in self._at(number) if node in self._grouping.inside)
        return tuple(node for node in members if lane in (None, self.lane(node)))

    def stretch(self, number: int) -> tuple[Node, ...]:
        """The nodes that run natively behind a stage, or behind the source for 0."""
        return tuple(node for node in self._at(number) if node not in self._grouping.inside)

    def sending(self, nodes: Iterable[Node]) -> tuple[Repartition, ...]:
        """The repartitions whose code runs in the stage of these nodes, from which they read.

        It is in Python, or its failures are read.
        """
        readers = dict.fromkeys(reader for node in nodes for reader in self.plan.consumers[node])
        return tuple(one for one in readers if isinstance(one, Repartition) and self.is_sent(one))

    def is_sent(self, repartition: Repartition) -> bool:
        """Whether it is such a one."""
        return repartition in self.python or repartition in self.reading_failures

    def _at(self, number: int) -> tuple[Node, ...]:
        return tuple(node for node in self.plan.nodes if self.step[node] == number)

    @property
    def reading_failures(self) -> dict[Node, Errors]:
        """The nodes whose failures are read as a stream, and by whom."""
        return self._grouping.reading_failures

    @property
    def timed(self) -> dict[Node, str]:
        """The nodes of tasks whose time deletes rows, with the name of that time."""
        return self._grouping.timed

    @cached_property
    def _grouping(self) -> Grouping:
        return Grouping(self.plan)


def _sends_letters(node: Node) -> bool:
    """Whether it sends on what only the kernel reads: questions of a foreign-key join, or answers to them."""
    while isinstance(node, Repartition):
        node = node.upstream
    return isinstance(node, ForeignKeySubscribe | ForeignKeyMatch)
