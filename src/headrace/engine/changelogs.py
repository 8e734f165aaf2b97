"""The changelogs of an application's stores: topics that it makes by itself, wherever its broker is."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from headrace.engine.layout import CheckpointLayout
from headrace.engine.ownership import FoundChangelog, Ids, found_changelogs, has_records, refuse_foreign, settings_of
from headrace.engine.place import writing
from headrace.errors import ChangelogMisfit, NotAllowed
from headrace.log.partitioner import partition_of
from headrace.log.records import ConsumedRecord, NewRecord, consume, possible_time, produce
from headrace.log.topics import BROKERS_CHOICE, Topics
from headrace.plan.graph import Plan
from headrace.plan.nodes import Changelog
from headrace.plan.nodes.to import changelog_topic

STATE = ""
"""What stands for a store in the mark of the topic that holds all state of an application."""


def state_topic(app: str) -> str:
    """The topic that holds all state of an application whose engine keeps it in Kafka."""
    return f"{app}-state"


def complete_changelogs(plan: Plan, topics: Topics, known: CheckpointLayout | None) -> list[str]:
    """The stores of a plan whose changelogs have all of their rows, or will have.

    That is so if a changelog was there from the first row on: for every store of an application that begins anew, and
    for those that join the stores it had before, unless an earlier life has left rows. And nobody may have
    deleted records of it since.
    """
    stores = _topics_of(plan)
    if known is None:
        return sorted(stores)
    found, before = found_changelogs(plan.app, stores, topics), set(known.stores)

    def is_complete(store: str) -> bool:
        there = found.get(store)
        if store not in before:
            return there is None or not there.is_ours(known.changelog_ids) or not has_records(there.topic, topics)
        if store not in known.changelogs or there is None or not _goes_on(there, known):
            return False
        return not topics.begins_late(there.topic, there.partitions)

    return sorted(filter(is_complete, stores))


def ids_of(known: CheckpointLayout | None) -> Ids:
    """The ids of the changelogs that a checkpoint knows."""
    return {} if known is None else known.changelog_ids


def _goes_on(there: FoundChangelog, known: CheckpointLayout) -> bool:
    """Whether a changelog is the one that the checkpoint knows; older checkpoints know no ids."""
    return known.changelog_ids.get(there.store, there.id) == there.id


def with_changelogs(layout: CheckpointLayout, plan: Plan, stores: Collection[str], topics: Topics) -> CheckpointLayout:
    """A layout that knows which topics are the complete changelogs of these stores of a plan."""
    named = {str(node.topic): node.table for node in plan.of(Changelog) if node.table in stores}
    found = topics.identities(named)
    ids = {named[topic]: identity.id for topic, identity in found.items() if identity is not None}
    return replace(layout, changelogs=sorted(ids), changelog_ids=ids)


def ensure_changelogs(
    plan: Plan, topics: Topics, layout: CheckpointLayout, known: CheckpointLayout | None, say: Callable[[str], None]
) -> Plan:
    """The plan with those changelogs that are complete: they are there afterwards, as they have to be, or it fails.

    Nothing is deleted or emptied: where the application, or a store, begins anew, a topic with records is refused.
    """
    for node in plan.of(Changelog):
        if node.table not in layout.changelogs:
            say(f"store {node.table} has no complete changelog: to ask it begin anew, with headrace reset")
    plan = _with(plan, layout.changelogs)
    wanted = _topics_of(plan)
    found = found_changelogs(plan.app, wanted, topics)
    for one in found.values():
        if known is None or one.store not in known.changelogs:
            refuse_foreign(one, ids_of(known), topics)
        if wrong := list(_misfits(one, layout.tasks)):
            raise ChangelogMisfit(one.topic, wrong)
    missing = {topic: settings_of(plan.app, store) for store, topic in wanted.items() if store not in found}
    topics.create_all(missing, layout.tasks)
    return plan


def _topics_of(plan: Plan) -> dict[str, str]:
    """The changelogs of a plan, by store."""
    return {node.table: str(node.topic) for node in plan.of(Changelog)}


def existing_changelogs(plan: Plan, known: CheckpointLayout | None, topics: Topics) -> list[FoundChangelog]:
    """The topics with the names of changelogs: of the stores of a plan, of those its checkpoint knows, of state.

    Who keeps state elsewhere needs no right to see the topic of state, and has none there then.
    """
    before = {store: changelog_topic(plan.app, store) for store in (known.changelogs if known is not None else ())}
    found = found_changelogs(plan.app, {**before, **_topics_of(plan)}, topics)
    with suppress(NotAllowed):
        found |= found_changelogs(plan.app, {STATE: state_topic(plan.app)}, topics)
    return list(found.values())


def remake_changelogs(
    plan: Plan,
    layout: CheckpointLayout,
    address: str,
    kafka: Mapping[str, str],
    *,
    known: CheckpointLayout | None,
    spool: Path,
    rows_of: str | None = None,
) -> list[str]:
    """Make the changelogs of a plan anew with a partition for each task of `layout`; the stores that have one now.

    They get the rows that they had, or those of the run `rows_of`, by way of a file in `spool`, and keep the settings
    and replicas that they had. A store whose rows are in no topic any more gets none, and a topic that is not `known`
    to be the application's is left as it is.
    """
    topics = Topics(address, kafka)
    nodes = [node for node in plan.of(Changelog) if node.table in layout.changelogs]
    there = found_changelogs(plan.app, {node.table: str(node.topic) for node in nodes}, topics)
    read = there
    if rows_of is not None:
        read = found_changelogs(rows_of, {node.table: changelog_topic(rows_of, node.table) for node in nodes}, topics)
    made = []
    for node in nodes:
        topic, rows, before = str(node.topic), read.get(node.table), there.get(node.table)
        if rows is None or not _goes_on(rows, layout) or (before is not None and not before.is_ours(ids_of(known))):
            continue
        with TemporaryFile(dir=spool) as file:  # a topic cannot be read while it is made anew
            _spool(consume(address, kafka, rows.topic), file, spool)
            settings, replicas = settings_of(plan.app, node.table), BROKERS_CHOICE
            if before is not None:
                described = topics.describe(topic)
                settings, replicas = {**settings, **described.config}, described.partitions[0].replicas
                topics.delete([topic])
            topics.create(topic, layout.tasks, settings, replicas)
            window = getattr(node.key, "window_bytes", 0)
            produce(address, kafka, topic, _spooled(file, window, layout.tasks))
        made.append(node.table)
    return sorted(made)


def _spool(rows: Iterable[ConsumedRecord], file: IO[bytes], place: Path) -> None:
    for row in rows:
        with writing(str(place)):
            pickle.dump((row.key, row.value, possible_time(row.timestamp_ms)), file)
    with writing(str(place)):
        file.seek(0)


def _spooled(file: IO[bytes], window: int, partitions: int) -> Iterator[NewRecord]:
    """Rows, each for the partition of its key without the window."""
    while True:
        try:
            key, value, time = pickle.load(file)
        except EOFError:
            return
        partition = partition_of(key[: len(key) - window], partitions)
        yield NewRecord(key=key, value=value, timestamp_ms=time, partition=partition)


def _with(plan: Plan, stores: Collection[str]) -> Plan:
    """The plan without the changelogs of other stores."""
    without = {node for node in plan.of(Changelog) if node.table not in stores}
    ends, declared = (tuple(one for one in nodes if one not in without) for nodes in (plan.ends, plan.declared))
    return replace(plan, ends=ends, declared=declared)


def _misfits(found: FoundChangelog, tasks: int) -> Iterator[str]:
    if found.partitions != tasks:
        yield f"it has {found.partitions} partitions, the application has {tasks} tasks"
    if found.policy != "compact":
        yield f"its cleanup.policy is {found.policy}, which forgets rows that nobody has deleted"
