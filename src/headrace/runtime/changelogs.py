"""The changelogs of an application's stores: topics that it makes by itself, wherever its broker is."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from headrace.errors import ChangelogMisfit
from headrace.log.partitioner import partition_of
from headrace.log.records import NewRecord, Record, consume, possible_time, produce
from headrace.log.topics import BROKERS_CHOICE, Topics
from headrace.plan.graph import Plan
from headrace.plan.nodes import Changelog
from headrace.plan.nodes.to import changelog_topic
from headrace.runtime.checkpoint import Layout, writing

_POLICY = "cleanup.policy"
SETTINGS = {
    _POLICY: "compact",
    "message.timestamp.after.max.ms": str(2**63 - 1),
    "segment.bytes": str(64 * 1024 * 1024),
}
"""How the topic of a changelog is made: the last record of a key stays, until that is deleted.

Windows that are forgotten are deleted, too. Kafka cannot do that: it goes by the clock, so it would forget what was
computed from old records at once, and what an application has at hand that nobody has sent records for long. A row may
have any time, also one in the future; and only segments that are full are ever compacted.
"""


def complete_changelogs(plan: Plan, topics: Topics, known: Layout | None) -> list[str]:
    """The stores of a plan whose changelogs have all of their rows, or will have.

    That is so if a changelog was there from the first row on: for every store of an application that begins anew, and
    for those that join the stores it had before.
    """
    if known is None:
        return sorted(node.table for node in plan.of(Changelog))
    there = topics.identities(str(node.topic) for node in plan.of(Changelog))
    before = set(known.stores)

    def goes_on(node: Changelog) -> bool:
        found = there[str(node.topic)]
        wanted = found and known.changelog_ids.get(node.table, found.id)
        return node.table in known.changelogs and found is not None and found.id == wanted

    return sorted(node.table for node in plan.of(Changelog) if node.table not in before or goes_on(node))


def with_changelogs(layout: Layout, plan: Plan, stores: Collection[str], topics: Topics) -> Layout:
    """A layout that knows which topics are the complete changelogs of these stores of a plan."""
    named = {str(node.topic): node.table for node in plan.of(Changelog) if node.table in stores}
    found = topics.identities(named)
    ids = {named[topic]: identity.id for topic, identity in found.items() if identity is not None}
    return replace(layout, changelogs=sorted(ids), changelog_ids=ids)


def ensure_changelogs(
    plan: Plan, topics: Topics, layout: Layout, known: Layout | None, say: Callable[[str], None]
) -> Plan:
    """The plan with those changelogs that are complete: they are there afterwards, as they have to be, or it fails.

    Where the application, or a store, begins anew they are empty, too: rows that are in them are of an earlier life.
    """
    without = {str(node.topic): node.table for node in plan.of(Changelog) if node.table not in layout.changelogs}
    topics.delete([topic for topic, count in topics.partitions(without).items() if count is not None])
    for store in without.values():
        say(f"store {store} has no complete changelog: to ask it begin anew, with headrace reset")
    plan = _with(plan, layout.changelogs)
    wanted = {str(node.topic): node.table for node in plan.of(Changelog)}
    there = {topic: count for topic, count in topics.partitions(wanted).items() if count is not None}
    for topic, policy in topics.setting(list(there), _POLICY).items():
        wrong = list(_misfits(there[topic], policy, layout.tasks))
        if wrong:
            raise ChangelogMisfit(topic, wrong)
    begun = () if known is None else known.changelogs
    stale = [topic for topic in there if wanted[topic] not in begun and any(topics.end_offsets(topic).values())]
    if stale:
        topics.delete(stale)
        say(f"emptied {', '.join(stale)}: what was there is of an earlier life of {plan.app}")
    missing = [topic for topic in wanted if topic not in there or topic in stale]
    topics.create_all(dict.fromkeys(missing, SETTINGS), layout.tasks)
    return plan


def existing_changelogs(plan: Plan, known: Layout | None, topics: Topics) -> list[str]:
    """The changelogs that are there of the stores of a plan, and of those that its checkpoint knows."""
    stores = {node.table for node in plan.of(Changelog)}.union(known.changelogs if known is not None else ())
    found = topics.partitions(changelog_topic(plan.app, store) for store in sorted(stores))
    return [topic for topic, count in found.items() if count is not None]


def remake_changelogs(
    plan: Plan, layout: Layout, address: str, kafka: Mapping[str, str], *, spool: Path, rows_of: str | None = None
) -> list[str]:
    """Make the changelogs of a plan anew with a partition for each task of `layout`; the stores that have one now.

    They get the rows that they had, or those of the run `rows_of`, by way of a file in `spool`, and keep the settings
    and replicas that they had. A store whose rows are in no topic any more gets none.
    """
    topics = Topics(address, kafka)
    read = {
        node: changelog_topic(rows_of or plan.app, node.table)
        for node in plan.of(Changelog)
        if node.table in layout.changelogs
    }
    there = topics.partitions([*read.values(), *(str(node.topic) for node in read)])
    made = [node for node, topic in read.items() if there[topic] is not None]
    for node in made:
        topic, window = str(node.topic), getattr(node.key, "window_bytes", 0)
        with TemporaryFile(dir=spool) as file:  # a topic cannot be read while it is made anew
            _spool(consume(address, kafka, read[node]), file, spool)
            settings, replicas = SETTINGS, BROKERS_CHOICE
            if there[topic] is not None:
                before = topics.describe(topic)
                settings, replicas = {**SETTINGS, **before.config}, before.partitions[0].replicas
                topics.delete([topic])
            topics.create(topic, layout.tasks, settings, replicas)
            produce(address, kafka, topic, _spooled(file, window, layout.tasks))
    return sorted(node.table for node in made)


def _spool(rows: Iterable[Record], file: IO[bytes], place: Path) -> None:
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


def _misfits(partitions: int, policy: str, tasks: int) -> Iterator[str]:
    if partitions != tasks:
        yield f"it has {partitions} partitions, the application has {tasks} tasks"
    if policy != "compact":
        yield f"its cleanup.policy is {policy}, which forgets rows that nobody has deleted"
