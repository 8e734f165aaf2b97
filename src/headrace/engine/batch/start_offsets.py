"""Start offsets of the topics of an application that starts for the first time."""

from __future__ import annotations

from headrace.engine.topics import topics_of
from headrace.log.topics import Topics
from headrace.plan.graph import Plan
from headrace.plan.nodes import Source, Start
from headrace.spark.compile.source import BEGINNING, Starts


def ends(plan: Plan, topics: Topics) -> dict[str, dict[str, int]]:
    """The ends of those topics that are to be read from there, by partition."""
    return {
        topic: {str(partition): end for partition, end in topics.end_offsets(topic, committed=True).items()}
        for source in plan.of(Source)
        if source.start is Start.LATEST
        for topic in topics_of([source], topics)
    }


def all_starts(plan: Plan, topics: Topics, known: Starts) -> Starts:
    """The first offsets of all topics: what is not known is read from its beginning; {} if that is true of all."""
    if not known:
        return {}
    counts = topics.partitions(topics_of(plan.of(Source), topics))
    return {
        topic: {str(number): known.get(topic, {}).get(str(number), BEGINNING) for number in range(count or 0)}
        for topic, count in counts.items()
    }
