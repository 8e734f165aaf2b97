"""The topics of an application before it starts: are they there, and how are their records shared among tasks?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headrace.errors import TopicMissing
from headrace.log.topics import Topics
from headrace.passes.split_subtopologies import split_subtopologies
from headrace.plan.graph import Plan
from headrace.plan.nodes import Repartition, Source, To


@dataclass(frozen=True)
class Sharing:
    """How many tasks there are, and which sources leave their records with the task of their partition."""

    tasks: int
    by_partition: dict[str, bool]


def ensure_topics(plan: Plan, topics: Topics, *, create: bool, say: Callable[[str], None]) -> None:
    """Every topic that the plan names exists afterwards: made if `create`, else it had to be there."""
    named = [topic for source in plan.of(Source) for topic in source.topics]
    named += [to.topic for to in plan.of(To) if isinstance(to.topic, str)]
    there = topics.partitions(dict.fromkeys(named))
    missing = [topic for topic, partitions in there.items() if partitions is None]
    if missing and not create:
        raise TopicMissing(missing, topics.address)
    for topic in missing:
        topics.create(topic)
        say(f"made topic {topic}")


def share(plan: Plan, topics: Topics) -> Sharing:
    """As many tasks as the largest topic has partitions.

    Records stay with their partition where all topics that come together have equally many: one slow partition then
    holds up no other. Where they differ, are not known in advance, or meet records that were repartitioned, they go by
    key: nobody knows by which rule their producers chose the partitions.
    """
    named = topics.partitions(topic for source in plan.of(Source) for topic in source.topics)
    counts = {topic: count for topic, count in named.items() if count is not None}
    by_partition: dict[str, bool] = {}
    for part in split_subtopologies(plan):
        sources = [node for node in part.nodes if isinstance(node, Source)]
        together = {counts.get(topic) for source in sources for topic in source.topics}
        met = any(upstream.facts.cuts for node in part.nodes for upstream in node.inputs)
        alike = len(together) == 1 and not met and not any(source.pattern for source in sources)
        by_partition |= {source.name: alike for source in sources}
    matched = [
        count
        for source in plan.of(Source)
        if source.pattern
        for count in topics.partitions(topics.matching(source.pattern)).values()
        if count is not None
    ]
    asked = [node.partitions for node in plan.of(Repartition) if node.partitions]
    return Sharing(max([*counts.values(), *matched, *asked], default=4), by_partition)
