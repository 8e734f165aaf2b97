"""Queue numbers: where rows wait for a task, and where each record was read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from headrace.model.queue_bits import BEHIND, NUMBERS, ON_TIME, PARTITIONS, PLACE, TOPIC
from headrace.plan.graph import Plan
from headrace.plan.nodes import Node, Repartition, Source
from headrace.spark.compile.sql import text


@dataclass(frozen=True)
class QueueNumbers:
    """The queues of a plan: one for each partition of a topic, and one for each task that sends to a repartition.

    A queue's number begins with its place, in which queues go at equal times: topics in the order of the plan, then
    what the tasks send one another.
    """

    plan: Plan

    def of_record(self) -> str:
        """SQL for the queue of a row as Kafka's source gives it."""
        cases = []
        for (node, topic), place in self._places.items():
            if isinstance(node, Source) and node.pattern is None:
                cases.append(f"WHEN topic = {text(topic)} THEN {place << PLACE}L")
        for (node, _), place in self._places.items():
            if isinstance(node, Source) and node.pattern is not None:
                matches = f"topic RLIKE {text(f'^(?:{node.pattern})$')}"
                cases.append(f"WHEN {matches} THEN {place << PLACE}L + (hash(topic) & {NUMBERS}L) * {1 << TOPIC}L")
        return f"CASE {' '.join(cases)} END + partition"

    def of_repartition(self, node: Repartition, edge: int, *, behind_a_stage: bool) -> dict[str, str]:
        """SQL for the turn and the queue of a row that a task sends to a repartition on an edge.

        Behind a stage all rows of a task are in the order in which it takes its records, also those that only pass by:
        they wait in one queue, in that order. What the stage held back, and sends on late, does not wait for those that
        are on time. Rows that no stage has brought into one order, of several topics, go in the order of these.
        """
        place = f"{self._places[node, ''] << PLACE}L"
        if behind_a_stage:
            late = f"queue & {BEHIND | ON_TIME}L = {BEHIND}L"
            return {
                "turn": f"if({late}, turn, hr_turn({edge}L, turn))",
                "queue": f"if({late}, queue, {place} + `group`)",
            }
        topic = f"(shiftright(queue, {PLACE}) & {NUMBERS}L) * {1 << TOPIC}L"
        return {"queue": f"{place} + {topic} + (queue & {PARTITIONS}L)"}

    def places(self, source: Source) -> dict[int, str]:
        """The places of a source's topics with their names; of a pattern's topics, the pattern."""
        return {place: topic or str(source.pattern) for (node, topic), place in self._places.items() if node is source}

    def topics(self) -> dict[int, str]:
        """The places of all topics with their names; of a pattern's topics, the pattern between slashes."""
        return {
            place: name if source.pattern is None else f"/{name}/"
            for source in self.plan.of(Source)
            for place, name in self.places(source).items()
        }

    def where(self) -> str:
        """SQL for the topic-partition@offset that a row comes from."""
        return f"hr_where(source, offset, {text(json.dumps(self.topics()))})"

    @cached_property
    def _places(self) -> dict[tuple[Node, str], int]:
        return {waiting: place for place, waiting in enumerate(self._waiting())}

    def _waiting(self) -> Iterator[tuple[Node, str]]:
        for source in self.plan.of(Source):
            yield from ((source, topic) for topic in source.topics or ("",))
        for repartition in self.plan.of(Repartition):
            yield repartition, ""
