"""Topics of an application before it starts: are they there, and how are their records shared among tasks?"""

from __future__ import annotations

from collections.abc import Callable

from headrace.engine.topics import written_topics
from headrace.errors import TopicMissing, TopicsOverlap
from headrace.log.topics import Topics
from headrace.plan.graph import Plan
from headrace.plan.nodes import Source


def ensure_topics(plan: Plan, topics: Topics, letters: str | None, *, create: bool, say: Callable[[str], None]) -> None:
    """All topics that the plan names, and that of dead letters, are there afterwards: made if `create`, or it fails.

    Changelogs are another matter.
    """
    read = [topic for source in plan.of(Source) for topic in source.topics]
    there = topics.partitions(dict.fromkeys([*read, *written_topics(plan, letters)]))
    missing = [topic for topic, partitions in there.items() if partitions is None]
    if missing and not create:
        raise TopicMissing(missing, topics.address)
    for topic in missing:
        topics.create(topic)
        say(f"made topic {topic}")


def refuse_overlaps(plan: Plan, topics: Topics) -> None:
    """A topic that two sources would read belongs to neither; with patterns this shows only on the broker."""
    sources = plan.of(Source)
    if not any(source.pattern for source in sources):
        return
    for name in topics.names():
        readers = [source for source in sources if source.reads(name)]
        if len(readers) > 1:
            raise TopicsOverlap([name], readers[0].origin, readers[1].origin)
