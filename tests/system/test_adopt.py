"""A Kafka Streams application is stopped, and one of ours goes on where it stood."""

from __future__ import annotations

import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer

import headrace as hr
from headrace.cli.load import load_app
from headrace.cli.main import main
from headrace.engine.batch.checkpoint import Checkpoint
from headrace.errors import AdoptRefused
from headrace.log.groups import Group
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from headrace.model.windows import Windowed
from headrace.passes.pipeline import rewrite
from headrace.runtime.commands.adopt import Wanted, adopting
from headrace.serde import Serde
from system.chaos import Fed, kafka_streams
from waiting import until

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

KEYS = [f"k{number}" for number in range(20)]
HOUR_MS = 3_600_000
PROGRAM = """
from dataclasses import dataclass
import headrace as hr
import headrace.functions as F


@dataclass
class Fold:
    count: int
    total: int
    least: int
    most: int


app = hr.App({name!r}, broker={broker!r}, checkpoint={checkpoint!r})
data = app.stream({source!r}, key=hr.STRING, value=hr.INT32)
names = app.table({names!r}, key=hr.STRING, value=hr.STRING, store="names")
by_key = data.group_by_key()
by_key.count(store="counts").to_stream().to({target!r})
by_key.aggregate(
    lambda: Fold(0, 0, 10_000, -1),
    lambda _, value, fold: Fold(
        fold.count + 1, fold.total + value, F.least(fold.least, value), F.greatest(fold.most, value)
    ),
    store="folds",
)
data.group_by(lambda _, value: F.text(value % 2)).count(store="parities")
by_key.windowed_by(hr.hopping("10s", advance="5s", grace="1h")).count(store="windows", retention="2h")
by_key.windowed_by(hr.session("3s", grace="1h")).count(store="sessions", retention="2h")
data.join(names, lambda value, name: name + F.text(value)).to({target!r} + "-joined")
"""


@dataclass(frozen=True)
class Event:
    """A record of the source."""

    key: str
    value: int
    ts: int


def some_events(count: int, since_ms: int, chance: random.Random) -> list[Event]:
    """In an order that is nearly that of their times."""
    times = [since_ms + 400 * number + chance.randrange(3_000) for number in range(count)]
    return [Event(chance.choice(KEYS), chance.randrange(10_000), ts) for ts in times]


def expected(events: Iterable[Event]) -> dict[str, dict[Any, Any]]:
    """What the stores have of them."""
    counts, parities, windows = Counter[str](), Counter[str](), Counter[Windowed[str]]()
    values, times = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for event in events:
        counts[event.key] += 1
        parities[str(event.value % 2)] += 1
        values[event.key].append(event.value)
        times[event.key].append(event.ts)
        for start in (event.ts // 5_000 * 5_000 - 5_000, event.ts // 5_000 * 5_000):
            windows[Windowed(event.key, start, start + 10_000)] += 1
    folds = {
        key: {"count": len(found), "total": sum(found), "least": min(found), "most": max(found)}
        for key, found in values.items()
    }
    sessions = {one: count for key, found in times.items() for one, count in sessions_of(key, sorted(found))}
    return {"counts": counts, "parities": parities, "windows": windows, "folds": folds, "sessions": sessions}


def sessions_of(key: str, times: list[int]) -> Iterator[tuple[Windowed[str], int]]:
    begin, last, count = times[0], times[0], 0
    for ts in times:
        if ts > last + 3_000:
            yield Windowed(key, begin, last), count
            begin, count = ts, 0
        last, count = ts, count + 1
    yield Windowed(key, begin, last), count


STORES: dict[str, tuple[Serde[Any], Serde[Any]]] = {
    "counts": (hr.STRING, hr.INT64),
    "parities": (hr.STRING, hr.INT64),
    "folds": (hr.STRING, hr.json()),
    "windows": (hr.time_windowed(hr.STRING, "10s"), hr.INT64),
    "sessions": (hr.session_windowed(hr.STRING), hr.INT64),
}


class Moved:
    """An application on Kafka Streams, its topics, and ours that is to go on."""

    def __init__(self, broker: str, topic: Callable[..., str], place: Path, program: str = PROGRAM) -> None:
        self.broker, self.place = broker, place
        self.source, self.names, self.target = topic("data", 3), topic("names", 3), topic("counted", 1)
        Topics(broker).create(f"{self.target}-joined", 1)
        self.streams, self.name, self.file = f"streams-{self.target}", f"ours-{self.target}", place / "app.py"
        self.write(program)

    def write(self, program: str, **changed: str) -> None:
        parts = {"name": self.name, "broker": self.broker, "checkpoint": str(self.place / "checkpoint")}
        topics = {"source": self.source, "names": self.names, "target": self.target}
        self.file.write_text(program.format(**{**parts, **topics, **changed}))

    def send(self, events: Iterable[Event]) -> None:
        records = (
            NewRecord(key=one.key.encode(), value=hr.INT32.encode(one.value), timestamp_ms=one.ts) for one in events
        )
        produce(self.broker, None, self.source, records)

    def rows(self, app: str, store: str) -> dict[Any, Any]:
        """What is left of a changelog when it is read as a table."""
        key, value = STORES[store]
        found = {record.key: record.value for record in consume(self.broker, None, f"{app}-{store}-changelog")}
        return {key.decode(one): value.decode(data) for one, data in found.items() if data is not None}

    def totals(self, app: str) -> dict[str, int]:
        found = {record.key: record.value for record in consume(self.broker, None, f"{app}-totals-changelog")}
        return {hr.STRING.read(key or b""): hr.INT64.read(data) for key, data in found.items() if data is not None}

    def leave(self, totals: dict[str, int | str | None]) -> None:
        """Rows and positions as Kafka Streams leaves them when it has read all that is there."""
        topics, changelog = Topics(self.broker), f"{self.streams}-totals-changelog"
        if topics.partitions([changelog])[changelog] is None:
            topics.create(changelog, 3, {"cleanup.policy": "compact"})
        written = {
            key: str(one).encode() if isinstance(one, str) else hr.INT64.encode(one) for key, one in totals.items()
        }
        produce(self.broker, None, changelog, [NewRecord(key=k.encode(), value=data) for k, data in written.items()])
        ends = topics.end_offsets(self.source)
        Group(self.streams, self.broker).publish({(self.source, number): end for number, end in ends.items()})

    def run_on_streams(self, sent: int) -> None:
        """Have Kafka Streams do all that is there, and stop."""
        command = kafka_streams(
            "adopted", self.broker, self.place, source=self.source, target=self.target, table=self.names
        )
        program = Fed(command, self.place / "streams.txt").once_it_says("polling")
        try:
            until(lambda: sum(self.rows(self.streams, "parities").values()) == sent, lambda: program.said)
            program.stop()
            until(lambda: not Group(self.streams, self.broker).members(), "nobody in the group")
        finally:
            program.kill()

    def command(self, capsys: pytest.CaptureFixture[str], name: str, *options: str) -> tuple[int, str]:
        capsys.readouterr()
        code = main([name, str(self.file), *options])
        return code, "".join(capsys.readouterr())


@pytest.fixture
def moved(broker: str, topic: Callable[..., str], tmp_path: Path) -> Moved:
    return Moved(broker, topic, tmp_path)


def test_no_count_is_lost(moved: Moved, capsys: pytest.CaptureFixture[str], chance: random.Random) -> None:
    since_ms = time.time_ns() // 1_000_000 - HOUR_MS  # Kafka deletes windows of long ago from changelogs like these
    before, after = some_events(600, since_ms, chance), some_events(500, since_ms + 240_000, chance)
    names = [NewRecord(key=key.encode(), value=f"{key}=".encode(), timestamp_ms=since_ms - 1_000) for key in KEYS]
    produce(moved.broker, None, moved.names, names)
    moved.send(before)
    moved.run_on_streams(len(before))
    positions, there = Group(moved.streams, moved.broker).positions(), Topics(moved.broker).names()
    moved.send(after)

    code, said = moved.command(capsys, "adopt", "--from", moved.streams, "--dry-run")
    assert code == 0, said
    for store, wanted in {**expected(before), "names": KEYS}.items():
        assert f"  store {store}: {len(wanted)} rows of {moved.streams}-{store}-changelog" in said
    assert f"  topic {moved.source}: read from 0@" in said
    assert not (moved.place / "checkpoint" / "spark").exists()
    code, said = moved.command(capsys, "adopt", "--from", moved.streams, "--yes")
    assert code == 0, said
    rows = len(KEYS) + sum(map(len, expected(before).values()))
    assert said.endswith(
        f"application '{moved.name}' begins with {rows:,} rows of Kafka Streams application '{moved.streams}'\n"
    )
    for store, wanted in expected(before).items():
        assert moved.rows(moved.name, store) == wanted, store
    assert set(there) <= set(Topics(moved.broker).names())
    assert Group(moved.streams, moved.broker).positions() == positions

    code, said = moved.command(capsys, "run", "--until", "latest")
    assert code == 0, said
    for store, wanted in expected([*before, *after]).items():
        assert moved.rows(moved.name, store) == wanted, store
    counted = {record.key: record.value for record in consume(moved.broker, None, moved.target)}
    assert {hr.STRING.decode(key): hr.INT64.decode(value) for key, value in counted.items()} == expected(
        [*before, *after]
    )["counts"]
    joined = Counter(record.value for record in consume(moved.broker, None, f"{moved.target}-joined"))
    assert joined == Counter(f"{one.key}={one.value}".encode() for one in [*before, *after])


COUNTING = """
import headrace as hr

app = hr.App({name!r}, broker={broker!r}, checkpoint={checkpoint!r})
data = app.stream({source!r}, key=hr.STRING, value=hr.INT32)
data.group_by_key().count(store="totals").to_stream().to({target!r})
"""


class TestByHand:
    """What is refused, by topics and a group as Kafka Streams leaves them."""

    @pytest.fixture
    def moved(self, broker: str, topic: Callable[..., str], tmp_path: Path) -> Moved:
        moved = Moved(broker, topic, tmp_path, program=COUNTING)
        moved.send([Event("mill", 1, HOUR_MS), Event("weir", 2, HOUR_MS), Event("mill", 3, HOUR_MS)])
        moved.leave(totals={"mill": 2, "weir": 1, "gone": 4})
        moved.leave(totals={"gone": None})
        return moved

    def test_refusals(self, moved: Moved, capsys: pytest.CaptureFixture[str]) -> None:
        def refused(*options: str, streams: str = moved.streams) -> str:
            code, said = moved.command(capsys, "adopt", "--from", streams, "--dry-run", *options)
            assert code == 1
            return said

        topics, plan = Topics(moved.broker), rewrite(load_app(str(moved.file)).plan())
        place, wanted = Checkpoint(moved.name, moved.place / "checkpoint"), Wanted({}, frozenset())
        with (
            pytest.raises(AdoptRefused, match="consumer group 'nobody' has no positions: there is no such") as told,
            adopting(plan, place, "nobody", wanted, moved.broker, {}, replace_changelogs=False),
        ):
            pass
        assert "name its application.id with --from" in str(told.value)
        assert "there is no store 'sums'\n" in refused("--empty", "sums")
        assert f"store 'totals' would have the rows of {moved.streams}-other-changelog, which is" in (
            said := refused("--store", "totals=other")
        )
        assert f"the changelogs of {moved.streams} are: {moved.streams}-totals-changelog\n" in said
        repartition = f"{moved.streams}-by-value-repartition"
        topics.create(repartition, 1)
        produce(moved.broker, None, repartition, [NewRecord(key=b"k", value=b"v")])
        Group(moved.streams, moved.broker).publish({(repartition, 0): 0})
        assert f"error: 1 records are on their way in {repartition}\n" in refused()
        Group(moved.streams, moved.broker).publish({(repartition, 0): 1})
        with closing(Consumer({"bootstrap.servers": moved.broker, "group.id": moved.streams})) as consumer:
            consumer.subscribe([moved.source])
            until(lambda: consumer.poll(0.1) or consumer.assignment(), "a member of the group")
            assert f"Kafka Streams application '{moved.streams}' runs: 1 of its threads are in its group\n" in refused()
        moved.leave(totals={"bad": "x"})
        assert f"a row of {moved.streams}-totals-changelog is not (STRING, INT64): " in refused()
        moved.leave(totals={"bad": None})
        moved.write(COUNTING.replace(".count(", '.windowed_by(hr.sliding("1s")).count('))
        assert "what totals (sliding_windowed) keeps has another form" in refused()
        assert not list((moved.place / "checkpoint").glob("spark*"))

    def test_with_the_same_id(self, moved: Moved, capsys: pytest.CaptureFixture[str]) -> None:
        moved.write(COUNTING, name=moved.streams)
        code, said = moved.command(capsys, "run", "--until", "latest")
        assert code == 1
        assert "has run before, and its checkpoint is not here" in said
        code, said = moved.command(capsys, "adopt", "-y")
        assert code == 1
        assert f"the changelogs of '{moved.streams}' are there already: {moved.streams}-totals-changelog\n" in said
        code, said = moved.command(capsys, "adopt", "--replace-changelogs", "-y")
        assert code == 0, said
        assert f"so that Kafka Streams cannot go on: {moved.streams}-totals-changelog\n" in said
        moved.send([Event("mill", 5, HOUR_MS)])
        code, said = moved.command(capsys, "run", "--until", "latest")
        assert code == 0, said
        assert moved.totals(moved.streams) == {"mill": 3, "weir": 1}
        assert "has run before, it has a checkpoint at" in moved.command(capsys, "adopt", "--replace-changelogs")[1]
