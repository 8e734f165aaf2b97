"""Kernel spec: the nodes of a stage that run in the kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from headrace.plan.idle import idle_ms
from headrace.plan.nodes import Branch, Emit, Node, Repartition, SideOutput, To
from headrace.plan.nodes.expiring import Lasting
from headrace.plan.nodes.windowed import WindowedAggregation
from headrace.plan.old_values import sending_old
from headrace.plan.placement_nodes import Everywhere, Later
from headrace.plan.task_assignment import Sharing
from headrace.spark.compile.operators import OPERATORS, Functions, failures
from headrace.spark.compile.queues import QueueNumbers
from headrace.spark.compile.sql import label
from headrace.spark.compile.windows import is_queried
from headrace.spark.layout.placement import Edge, Placement
from headrace.spark.spec.stage import ELSEWHERE, Expiry, Going, Into, NodeSpec, Out, StageSpec, Way


def kernel_spec(
    placement: Placement, tags: Mapping[int, int], nodes: tuple[Node, ...], sharing: Sharing, number: int
) -> StageSpec:
    """The spec of some nodes of a stage; `tags` are those of the edges that lead into it."""
    functions = Functions(QueueNumbers(placement.plan).where(), sharing.tasks)
    members = _Members(placement, (*nodes, *placement.sending(nodes)))
    described = tuple(members.described(node, functions) for node in members.nodes)
    return StageSpec(
        number=number,
        nodes=described,
        entries=members.entries(tags),
        times=members.times(tags),
        functions=tuple(functions.texts),
    )


class _Members:
    """The nodes of a stage, each known by its place."""

    def __init__(self, placement: Placement, nodes: tuple[Node, ...]) -> None:
        self.nodes, self._placement = nodes, placement
        self._place = {node: place for place, node in enumerate(nodes)}
        self._old = sending_old(placement.plan)

    def entries(self, tags: Mapping[int, int]) -> dict[int, tuple[Into, ...]]:
        """The operators that rows go to, by their tags."""
        entries: dict[int, tuple[Into, ...]] = {}
        for edge, into in self._entering():
            tag = tags[edge.number]
            entries[tag] = (*entries.get(tag, ()), into)
        return entries

    def times(self, tags: Mapping[int, int]) -> dict[int, str]:
        """The names of the times that rows move, by their tags."""
        timed = self._placement.timed
        return {
            tags[edge.number]: timed[self.nodes[into.operator]]
            for edge, into in self._entering()
            if self.nodes[into.operator] in timed
        }

    def _entering(self) -> list[tuple[Edge, Into]]:
        return [
            (edge, Into(place, position))
            for node, place in self._place.items()
            for position, edge in enumerate(self._placement.inputs(node))
            if edge.start not in self._place or edge.start is node
        ]

    def described(self, node: Node, functions: Functions) -> NodeSpec:
        """The spec of one node."""
        placement = self._placement
        # What copies a table in a later stage goes first: it has to be there before anything that comes of the change.
        outputs = sorted(placement.outputs(node), key=lambda edge: not isinstance(edge.end, Later))
        results = [edge for edge in outputs if edge.end.facts.side_output is None]
        sends = isinstance(node, To | Repartition)  # what they send goes the way that leads to them
        errors = placement.reading_failures.get(node)
        return NodeSpec(
            name=node.name,
            label=label(node),
            op=node.op,
            inputs=tuple(self._place.get(upstream, ELSEWHERE) for upstream in node.inputs),
            ways=tuple(map(self._out, placement.inputs(node)) if sends else map(self._way, results)),
            side_outputs=self._side_outputs(outputs),
            stores=node.kept_stores,
            every_change=_sends_every_change(node),
            sends_old=node in self._old,
            idle_ms=idle_ms(node),
            looked_up=isinstance(node, WindowedAggregation) and is_queried(placement.plan, node),
            branches=tuple(edge.end.position for edge in results if isinstance(edge.end, Branch)),
            expiry=self._expiry(node),
            parameters=OPERATORS[type(node)](node, functions),
            failure=None if errors is None else failures(node, errors, functions),
        )

    def _side_outputs(self, outputs: Sequence[Edge]) -> dict[SideOutput, tuple[Way, ...]]:
        ways: dict[SideOutput, tuple[Way, ...]] = {}
        for edge in outputs:
            kind = edge.end.facts.side_output
            if kind is not None:
                ways[kind] = (*ways.get(kind, ()), self._way(edge))
        return ways

    def _way(self, edge: Edge) -> Way:
        if edge.end in self._place:
            return Into(self._place[edge.end], self._placement.inputs(edge.end).index(edge))
        return self._out(edge)

    def _out(self, edge: Edge) -> Out:
        if isinstance(edge.end, Later) or edge.end in self._placement.python:
            return Out(edge.number, Going.LATER)
        return Out(edge.number, Going.OUT if self._placement.goes_out(edge) else Going.ON)

    def _expiry(self, node: Node) -> Expiry | None:
        if isinstance(node, Lasting) and node.ttl_ms is not None:
            return Expiry(node.ttl_ms, self._placement.timed[node])
        return None


def _sends_every_change(node: Node) -> bool:
    table = node.upstream if isinstance(node, Everywhere) else node
    return getattr(table, "emit", None) is Emit.EVERY
