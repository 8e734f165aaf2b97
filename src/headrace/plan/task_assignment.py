"""Task assignment: how the records of an application are shared among its tasks."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.plan.nodes import Source
from headrace.plan.subtopology import SubTopology


@dataclass(frozen=True)
class Sharing:
    """The number of tasks, and for each source by which rule its records find theirs.

    A source has here the partitions of its topics if its records go to the task of their partition and meet a store
    there, None if they go to the task of their key, and nothing at all ({}) if it does not matter.
    """

    tasks: int
    partitions: dict[str, dict[str, int] | None]

    def goes_by_key(self, source: str) -> bool:
        """Whether the records of a source go to the task of their key."""
        return self.partitions[source] is None


def meeting(part: SubTopology) -> tuple[str, ...]:
    """The topics whose records meet others in the stores of a sub-topology, in words; none if they are alone.

    They find each other by key, however many partitions each topic has: nobody has to repartition them first.
    """
    if not any(node.facts.stateful for node in part.nodes):
        return ()
    sources = [node for node in part.nodes if isinstance(node, Source)]
    topics = [f"topics like {source.pattern}" for source in sources if source.pattern]
    topics += [topic for source in sources for topic in source.topics]
    moved = any(upstream.facts.cuts for node in part.nodes for upstream in node.inputs)
    many = len(topics) > 1 or any(source.pattern for source in sources)
    return tuple(topics) if many or (topics and moved) else ()
