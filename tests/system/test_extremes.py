"""Records as nobody wishes them: they stop nothing, and hold up no other partition."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Producer

import headrace as hr
from headrace.errors import RecordRefused
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

IN_2100 = 4_102_444_800_000
HOT = 100_000
KEYS = 10_000
HUGE = b"x" * 10 * 1024**2


def test_a_huge_record_a_hot_key_and_times_that_cannot_be(
    broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    source, last, counts = topic("in", partitions=2), topic("last", partitions=1), topic("counts", partitions=1)

    def put(*records: tuple[bytes, bytes, int, int]) -> None:
        limits = {"message.max.bytes": 2 * len(HUGE), "queue.buffering.max.messages": 2 * HOT}
        producer = Producer({"bootstrap.servers": broker, **limits})
        for key, value, ts, partition in records:
            producer.produce(source, key=key, value=value, timestamp=ts, partition=partition)
            producer.poll(0)
        assert producer.flush(60) == 0

    def run() -> None:
        app = hr.App("extremes", broker=broker, checkpoint=tmp_path)
        stream = app.stream(source, key=hr.STRING, timestamp="skip")
        stream.group_by_key().count(store="n").to_stream().to(counts)
        stream.group_by_key().reduce(lambda _, new: new, store="last").to_stream().to(last)
        app.run(until="latest")

    put(
        (b"huge", HUGE, 1_000, 0),
        (b"ahead", b"v", IN_2100, 0),
        (b"unknown", b"v", -1, 0),
        (b"calm", b"v", 1_000, 1),
        *((b"hot", b"%d" % number, 2_000, 0) for number in range(HOT)),
    )
    run()
    put((b"huge", b"small", 1_001, 0), (b"calm", b"w", 1_001, 1))
    run()
    counted = {
        (record.key, record.timestamp_ms): hr.INT64.decode(record.value) for record in consume(broker, None, counts)
    }
    assert counted == {
        (b"huge", 1_000): 1,
        (b"huge", 1_001): 2,
        (b"ahead", IN_2100): 1,
        (b"calm", 1_000): 1,
        (b"calm", 1_001): 2,
        (b"hot", 2_000): HOT,
    }
    assert {(record.key, record.timestamp_ms): record.value for record in consume(broker, None, last)} == {
        (b"huge", 1_000): HUGE,
        (b"huge", 1_001): b"small",
        (b"ahead", IN_2100): b"v",
        (b"calm", 1_000): b"v",
        (b"calm", 1_001): b"w",
        (b"hot", 2_000): b"%d" % (HOT - 1),
    }


def test_a_time_far_ahead_closes_its_own_partition_alone(
    broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    source, windows, rows = topic("in", partitions=2), topic("windows", partitions=1), topic("rows", partitions=1)

    def run(*records: NewRecord) -> None:
        produce(broker, None, source, records)
        app = hr.App("ahead", broker=broker, checkpoint=tmp_path)
        grouped = app.stream(source, key=hr.STRING).group_by_key()
        counts = grouped.windowed_by(hr.tumbling("10s")).count(store="windows").to_stream()
        counts.select_key(lambda window, _: window.key).to(windows, key=hr.STRING)
        grouped.count(store="rows", ttl="10s").to_stream().to(rows)
        app.run(until="latest")

    def old(number: int) -> NewRecord:
        return NewRecord(key=b"k%d" % number, value=b"v", timestamp_ms=1_000, partition=0)

    calm = NewRecord(key=b"calm", value=b"v", timestamp_ms=1_000, partition=1)
    run(calm, *map(old, range(KEYS)))
    run(NewRecord(key=b"ahead", value=b"v", timestamp_ms=IN_2100, partition=0), calm, old(0))
    run(calm, old(0))

    def counted(target: str, key: bytes) -> list[int | None]:
        return [hr.INT64.decode(record.value) for record in consume(broker, None, target) if record.key == key]

    assert counted(windows, b"calm") == counted(rows, b"calm") == [1, 2, 3]
    assert counted(windows, b"k0") == [1]
    gone = Counter(record.key for record in consume(broker, None, rows) if record.value is None)
    assert gone == Counter(b"k%d" % number for number in range(KEYS))


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"max.message.bytes": "10000"}, "(max.message.bytes of the topic)"),
        (
            {"message.timestamp.after.max.ms": "1000"},
            "(message.timestamp.before.max.ms and .after.max.ms of the topic)",
        ),
    ],
    ids=["size", "time"],
)
def test_a_topic_that_does_not_take_a_record_names_its_setting(
    config: dict[str, str], words: str, broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    source = topic(partitions=1)
    strict = f"{source}-strict"
    Topics(broker).create(strict, 1, config)
    produce(broker, None, source, [NewRecord(value=random.Random(1).randbytes(900_000), timestamp_ms=IN_2100)])
    app = hr.App("strict", broker=broker, checkpoint=tmp_path)
    app.stream(source).to(strict)
    with pytest.raises(RecordRefused) as caught:
        app.run(until="latest")
    assert caught.value.what.startswith(f"a record for topic {strict!r} was refused: ")
    assert words in caught.value.what
