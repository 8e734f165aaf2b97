"""A first start: refused where something tells of an earlier one whose checkpoint is not there."""

from __future__ import annotations

from collections.abc import Iterator

from headrace.engine.changelogs import existing_changelogs
from headrace.engine.ownership import has_records
from headrace.engine.topics import topics_of
from headrace.errors import CheckpointLost
from headrace.log.groups import Group
from headrace.log.topics import Topics
from headrace.plan.graph import Plan
from headrace.plan.nodes import Source


def refuse_lost_checkpoint(
    plan: Plan, place: str, topics: Topics, group: Group | None, *, beside: bool = False
) -> None:
    """Refuse to begin from zero what has read records before, as its `group` tells, or has written changelogs.

    Without a group positions do not count: they are those of a reset. What runs `beside` another is never reset.
    """
    found = [*_read(plan, topics, group), *_written(plan, topics)] if group else list(_written(plan, topics))
    if found:
        raise CheckpointLost(plan.app, place, found, beside=beside)


def _read(plan: Plan, topics: Topics, group: Group) -> Iterator[str]:
    counts = topics.partitions(dict.fromkeys(topics_of(plan.of(Source), topics)))
    places = [(topic, partition) for topic, count in counts.items() for partition in range(count or 0)]
    read = [f"{topic}-{partition} to {offset}" for (topic, partition), offset in group.among(places).items() if offset]
    if read:
        yield f"its consumer group has read {_first(read)}"


def _written(plan: Plan, topics: Topics) -> Iterator[str]:
    for found in existing_changelogs(plan, None, topics):
        if found.is_ours({}) and has_records(found.topic, topics):
            yield f"its changelog {found.topic} has rows"


def _first(places: list[str]) -> str:
    return places[0] if len(places) == 1 else f"{places[0]} and {len(places) - 1} more"
