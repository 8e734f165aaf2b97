"""Another number of tasks: what was counted, waits or is late stays so, whatever task it is in from then on."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # its stubs do not re-export them
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)

import headrace as hr
import headrace.functions as F
from headrace.cli.main import main
from headrace.engine.batch.batch_log import BatchLog
from headrace.engine.ownership import settings_of
from headrace.errors import CheckpointForeign, PartitionsChanged, RescaleRefused, TopicMissing
from headrace.log.groups import Group
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from headrace.spark.session.spark import Session
from system.test_restart import add_partitions, rescaled

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

KEYS = [f"k{number}" for number in range(12)]
SEEN = hr.stores.key_value("seen", key=hr.STRING, value=hr.INT64)
RECENT = hr.stores.window("recent", size="10s", retention="20s", key=hr.STRING, value=hr.STRING)


class Numbering(hr.Processor[str, str]):
    """Each record with how many of its key there were, and which came in the last ten seconds."""

    stores = (SEEN, RECENT)

    def process(self, record: hr.Record) -> None:
        seen, recent = self.context.store(SEEN), self.context.store(RECENT)
        count = (seen.get(record.key) or 0) + 1
        seen.put(record.key, count)
        recent.put(record.key, record.value, record.ts)
        near = "".join(value for _, value in recent.fetch(record.key, record.ts - 9_999, record.ts))
        self.context.forward(record.with_value(f"{count} {near}"))


def letters(old: str, new: str) -> str:
    """All letters that there were; nothing that could be traced."""
    return "".join(sorted({*old, *new}))


def declare(app: hr.App, stem: str) -> None:
    """A store of every kind, in both lanes: what comes from one topic runs in Python as soon as some of it does."""

    def to(stream: hr.KStream[Any, Any], name: str) -> None:
        stream.to(f"{stem}-{name}")

    events = app.stream(f"{stem}-events", key=hr.STRING, value=hr.STRING)
    others = app.stream(f"{stem}-others", key=hr.STRING, value=hr.STRING)
    rows = app.table(f"{stem}-rows", key=hr.STRING, value=hr.STRING, store="rows")
    by_key = events.group_by_key()
    to(by_key.count(store="counts").to_stream(), "counts")
    to(events.group_by(lambda _, value: value).count(store="by-value").to_stream(), "by-value")
    tumbling = by_key.windowed_by(hr.tumbling("10s", grace="5s"))
    to(tumbling.emit_strategy(hr.on_window_close()).count(store="closed").to_stream(), "closed")
    hopping = by_key.windowed_by(hr.hopping("10s", advance="5s", grace="5s")).count(store="hopping")
    to(hopping.to_stream(), "hopping")
    to(hopping.late(), "late")
    to(hopping.expired(), "expired")
    to(hopping.suppress(hr.until_window_closes()).to_stream(), "final")
    to(by_key.windowed_by(hr.session("3s", grace="5s")).count(store="sessions").to_stream(), "sessions")
    to(by_key.windowed_by(hr.sliding("4s", grace="5s")).count(store="sliding").to_stream(), "sliding")
    pairs = events.left_join(others, lambda left, right: left + F.coalesce(right, "-"), hr.join_windows("2s"))
    to(pairs, "pairs")
    to(events.join(rows, lambda event, row: event + row), "joined")
    names = app.table(f"{stem}-names", key=hr.STRING, value=hr.STRING)
    orders = app.table(f"{stem}-orders", key=hr.STRING, value=hr.STRING)
    to(orders.join(names, lambda order, name: order + name, on=lambda order: order).to_stream(), "foreign")
    to(rows.group_by(lambda key, row: (row, key)).count(store="groups").to_stream(), "groups")
    to(by_key.reduce(lambda old, new: old + new, store="lasting", ttl="15s").to_stream(), "lasting")
    to(events.drop_duplicates(lambda _, value: value, within="10s"), "once")
    versions = app.versioned_table(f"{stem}-versions", key=hr.STRING, value=hr.STRING, history="1m")
    to(others.join(versions, lambda other, row: other + row, grace="4s"), "as-it-was")
    opaque = app.stream(f"{stem}-opaque", key=hr.STRING, value=hr.STRING)
    everywhere = app.global_table(f"{stem}-everywhere", key=hr.STRING, value=hr.STRING)
    to(opaque.join(everywhere, lambda event, name: event + name, on=lambda value: value), "global")
    to(opaque.process(Numbering, key=hr.STRING, value=hr.STRING), "numbered")
    in_python = opaque.group_by_key().windowed_by(hr.tumbling("10s", grace="5s"))
    closing = in_python.emit_strategy(hr.on_window_close()).reduce(letters, store="letters-closed")
    to(closing.to_stream(), "letters-closed")
    to(in_python.reduce(letters, store="letters").suppress(hr.until_window_closes()).to_stream(), "letters")


KEYED = ("events", "others", "rows", "versions", "orders", "opaque")
"""Topics of four partitions, with keys of KEYS."""

EACH = ("counts", "by-value", "closed", "hopping", "late", "expired", "final", "sessions", "sliding", "pairs", "joined",
        "global", "lasting", "once", "as-it-was", "numbered", "letters-closed", "letters")  # fmt: skip
"""What is written is the same, record for record."""

LAST = ("foreign", "groups")
"""The last of each key is: what comes between depends on what is in one batch."""


class Twin:
    """The application, with topics of its own."""

    def __init__(self, broker: str, stem: str, place: Path) -> None:
        self.broker, self.stem, self.place = broker, stem, place
        for name, count in {**dict.fromkeys(KEYED, 4), "names": 2, "everywhere": 1}.items():
            Topics(broker).create(f"{stem}-{name}", count)
        for name in (*EACH, *LAST):
            Topics(broker).create(f"{stem}-{name}", 1)

    def app(self) -> hr.App:
        app = hr.App(self.stem, broker=self.broker, checkpoint=self.place, emit="every")
        declare(app, self.stem)
        return app

    def put(self, records: list[tuple[str, NewRecord]]) -> None:
        for name in (*KEYED, "names", "everywhere"):
            produce(self.broker, None, f"{self.stem}-{name}", [record for topic, record in records if topic == name])

    def each(self, name: str) -> Counter[tuple[Any, ...]]:
        found = consume(self.broker, None, f"{self.stem}-{name}")
        return Counter((one.key, one.value, one.timestamp_ms) for one in found)

    def last(self, name: str) -> dict[Any, Any]:
        return {one.key: one.value for one in consume(self.broker, None, f"{self.stem}-{name}")}


def part(number: int, chance: random.Random) -> list[tuple[str, NewRecord]]:
    """Half a minute of records, no two at one time; one comes late."""
    begin = 60_000 + number * 30_000
    topics = ("names", "everywhere") if number == 0 else ("names",)  # a global table is read before all else of a batch
    named = [(topic, letter, begin + place) for place, topic in enumerate(topics) for letter in "abc"]
    keyed = [(chance.choice(KEYED), chance.choice(KEYS), begin + ms) for ms in range(100, 30_000, 53)]
    records = [(topic, record(key, chance.choice("abc"), ts)) for topic, key, ts in (*named, *keyed)]
    return [*records, ("events", record("k1", "z", 1_000))] if number else records


def end() -> list[tuple[str, NewRecord]]:
    """Something of every key, so long afterwards that nothing is waited for any more."""
    return [
        (topic, record(key, "e", 600_000 + 10 * place + len(topic)))
        for place, key in enumerate(KEYS)
        for topic in KEYED
    ]


def record(key: str, value: str, ts: int) -> NewRecord:
    return NewRecord(key=key.encode(), value=value.encode(), timestamp_ms=ts)


def test_fewer_tasks_and_then_more(broker: str, topic: Callable[..., str], tmp_path: Path, spark: Session) -> None:
    chance = random.Random(7)
    moving, staying = (Twin(broker, topic(name, 1), tmp_path / name) for name in ("moving", "staying"))
    parts = [part(0, chance), part(1, chance), part(2, chance) + end()]
    moving.put(parts[0])
    moving.app().run(until="latest")
    found = rescaled(moving.app(), 2, spark)
    assert (found.before.tasks, found.after.tasks, found.by_key) == (4, 2, [])
    moving.put(parts[1])
    moving.app().run(until="latest")
    add_partitions(broker, f"{moving.stem}-events", 7)
    moving.put(parts[2])
    with pytest.raises(PartitionsChanged, match="headrace rescale"):
        moving.app().run(until="latest")
    found = rescaled(moving.app(), None, spark)
    assert found.after.tasks == 7
    assert f"{moving.stem}-events" in found.by_key
    moving.app().run(until="latest")
    for one in parts:
        staying.put(one)
    staying.app().run(until="latest")
    for name in EACH:
        wanted, found_there = staying.each(name), moving.each(name)
        assert wanted, name
        assert (found_there - wanted, wanted - found_there) == ({}, {}), name
    for name in LAST:
        assert moving.last(name) == staying.last(name), name
    twins = staying, moving
    windowed = ("closed", "hopping", "sessions", "letters")
    for store in ("rows", "counts", "by-value", "groups", "lasting", *windowed):
        stayed, moved = ({key: row for key, row in twin.last(f"{store}-changelog").items() if row} for twin in twins)
        # Windows that were forgotten on the way, for the time of another task was ahead, stay in the changelog.
        assert {key: row for key, row in moved.items() if key in stayed or store not in windowed} == stayed, store
        partitions = Topics(broker).end_offsets(f"{moving.stem}-{store}-changelog")
        assert len(partitions) == 7


def test_what_cannot_be_told_is_refused(broker: str, topic: Callable[..., str], tmp_path: Path, spark: Session) -> None:
    source, target = topic("in", 2), topic("out", 1)
    totals = hr.stores.key_value("totals", key=hr.STRING, value=hr.INT64)

    class Total(hr.Processor[str, str]):
        """How many records a task has seen."""

        stores = (totals,)

        def process(self, record: hr.Record) -> None:
            store = self.context.store(totals)
            store.put("all", (store.get("all") or 0) + 1)
            self.context.forward(record.with_value(str(store.get("all"))))

    def app() -> hr.App:
        app = hr.App("totals", broker=broker, checkpoint=tmp_path)
        app.stream(source, key=hr.STRING, value=hr.STRING).process(Total, key=hr.STRING, value=hr.STRING).to(target)
        return app

    with pytest.raises(RescaleRefused, match="application 'totals' has kept nothing yet"):
        rescaled(app(), 1, spark)
    produce(broker, None, source, [NewRecord(key=b"k", value=b"", partition=number) for number in (0, 1)])
    app().run(until="latest")
    with pytest.raises(RescaleRefused, match=r"store 'totals' has the key 'all' in task 1 and in another"):
        rescaled(app(), 1, spark)
    with pytest.raises(
        RescaleRefused, match=r"store 'totals' has the key 'all' in task \d, where records of this key do"
    ):
        rescaled(app(), 3, spark)
    produce(broker, None, source, [NewRecord(key=b"k", value=b"", partition=0)])
    app().run(until="latest")  # nothing has changed
    assert sorted(one.value or b"" for one in consume(broker, None, target)) == [b"1", b"1", b"2"]


@dataclass(frozen=True)
class Counting:
    """An application that counts, and has done so."""

    broker: str
    source: str
    target: str
    place: Path

    @property
    def changelog(self) -> str:
        return f"{self.source}-n-changelog"

    @property
    def log(self) -> BatchLog:
        return BatchLog(self.place / "spark")

    def app(self, name: str | None = None) -> hr.App:
        app = hr.App(name or self.source, broker=self.broker, checkpoint=self.place)
        app.stream(self.source, key=hr.STRING, value=hr.STRING).group_by_key().count(store="n").to_stream().to(
            self.target
        )
        return app

    def count(self) -> None:
        produce(self.broker, None, self.source, [NewRecord(key=key.encode(), value=b"") for key in KEYS])
        self.app().run(until="latest")

    def begin_another(self) -> int:
        """As if it had been killed in the next batch."""
        begun = self.log.done + 1
        (self.log.directory / "offsets" / str(begun)).write_text("")
        return begun

    def write(self, task: int, batch: int) -> None:
        """Have a task of the sink write something of a batch, in a transaction that nobody ends."""
        name = f"{self.source}-sink-{task}"
        producer = Producer({"bootstrap.servers": self.broker, "transactional.id": name})
        producer.init_transactions(30)
        producer.begin_transaction()
        producer.produce(self.target, key=b"k", value=hr.INT64.encode(7))
        producer.flush()
        place = TopicPartition(self.source, 0, batch)
        with closing(Consumer({"bootstrap.servers": self.broker, "group.id": name})) as consumer:
            producer.send_offsets_to_transaction([place], consumer.consumer_group_metadata(), 30)


def note(counting: Counting, task: int, batch: int, spark: Session) -> None:
    """Have a task of the sink note that its part of a batch is written."""
    java: Any = spark._jvm
    admin = java.org.apache.kafka.clients.admin.Admin.create({"bootstrap.servers": counting.broker})
    place = java.org.apache.kafka.common.TopicPartition(counting.source, 0)
    noted = java.org.apache.kafka.clients.consumer.OffsetAndMetadata(batch, f"{counting.log.query} {batch}")
    admin.alterConsumerGroupOffsets(f"{counting.source}-sink-{task}", {place: noted}).all().get()
    admin.close()


@pytest.fixture
def counting(broker: str, topic: Callable[..., str], tmp_path: Path) -> Counting:
    made = Counting(broker, topic("in", 4), topic("out", 1), tmp_path / "state")
    made.count()
    return made


def test_what_is_of_somebody_else_is_refused(counting: Counting, spark: Session) -> None:
    with pytest.raises(CheckpointForeign, match=f"made with application {counting.source}, now it is another"):
        rescaled(counting.app("another"), 2, spark)
    layout = counting.place / "headrace.json"
    text = layout.read_text()
    layout.write_text(json.dumps({**json.loads(text), "cluster": "elsewhere"}))
    with pytest.raises(CheckpointForeign, match="made with the Kafka cluster elsewhere, now it is"):
        rescaled(counting.app(), 2, spark)
    layout.write_text(text)
    assert rescaled(counting.app(), 2, spark).after.tasks == 2


def test_a_topic_that_is_not_there_is_named(counting: Counting, spark: Session) -> None:
    Topics(counting.broker).delete([counting.source])
    with pytest.raises(TopicMissing, match=counting.source):
        rescaled(counting.app(), 2, spark)


def test_what_was_being_written_is_given_up(counting: Counting, spark: Session) -> None:
    topics, writer = Topics(counting.broker), Group(f"{counting.source}-sink-7", counting.broker)
    rescaled(counting.app(), 8, spark)
    note(counting, 7, counting.log.done, spark)
    assert writer.positions() == {(counting.source, 0): counting.log.done}
    counting.write(7, counting.begin_another())
    assert topics.end_offsets(counting.target, committed=True) != topics.end_offsets(counting.target)
    rescaled(counting.app(), 2, spark)
    assert topics.end_offsets(counting.target, committed=True) == topics.end_offsets(counting.target)
    assert writer.positions() == {}
    counting.count()
    counted = Counter(hr.INT64.decode(one.value) for one in consume(counting.broker, None, counting.target))
    assert counted == {1: len(KEYS), 2: len(KEYS)}


def test_what_is_half_written_has_to_be_finished(counting: Counting, spark: Session) -> None:
    batch = counting.begin_another()
    note(counting, 3, batch, spark)
    with pytest.raises(RescaleRefused, match=f"a part of batch {batch} is written already"):
        rescaled(counting.app(), 2, spark)


def test_changelogs_keep_their_settings(counting: Counting, spark: Session) -> None:
    topics = Topics(counting.broker)
    rows = {one.key: one.value for one in consume(counting.broker, None, counting.changelog)}
    change = ConfigResource(
        ResourceType.TOPIC,
        counting.changelog,
        incremental_configs=[ConfigEntry("segment.ms", "600000", incremental_operation=AlterConfigOpType.SET)],
    )
    admin = AdminClient({"bootstrap.servers": counting.broker})
    admin.incremental_alter_configs([change])[change].result(10)
    rescaled(counting.app(), 2, spark)
    found = topics.describe(counting.changelog)
    assert (len(found.partitions), found.config) == (2, {**settings_of(counting.source, "n"), "segment.ms": "600000"})
    assert {one.key: one.value for one in consume(counting.broker, None, counting.changelog)} == rows


def test_a_changelog_that_somebody_has_deleted_is_not_made(counting: Counting, spark: Session) -> None:
    Topics(counting.broker).delete([counting.changelog])
    rescaled(counting.app(), 2, spark)
    assert Topics(counting.broker).partitions([counting.changelog]) == {counting.changelog: None}
    counting.count()


def test_the_command_shows_what_it_does_and_asks(
    broker: str, topic: Callable[..., str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = topic("in", 2), topic("out", 1)
    file = tmp_path / "app.py"
    file.write_text(
        "import headrace as hr\n"
        f"app = hr.App('{source}', broker='{broker}', checkpoint='{tmp_path / 'state'}')\n"
        f"app.stream('{source}').group_by_key().count(store='n').to_stream().to('{target}')\n"
    )

    def command(name: str, *options: str) -> tuple[int, list[str]]:
        capsys.readouterr()
        code = main([name, str(file), *options])
        return code, "".join(capsys.readouterr()).splitlines()

    produce(broker, None, source, [NewRecord(key=b"k", value=b"", partition=1)])
    assert command("run", "--until", "latest")[0] == 0
    assert command("rescale") == (0, [f"application '{source}' has 2 tasks already"])
    code, said = command("rescale", "--tasks", "3", "--dry-run")
    assert code == 0
    assert said[:2] == [
        f"application '{source}', checkpoint {tmp_path / 'state'}",
        "  from 2 tasks to 3, behind batch 0",
    ]
    assert said[2].startswith("  state that is moved: n; ")
    assert said[3:] == [
        f"  {source}: its records went to the task of their partition, and go to that of their key then",
        "nothing was done (--dry-run)",
    ]
    code, said = command("rescale", "--tasks", "3", "--yes")
    assert said[-1] == f"application '{source}' goes on with 3 tasks; 1 row of state was moved"
    produce(broker, None, source, [NewRecord(key=b"k", value=b"", partition=0)])
    assert command("run", "--until", "latest")[0] == 0
    assert [hr.INT64.decode(one.value) for one in consume(broker, None, target)] == [1, 2]
    assert "rescale is for checkpoints in directories" in command("rescale", "--checkpoint", "hdfs://far/away")[1][-1]
