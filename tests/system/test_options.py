"""Options of sources, sinks and repartitions where they meet a broker: partitions, offsets, the clock."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Producer

import headrace as hr
import headrace.functions as F
from headrace.errors import RecordFailed, TimestampInvalid
from headrace.log.records import ConsumedRecord, NewRecord, consume, produce
from waiting import while_up

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

Topic = Callable[..., str]


def texts(app: hr.App, topic: str | re.Pattern[str], **options: str) -> hr.KStream[str, str]:
    return app.stream(topic, key=hr.STRING, value=hr.STRING, **options)


def put(broker: str, topic: str, *values: str, ts: int = 1_000, partition: int = 0) -> None:
    """With the client itself: `produce` writes no negative times."""
    producer = Producer({"bootstrap.servers": broker, "enable.idempotence": True})
    for one in values:
        producer.produce(topic, key=b"k", value=one.encode(), timestamp=ts, partition=partition)
    assert producer.flush(20) == 0


def written(broker: str, topic: str) -> list[ConsumedRecord]:
    return sorted(consume(broker, None, topic), key=lambda record: (record.partition, record.offset))


def values(broker: str, topic: str) -> Counter[bytes | None]:
    return Counter(record.value for record in consume(broker, None, topic))


# -- where reading begins


def test_some_topics_are_read_from_their_ends(broker: str, topic: Topic, tmp_path: Path) -> None:
    whole, live, target = topic("whole"), topic("live"), topic()
    stem = topic("stem")
    matched = topic(f"{stem}-of")

    def copy() -> hr.App:
        app = hr.App("starts", broker=broker, checkpoint=tmp_path)
        both = texts(app, whole).merge(texts(app, live, start="latest"))
        both.merge(texts(app, re.compile(f"{stem}-.*"), start="latest")).to(target)
        return app

    for name in (whole, live, matched):
        put(broker, name, f"{name} old")
    with copy() as app:
        for name in (whole, live, matched):
            put(broker, name, f"{name} new")
        while_up(app, lambda: app.metrics().records_out >= 4, "4 records out")
    put(broker, live, "between")
    copy().run(until="latest")
    found = {f"{whole} old", f"{whole} new", f"{live} new", f"{matched} new", "between"}
    assert values(broker, target) == Counter(one.encode() for one in found)


def test_the_ends_are_those_of_the_first_start(broker: str, topic: Topic, tmp_path: Path) -> None:
    source, target = topic(partitions=1), topic()

    def copy(number: int) -> hr.App:
        app = hr.App("first", broker=broker, checkpoint=tmp_path)
        texts(app, source, start="latest").map_values(lambda v: F.integer(v) // number).to(target)
        return app

    put(broker, source, "1")
    with copy(0) as app:
        put(broker, source, "4")
        with pytest.raises(RecordFailed, match="division"):
            app.wait(60)
    copy(2).run(until="latest")
    assert values(broker, target) == {hr.INT64.encode(2): 1}


# -- times


def test_a_negative_time_stops_the_application(broker: str, topic: Topic, tmp_path: Path) -> None:
    source, target = topic(partitions=1), topic()
    put(broker, source, "first", ts=-1)

    def copy(**options: str) -> hr.App:
        app = hr.App("negative", broker=broker, checkpoint=tmp_path / str(len(options)))
        texts(app, source, **options).filter(hr.value == "none").to(target)
        return app

    with pytest.raises(TimestampInvalid) as caught:
        copy().run(until="latest")
    assert caught.value.what == "a record has the time -1, which is before 1970"
    assert caught.value.where == f"{source}-0@0"
    with pytest.raises(TimestampInvalid, match="-1, and no record of its partition before it had a time") as caught:
        copy(timestamp="partition_time").run(until="latest")
    assert caught.value.where == f"{source}-0@0"


def test_times_of_partitions_are_apart_and_last(broker: str, topic: Topic, tmp_path: Path) -> None:
    source, target = topic(partitions=3), topic(partitions=1)

    def copy() -> None:
        app = hr.App("partitions", broker=broker, checkpoint=tmp_path)
        texts(app, source, timestamp="partition_time").to(target)
        app.run(until="latest")

    for partition in range(3):
        put(broker, source, f"{partition}", ts=10 + partition, partition=partition)
    copy()
    for partition in (0, 2):
        put(broker, source, f"{partition}", ts=-1, partition=partition)
    copy()
    for partition in range(3):
        put(broker, source, f"{partition}", ts=-1, partition=partition)
    copy()
    found = Counter((record.value, record.timestamp_ms) for record in written(broker, target))
    assert found == {(b"0", 10): 3, (b"1", 11): 2, (b"2", 12): 3}


def test_a_batch_that_is_run_again_has_the_same_time_of_day(broker: str, topic: Topic, tmp_path: Path) -> None:
    source, target = topic(partitions=1), topic()
    put(broker, source, "4", ts=1)

    def copy(number: int) -> hr.App:
        app = hr.App("clock", broker=broker, checkpoint=tmp_path)
        texts(app, source, timestamp="wall_clock").map_values(lambda v: F.integer(v) // number).to(target)
        return app

    begun = int(time.time() * 1000)
    with pytest.raises(RecordFailed):
        copy(0).run(until="latest")
    failed = int(time.time() * 1000)
    copy(2).run(until="latest")
    [record] = written(broker, target)
    assert begun <= (record.timestamp_ms or 0) <= failed


# -- partitions


def test_a_partitioner_chooses_partitions_and_tasks(broker: str, topic: Topic, tmp_path: Path) -> None:
    source, target, counts = topic(partitions=1), topic(partitions=3), topic(partitions=1)
    put(broker, source, "last", "all", "key", "none")
    app = hr.App("partitioned", broker=broker, checkpoint=tmp_path)
    stream = texts(app, source)
    stream.to(
        target,
        partitioner=lambda _, v, n: (
            hr.when(v == "last", [n - 1]).when(v == "all", [0, 1, 2, 1]).when(v == "none", []).otherwise(None)
        ),
    )
    moved = stream.repartition(4, partitioner=lambda _, v, n: hr.when(v == "all", [0, n - 1]).otherwise([0]))
    moved.group_by_key().count(store="n", emit="every").to_stream().to(counts)
    app.run(until="latest")
    found = [(record.partition, record.value) for record in written(broker, target)]
    usual = next(partition for partition, value in found if value == b"key")
    expected = [(2, b"last"), (0, b"all"), (1, b"all"), (2, b"all"), (usual, b"key")]
    assert Counter(found) == Counter(expected)
    # One task counts all four, the other the copy that went there.
    assert values(broker, counts) == Counter(hr.INT64.encode(n) for n in (1, 2, 3, 4, 1))


def test_all_windows_of_a_key_go_to_the_partition_of_the_key(broker: str, topic: Topic, tmp_path: Path) -> None:
    source, echo, windows, sessions = topic(partitions=1), *(topic(partitions=3) for _ in range(3))
    keys = ["a", "b", "c", "d", "e"]
    produce(
        broker, None, source, [NewRecord(key=key.encode(), timestamp_ms=at) for at in range(1, 90, 10) for key in keys]
    )
    app = hr.App("windows-of-keys", broker=broker, checkpoint=tmp_path)
    stream = texts(app, source)
    stream.to(echo)
    stream.group_by_key().windowed_by(hr.tumbling("10ms")).count(store="windows").to_stream().to(windows)
    stream.group_by_key().windowed_by(hr.session("5ms")).count(store="sessions").to_stream().to(sessions)
    app.run(until="latest")
    homes = {(record.partition, record.key) for record in written(broker, echo)}
    assert len(homes) == len(keys)
    for target, behind in ((windows, 8), (sessions, 16)):
        found = written(broker, target)
        assert len(found) == 9 * len(keys)
        assert {(record.partition, (record.key or b"")[:-behind]) for record in found} == homes


def test_a_partition_that_is_not_there(broker: str, topic: Topic, tmp_path: Path) -> None:
    source, target = topic(partitions=1), topic(partitions=3)
    put(broker, source, "v")

    def words(declare: Callable[[hr.App], object], number: int) -> str:
        app = hr.App("wrong", broker=broker, checkpoint=tmp_path / str(number))
        declare(app)
        with pytest.raises(RecordFailed) as caught:
            app.run(until="latest")
        assert caught.value.where == f"{source}-0@0"
        return caught.value.what

    told = words(lambda app: texts(app, source).to(target, partitioner=lambda _k, _v, n: n), 1)
    assert f"{source}.to-{target} (test_options.py:" in told
    assert told.endswith(f"3 is none of the partitions of {target}, 0 to 2")
    moved = words(lambda app: texts(app, source).repartition(2, partitioner=lambda _k, _v, _n: [0, -1]).to(target), 2)
    assert moved.endswith(f"-1 is none of the partitions of {source}.repartition, 0 to 1")
