"""Adopt a Kafka Streams application: its rows and positions are what an application of ours begins with."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from headrace.engine.batch.batch_log import BatchLog
from headrace.engine.batch.checkpoint import Checkpoint
from headrace.engine.batch.failures import failure_of
from headrace.engine.batch.kept import kept
from headrace.engine.batch.start_offsets import all_starts
from headrace.engine.changelogs import with_changelogs
from headrace.engine.layout import CheckpointLayout, Starts
from headrace.engine.ownership import FoundChangelog, found_changelogs, settings_of
from headrace.engine.topics import share, topics_of
from headrace.errors import AdoptRefused
from headrace.log.partitioner import partition_of
from headrace.log.properties import for_java
from headrace.log.records import ConsumedRecord, NewRecord, consume, possible_time, produce
from headrace.log.topics import Topics
from headrace.model.clock import Clock
from headrace.plan.graph import Plan
from headrace.plan.nodes import Changelog, Node, Repartition, Source
from headrace.plan.nodes.to import changelog_topic
from headrace.plan.placement_nodes import Everywhere, is_global
from headrace.plan.task_assignment import Sharing
from headrace.runtime.commands.kafka_streams import StreamsApp, parts
from headrace.runtime.commands.last_rows import LastRows
from headrace.runtime.rescale.key_routing import KeyRoutes
from headrace.runtime.rescale.rescale import told_plainly
from headrace.serde import Serde
from headrace.spark.compile.sink import sink_options
from headrace.spark.layout.placement import Placement
from headrace.spark.query import Query, dataframe
from headrace.spark.rescaling import MoveBy, Rescaling
from headrace.spark.rescaling import rescaling as opened
from headrace.spark.session.spark import Session
from headrace.spark.session.workers import Workers
from headrace.spark.table_cells import MEMORY, TableRow, cells, inner_key, memories, obstacle, windows_of

_LOOK_S = 1.0
_EMPTY = "spark.empty"
_ROWS = "spark.rows"


@dataclass(frozen=True)
class Wanted:
    """Stores as a user maps them: the names that Kafka Streams has for them, and which begin empty."""

    names: Mapping[str, str]
    empty: frozenset[str]


@dataclass(frozen=True)
class Filled:
    """A store of ours, and the rows that it gets."""

    name: str
    node: Node
    topic: str
    rows: LastRows

    @property
    def key(self) -> Serde[Any]:
        """Key serde that Kafka Streams has written with, without windows: the one that is declared."""
        return inner_key(self.node).default_serde(self.node.origin)

    @property
    def value(self) -> Serde[Any]:
        """Value serde that Kafka Streams has written with."""
        return self.node.output().value.default_serde(self.node.origin)

    def check(self) -> None:
        """Refuse rows that cannot be read by what is declared."""
        for row in self.rows:
            try:
                self.key.decode(parts(windows_of(self.node), row.key)[0])
                self.value.decode(row.value)
            except Exception as exc:
                raise AdoptRefused(
                    f"a row of {self.topic} is not ({self.key}, {self.value}): {exc}",
                    f"declare what store {self.name!r} is made of with the serdes that Kafka Streams writes with",
                ) from exc


@dataclass(frozen=True)
class Adoption:
    """Adoption that is planned."""

    plan: Plan
    checkpoint: Checkpoint
    layout: CheckpointLayout
    streams: StreamsApp
    stores: tuple[Filled, ...]
    empty: tuple[str, ...]
    """The stores that begin without rows."""

    replaced: tuple[FoundChangelog, ...]
    """The topics that have the names of our changelogs, and are made anew."""

    left: tuple[str, ...]
    """The changelogs that no store takes."""

    address: str
    kafka: Mapping[str, str]

    @property
    def unread(self) -> list[str]:
        """The topics that are read from their beginnings."""
        read = topics_of(self.plan.of(Source), Topics(self.address, self.kafka))
        return [topic for topic in read if topic not in self.layout.starts]

    def carry_out(self, session: Session, workers: Workers, clock: Clock) -> int:
        """Do it: how many rows of state there are. What Kafka Streams has left stays, but for what is `replaced`.

        The state is there as a whole or not at all. If it is broken off behind it, the stores without a complete
        changelog cannot be asked.
        """
        with self._scratch(_EMPTY) as empty, told_plainly(self.plan.app, self.checkpoint, self.address):
            self._run_nothing(session, workers, clock, empty)
            log, rows = BatchLog(empty), dict[str, int]()
            with self.checkpoint.renewed(replace(self.layout, changelogs=[])) as fresh:
                ids = {}
                for operator, known in log.ids().items():
                    places = log.directory.absolute().as_uri(), fresh.absolute().as_uri()
                    with opened(
                        session, *places, operator=operator, batch=log.done, ids=known, tasks=self.layout.tasks
                    ) as state:
                        rows |= self._fill(session, state)
                        ids[operator] = state.commit()
                if nowhere := [store.name for store in self.stores if store.name not in rows]:
                    raise AdoptRefused(
                        f"Spark has no place for the rows of {', '.join(nowhere)}", "tell us: this is a fault of ours"
                    )
                log.copied(fresh, self.layout.tasks, ids)
        complete = self._write_changelogs()
        topics = Topics(self.address, self.kafka)
        self.checkpoint.settle(with_changelogs(self.layout, self.plan, complete, topics))
        return sum(rows.values())

    @contextmanager
    def _scratch(self, name: str) -> Iterator[Path]:
        place = self.checkpoint.directory / name
        shutil.rmtree(place, ignore_errors=True)
        try:
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _run_nothing(self, session: Session, workers: Workers, clock: Clock, place: Path) -> None:
        """Have Spark write its checkpoint: a batch without records, from which the application goes on."""
        kafka = {"bootstrap.servers": self.address, **for_java(self.kafka)}
        sink = sink_options(
            self.plan, kafka, create_topics=False, transactions=False, matched=[], on_error="fail", workers=workers,
            letters=None,
        )  # fmt: skip
        rows = dataframe(
            session,
            Placement(self.plan),
            kafka=kafka,
            sharing=Sharing(self.layout.tasks, self.layout.sources),
            clock=clock,
            starts=all_starts(self.plan, Topics(self.address, self.kafka), self.layout.starts),
            sink=sink,
            workers=workers,
            still=True,
        )
        uri, log = place.absolute().as_uri(), self.checkpoint.log
        query = Query.start(rows, name=self.plan.app, sink=sink, checkpoint=uri, until_latest=True, log=log)
        while not query.wait(_LOOK_S):
            query.new_batches()
        if causes := query.failure():
            raise failure_of(causes, self.plan.app, self.checkpoint.place, self.address, log)

    def _fill(self, session: Session, state: Rescaling) -> dict[str, int]:
        """Put the rows of those stores into a stage that are in it: how many of each."""
        placed, names, rows = Placed(self.layout), state.names(), dict[str, int]()
        for store in self.stores:
            family = f"store.{store.name}"
            if family not in names:
                continue
            rows[store.name] = 0
            for some in cells(session, store.node, placed.rows(store), store.key, store.value):
                state.fill(family, some)
                rows[store.name] += len(some)
            for task, (newest, time) in placed.times(store).items():
                for place, number in memories(store.node, newest, time).items():
                    state.put(MEMORY, task, place, number)
        return rows

    def _write_changelogs(self) -> list[str]:
        """Make the changelogs of all stores, with the rows that these have."""
        topics, placed = Topics(self.address, self.kafka), Placed(self.layout)
        topics.delete([found.topic for found in self.replaced])
        filled = {store.name: store for store in self.stores}
        for node in self.plan.of(Changelog):
            topics.create(str(node.topic), self.layout.tasks, settings_of(self.plan.app, node.table))
            if node.table in filled:
                rows = placed.written(filled[node.table], node)
                produce(self.address, self.kafka, str(node.topic), rows)
        return [node.table for node in self.plan.of(Changelog)]


class Placed:
    """The rows of stores, each with the task that its key belongs to."""

    def __init__(self, layout: CheckpointLayout) -> None:
        self._tasks = layout.tasks
        self._ways = KeyRoutes(layout.sources, layout.sources, (layout.tasks, layout.tasks))

    def rows(self, store: Filled) -> Iterator[TableRow]:
        """Rows that are not expired by the time of their task."""
        newest = {task: newest for task, (newest, _) in self.times(store).items()}
        windows = windows_of(store.node)
        for row in self._all(store):
            if windows is None or row.time > newest[row.task] - windows.kept_ms:
                yield row

    def times(self, store: Filled) -> dict[int, tuple[int, int]]:
        """Times of each task: of its newest window and its latest record; nothing without windows."""
        found: dict[int, tuple[int, int]] = {}
        if windows_of(store.node) is not None:
            for row in self._all(store):
                newest, time = found.get(row.task, (row.time, row.ts))
                found[row.task] = max(newest, row.time), max(time, row.ts)
        return found

    def written(self, store: Filled, changelog: Changelog) -> Iterator[NewRecord]:
        """The rows as our changelog has them."""
        inner = getattr(changelog.key, "inner", changelog.key)
        window = getattr(changelog.key, "window_bytes", 0)
        for row in self.rows(store):
            bare = _written(inner, store.key.decode(row.key))
            times = b"".join(ms.to_bytes(8, "big") for ms in (row.time, row.start))
            yield NewRecord(
                key=bare + times[:window],
                value=changelog.value.encode(store.value.decode(row.value)),
                timestamp_ms=possible_time(row.ts),
                partition=partition_of(bare, self._tasks),
            )

    def _all(self, store: Filled) -> Iterator[TableRow]:
        way, source = self._ways.of(store.node), _first(store.node)
        windows = windows_of(store.node)
        bytes_of = inner_key(store.node).store_serde(store.node.origin)
        for row in store.rows:
            key, time, start = parts(windows, row.key)
            by = key if isinstance(source, Source) else _written(bytes_of, store.key.decode(key))
            task = row.partition % self._tasks if way.by is MoveBy.TASK else partition_of(by, way.after)
            ts = time if windows is not None and windows.sessions else row.ts
            yield TableRow(task, key, row.value, ts, time, start)


def _written(serde: Serde[Any], key: object) -> bytes:
    data = serde.encode(key)
    assert data is not None  # no row is without a key
    return data


def _first(node: Node) -> Node:
    """Node by which the records of a table come into its task: a source or a repartition."""
    while not isinstance(node, Source | Repartition):
        node = node.inputs[0]
    return node


@contextmanager
def adopting(
    plan: Plan,
    checkpoint: Checkpoint,
    streams: str,
    wanted: Wanted,
    address: str,
    kafka: Mapping[str, str],
    *,
    replace_changelogs: bool,
) -> Iterator[Adoption]:
    """An adoption that may be carried out: nobody runs the application meanwhile."""
    checkpoint.take()
    place = checkpoint.directory / _ROWS
    with ExitStack() as held:
        held.callback(checkpoint.release)
        if checkpoint.known_layout() is not None or checkpoint.has_state:
            raise AdoptRefused(
                f"application {plan.app!r} has run before, it has a checkpoint at {checkpoint.place}",
                "adopt for an application that is new; or forget what it has: headrace reset app.py --to earliest",
            )
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        held.callback(shutil.rmtree, place, ignore_errors=True)
        topics, found = Topics(address, kafka), StreamsApp.of(streams, address, kafka)
        read = _Reading(found, topics, address, kafka, place)
        stores_filled = read.stores(Placement(plan), wanted)
        for store in stores_filled:
            held.callback(store.rows.close)
            store.check()
        now, state = share(plan, topics), kept(plan)
        taken = {store.topic for store in stores_filled}
        named = {node.table: str(node.topic) for node in plan.of(Changelog)}
        replaced = tuple(found_changelogs(plan.app, named, topics).values())
        if replaced and not replace_changelogs:
            raise AdoptRefused(
                f"the changelogs of {plan.app!r} are there already: {', '.join(one.topic for one in replaced)}",
                "give the application another id than Kafka Streams has, which then can go on, too; or have them"
                " deleted and made anew when all else is done: --replace-changelogs",
            )
        yield Adoption(
            plan,
            checkpoint,
            CheckpointLayout(
                app=plan.app,
                cluster=topics.cluster_id(),
                tasks=now.tasks,
                sources=dict(now.partitions),
                stages=state.stages,
                lanes=state.lanes,
                classes=state.classes,
                pickled=False,
                starts=_starts(plan, found, topics),
            ),
            found,
            stores_filled,
            tuple(sorted(wanted.empty)),
            replaced,
            tuple(topic for topic in found.changelogs if topic not in taken),
            address,
            kafka,
        )


@dataclass(frozen=True)
class _Reading:
    streams: StreamsApp
    topics: Topics
    address: str
    kafka: Mapping[str, str]
    place: Path

    def stores(self, placement: Placement, wanted: Wanted) -> tuple[Filled, ...]:
        """Stores with their rows; refused where one has none, or cannot take them, and is not to begin empty."""
        found, wrong = dict[str, Filled](), []
        for name, node in _keepers(placement).items():
            if name in wanted.empty:
                continue
            topic = changelog_topic(self.streams.id, wanted.names.get(name, name))
            if reason := obstacle(node, placement):
                wrong.append(reason)
            elif topic in self.streams.changelogs:
                found[name] = self._filled(name, node, topic, consume(self.address, self.kafka, topic))
            elif isinstance(node, Source) and len(node.topics) == 1 and name not in wanted.names:
                found[name] = self._filled(name, node, node.topics[0], self._read(node.topics[0]))
            else:
                wrong.append(f"store {name!r} would have the rows of {topic}, which is not there")
        unknown = (set(wanted.names) | wanted.empty) - set(_keepers(placement))
        wrong += [f"there is no store {name!r}" for name in sorted(unknown)]
        if wrong:
            there = ", ".join(self.streams.changelogs) or "none"
            raise AdoptRefused(
                "; ".join(wrong),
                "name stores as Kafka Streams does, with store=, or say how it calls them: --store NAME=THEIRS; or have"
                f" them begin empty: --empty NAME; the changelogs of {self.streams.id} are: {there}",
            )
        return tuple(found.values())

    def _filled(self, name: str, node: Node, topic: str, records: Iterable[ConsumedRecord]) -> Filled:
        return Filled(name, node, topic, LastRows(self.place / str(len(list(self.place.iterdir()))), records))

    def _read(self, topic: str) -> Iterator[ConsumedRecord]:
        """The records of a topic that the application has read: of a table that needs no changelog."""
        for record in consume(self.address, self.kafka, topic):
            if record.offset < self.streams.positions.get((topic, record.partition), 0):
                yield record


def _keepers(placement: Placement) -> dict[str, Node]:
    """Nodes with state, by store; global tables are read again."""
    found: dict[str, Node] = {}
    for node in placement.plan.nodes:
        if node in placement.inside and not isinstance(node, Everywhere) and not is_global(node):
            named = list(node.kept_stores) or ([node.name] if node.holds_back else [])
            named += [one.store.name for one in node.connections if not one.everywhere]
            for name in named:
                found.setdefault(name, node)
    return found


def _starts(plan: Plan, streams: StreamsApp, topics: Topics) -> Starts:
    """Start offset of each topic; those without a committed offset are read from their beginnings."""
    found: Starts = {}
    for topic in topics_of([source for source in plan.of(Source) if not is_global(source)], topics):
        for partition in range(topics.partitions([topic])[topic] or 0):
            if (topic, partition) in streams.positions:
                found.setdefault(topic, {})[str(partition)] = streams.positions[topic, partition]
    return found
