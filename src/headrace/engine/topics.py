"""Topics that a plan reads and writes, and how their records are shared among tasks."""

from __future__ import annotations

from collections.abc import Iterable

from headrace.errors import TopicMissing
from headrace.log.topics import Topics
from headrace.passes.split_subtopologies import split_subtopologies
from headrace.plan.graph import Plan
from headrace.plan.nodes import Changelog, Repartition, Source, To
from headrace.plan.task_assignment import Sharing

DEFAULT_TASKS = 4


def topics_of(sources: Iterable[Source], topics: Topics) -> list[str]:
    """The topics that sources read: those they name, and those that match their patterns now."""
    return [
        topic for source in sources for topic in (topics.matching(source.pattern) if source.pattern else source.topics)
    ]


def written_topics(plan: Plan, letters: str | None) -> list[str]:
    """The topics that the plan names to write to, and that of dead letters, without changelogs."""
    named = [to.topic for to in plan.of(To) if isinstance(to.topic, str) and not isinstance(to, Changelog)]
    return [*named, letters] if letters else named


def share(plan: Plan, topics: Topics) -> Sharing:
    """As many tasks as the largest topic has partitions.

    Records stay with their partition where all topics that come together have equally many: one slow partition then
    holds up no other. Where they differ, are not known in advance, or meet records that were repartitioned, they go by
    key: nobody knows by which rule their producers chose the partitions.
    """
    found = topics.partitions(topics_of(plan.of(Source), topics))
    counts = {topic: count for topic, count in found.items() if count is not None}
    missing = [topic for source in plan.of(Source) for topic in source.topics if topic not in counts]
    if missing:
        raise TopicMissing(missing, topics.address)
    partitions: dict[str, dict[str, int] | None] = {}
    for part in split_subtopologies(plan):
        sources = [node for node in part.nodes if isinstance(node, Source)]
        together = {counts.get(topic) for source in sources for topic in source.topics}
        met = any(upstream.facts.cuts for node in part.nodes for upstream in node.inputs)
        stays = len(together) == 1 and not met and not any(source.pattern for source in sources)
        stateful = any(node.facts.stateful and not node.facts.everywhere for node in part.nodes)
        for source in sources:
            there = {topic: counts[topic] for topic in source.topics}
            partitions[source.name] = {} if not stateful else there if stays else None
    asked = [node.partitions for node in plan.of(Repartition) if node.partitions]
    return Sharing(max([*counts.values(), *asked], default=DEFAULT_TASKS), partitions)
