"""One task: the operators of a sub-topology."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from headrace.model.record import Record
from headrace.plan.graph import Plan
from headrace.plan.nodes import Node
from headrace.plan.subtopology import SubTopology
from headrace.task.context import Context, TaskTime
from headrace.task.operators import OPERATORS, Operator


class Task:
    """Takes one record at a time, and pushes it through all of its operators before the next."""

    def __init__(self, part: SubTopology, plan: Plan, context: Context) -> None:
        self._clock, self._time = context.clock, TaskTime()
        context = replace(context, time=self._time)
        self._operators: dict[Node, Operator[Any]] = {node: OPERATORS[type(node)](node, context) for node in part.nodes}
        for node, operator in self._operators.items():
            upstream = tuple(self._operators.get(one) for one in node.inputs)
            operator.connect(upstream, () if node.facts.cuts else self._readers(plan, node))
        cuts = {upstream for node in part.nodes for upstream in node.inputs if upstream.facts.cuts}
        sources = [node for node in part.nodes if not node.inputs]
        self._entries = {node: (self._operators[node].on_record,) for node in sources} | {
            node: tuple(reader.way(position) for reader, position in self._readers(plan, node)) for node in cuts
        }

    def reads(self, node: Node) -> bool:
        """Whether records come in from a node: a source of this task, or a repartition in front of it."""
        return node in self._entries

    def take(self, node: Node, record: Record) -> None:
        """Push a record that comes in from a node through all operators."""
        time = self._time
        if record.ts > time.stream_ms:
            time.stream_ms = record.ts
        for way in self._entries[node]:
            way(record)
        time.stream.run(time.stream_ms)

    def tick(self) -> None:
        """The time of day has moved on: make the calls that are due."""
        self._time.wall.run(self._clock.now_ms())

    def flush(self, node: Node) -> bool:
        """The batch is over: let a node send on what it held back; False if the node is another task's."""
        operator = self._operators.get(node)
        if operator is not None:
            operator.flush()
        return operator is not None

    def _readers(self, plan: Plan, node: Node) -> tuple[tuple[Operator[Any], int], ...]:
        """Who reads from a node in this task, by which of their inputs."""
        return tuple(
            (self._operators[reader], position)
            for reader in dict.fromkeys(plan.consumers[node])
            if reader in self._operators
            for position, upstream in enumerate(reader.inputs)
            if upstream is node
        )
