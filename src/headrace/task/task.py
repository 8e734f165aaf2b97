"""One task: the operators of a sub-topology."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from headrace.errors import HeadraceError
from headrace.model.record import Record
from headrace.plan.graph import Plan
from headrace.plan.nodes import Node
from headrace.plan.subtopology import SubTopology
from headrace.task.context import Context, Taken, TaskTime
from headrace.task.operators import OPERATORS, Operator
from headrace.task.operators.base import Way, failure
from headrace.task.operators.source import way_into


class Task:
    """Takes one record at a time, and pushes it through all of its operators before the next."""

    def __init__(
        self,
        part: SubTopology,
        plan: Plan,
        context: Context,
        operators: Mapping[type[Node], type[Operator[Any]]] = OPERATORS,
    ) -> None:
        # By its first node: numbers shift when a topology grows.
        self._taken = context.memory.of(part.nodes[0].name, "stream time of the task", Taken)
        self._clock, self.time = context.clock, TaskTime(self._taken)
        context = replace(context, time=self.time, app_id=plan.app, task_id=f"{part.number}_{context.partition}")
        self.nodes = part.nodes
        self._operators: dict[Node, Operator[Any]] = {node: operators[type(node)](node, context) for node in part.nodes}
        for node, operator in self._operators.items():
            upstream = tuple(self._operators.get(one) for one in node.inputs)
            operator.connect(upstream, self._readers(plan, node, side_outputs=True if node.facts.cuts else None))
        cuts = {upstream for node in part.nodes for upstream in node.inputs if upstream.facts.cuts}
        sources = [node for node in part.nodes if not node.inputs]
        self._entries = {node: (way_into(self._operators[node]),) for node in sources} | {
            node: tuple(reader.entry(position) for reader, position in readers)
            for node in cuts
            if (readers := self._coming(plan, node))
        }
        for operator in self._operators.values():
            operator.start()
        # Before a restart the timers of processors were called up to here; like theirs, the new schedules begin at 0.
        self.time.stream.skip(self._taken.ms)

    def close(self) -> None:
        """Close all operators: no record comes any more."""
        for operator in self._operators.values():
            operator.close()

    def reads(self, node: Node) -> bool:
        """Whether records come in from a node: a source of this task, or a repartition in front of it."""
        return node in self._entries

    def way_in(self, node: Node) -> Way:
        """Entry of a record that comes from a cut: it is pushed through all operators."""
        ways, taken, before, behind = self._entries[node], self._taken, self.time.before, self.time.stream

        def take(record: Record) -> None:
            ts = record.ts
            try:
                if ts > taken.ms:
                    taken.ms = ts
                    if before.due:
                        before.run(ts)
                for way in ways:
                    way(record)
                if behind.due:
                    behind.run(taken.ms)
            except HeadraceError:
                raise
            except Exception as exc:
                raise failure(exc, record) from exc

        return take

    def tick(self) -> None:
        """The time of day has moved on: make the calls that are due."""
        self.time.tick(self._clock.steady_ms())

    def due_ms(self) -> int:
        """The time of day at which to tick again; NEVER if there is nothing to do then."""
        return self.time.due_ms(self._clock.steady_ms())

    def readers_of(self, node: Node) -> tuple[Operator[Any], ...]:
        """The operators that the records of a node come to first."""
        own = self._operators.get(node)
        readers = (one for one in self._operators.values() if node in one.node.inputs)
        return (own,) if own is not None else tuple(readers)

    def flush_of(self, node: Node) -> Callable[[], None] | None:
        """Flush of a node at the end of a batch; None if it holds back nothing, or is another task's."""
        operator = self._operators.get(node)
        return None if operator is None or type(operator).flush is Operator.flush else operator.flush

    def _coming(self, plan: Plan, cut: Node) -> tuple[tuple[Operator[Any], int], ...]:
        """Operators that take records from a cut: not those that read what a repartition of this task fails on."""
        return self._readers(plan, cut, side_outputs=False if cut in self._operators else None)

    def _readers(
        self, plan: Plan, node: Node, *, side_outputs: bool | None = None
    ) -> tuple[tuple[Operator[Any], int], ...]:
        """Readers of a node in this task, by input: all, those of its side outputs, or the others."""
        return tuple(
            (self._operators[reader], position)
            for reader in dict.fromkeys(plan.consumers[node])
            if reader in self._operators and side_outputs in (None, reader.facts.side_output is not None)
            for position, upstream in enumerate(reader.inputs)
            if upstream is node
        )
