"""The driver with several partitions and batches writes what Spark writes from topics with so many."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic  # type: ignore[attr-defined]  # its stubs do not re-export it

import headrace as hr
import headrace.functions as F
from headrace.log.partitioner import partition_of
from headrace.log.topics import Topics

PARTITIONS = 4
TOPICS = ("late-words", "late-counts", "late-windows")
Row = tuple[str, str, int]
Result = tuple[str, int, int]
"""Key, value, time."""

BATCHES: list[list[Row]] = [
    [(key, f"word {number % 3}", 1_000 + 1_000 * number) for number, key in enumerate("abcdefghabcdefgh" * 4)],
    [("a", "word 1", 5_000), ("b", "word 2", 70_000), ("h", "word 0", 64_000), ("a", "word 1", 90_000)],
]


def application(**options: Any) -> hr.App:
    """Counts words in four tasks, and the records of each key and window in four others."""
    app = hr.App("late", **options)
    words = app.stream("late-words", key=hr.STRING, value=hr.STRING)
    words.group_by(lambda _, word: word).count(store="words").to_stream().to("late-counts")
    windows = words.group_by_key().windowed_by(hr.tumbling("10s", grace="0s")).count(store="windows")
    windows.to_stream().map(lambda at, n: (F.text(at), n)).to("late-windows")
    return app


def in_driver() -> tuple[list[Counter[Result]], Any]:
    """What the driver writes, batch by batch, and what it drops."""
    found = []
    with hr.testing.TopologyTestDriver(application(), partitions=PARTITIONS) as driver:
        for batch in BATCHES:
            with driver.batch():
                driver.input("late-words").pipe_records(batch)
            outputs = [driver.output(topic).read_records() for topic in TOPICS[1:]]
            found.append(Counter((one.key, one.value, one.ts) for records in outputs for one in records))
        return found, driver.dropped


def on_spark(broker: str, checkpoint: Path) -> tuple[list[Counter[Result]], Any]:
    """The same on Spark, one run for each batch."""
    admin = AdminClient({"bootstrap.servers": broker})  # its futures end with it
    for one in admin.create_topics([NewTopic(one, PARTITIONS) for one in TOPICS]).values():
        one.result()
    found, dropped, read = [], Counter[tuple[str, str]](), dict[tuple[str, int], int]()
    for batch in BATCHES:
        _produce(broker, batch)
        app = application(broker=broker, checkpoint=checkpoint, spark={"spark.master": "local[2]"})
        app.run(until="latest")
        dropped.update(app.metrics().drops)
        found.append(_read(broker, read))
    return found, dict(dropped)


def _produce(broker: str, batch: list[Row]) -> None:
    producer = Producer({"bootstrap.servers": broker, "enable.idempotence": True})  # a broker under load is slow
    for key, value, ts in batch:
        partition = partition_of(key.encode(), PARTITIONS)
        producer.produce(TOPICS[0], key=key, value=value, timestamp=ts, partition=partition)
    assert producer.flush(20.0) == 0


def _read(broker: str, read: dict[tuple[str, int], int]) -> Counter[Result]:
    """What is new in the topics that are written."""
    ends = {
        (topic, partition): end
        for topic in TOPICS[1:]
        for partition, end in enumerate(Topics(broker).end_offsets(topic).values())
        if end > read.get((topic, partition), 0)
    }
    found: Counter[Result] = Counter()
    settings = {"bootstrap.servers": broker, "group.id": "late", "isolation.level": "read_committed"}
    with closing(Consumer(settings)) as consumer:
        consumer.assign([TopicPartition(*place, read.get(place, 0)) for place in ends])
        while any(read.get(place, 0) < end for place, end in ends.items()):
            message = consumer.poll(1.0)
            if message is None:
                read |= {(at.topic, at.partition): at.offset for at in consumer.position(list(consumer.assignment()))}
                continue
            assert message.error() is None, message.error()
            key, value = hr.STRING.decode(message.key()), hr.INT64.decode(message.value())
            found[str(key), value or 0, message.timestamp()[1]] += 1
            read[str(message.topic()), message.partition() or 0] = (message.offset() or 0) + 1
    return found


@pytest.mark.spark
def test_the_driver_settles_and_drops_as_spark_does(spark: object, broker: str, tmp_path: Path) -> None:  # noqa: ARG001
    driver, sparks = in_driver(), on_spark(broker, tmp_path)
    assert driver == sparks
    assert sum(driver[1].values()) > 0
