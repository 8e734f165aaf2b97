"""How a backlog is cut into batches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

import headrace as hr
import headrace.functions as F
from headrace.log.records import consume
from headrace.model.batches import Batch
from headrace.spark.session.spark import kernel

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

FIRST, FIRST_IN_PYTHON = 100_000, 1_000
"""About as many records as the first batch has; fewer if functions in Python take them."""

Row = tuple[int, bytes, bytes, int]
"""Partition, key, value, ts."""


def write(broker: str, topic: str, rows: Iterable[Row]) -> int:
    """Write records, and say how many."""
    producer = Producer({"bootstrap.servers": broker, "linger.ms": 50, "queue.buffering.max.messages": 2_000_000})
    count = 0
    for partition, key, value, ts in rows:
        producer.produce(topic, key=key, value=value, partition=partition, timestamp=ts)
        count += 1
        if count % 10_000 == 0:
            producer.poll(0)
    assert producer.flush(60) == 0
    return count


def drained(app: hr.App) -> list[Batch]:
    """Run to the end of the topics: the batches it took."""
    batches: list[Batch] = []
    app.on_batch(lambda metrics: batches.append(metrics.last) if metrics.last else None)
    app.run(until="latest")
    assert sum(app.metrics().lag.values()) == 0
    return batches


@pytest.mark.parametrize(
    ("python", "cost_ms", "records_per_s", "least", "most"),
    [
        (False, 200, 100_000, 250_000, 300_000),
        (False, 300, 10_000, 24_000, 31_000),
        (False, 3_000, 10_000, 28_000, 32_000),
        (False, 10, 9, 100, 100),
        (True, 200, 100_000, 250_000, 300_000),
        (True, 200, 9, 100, 100),
    ],
)
def test_batches_take_three_seconds_or_longer_where_their_own_cost_is_high(
    spark: Any, python: bool, cost_ms: int, records_per_s: int, least: int, most: int
) -> None:
    pace, now, sizes = kernel(spark, "kafka").Pace.of(python), 0, []
    for number in range(12):
        size = pace.limit(now)
        sizes.append(size)
        pace.begin(size, now)
        now += 20_000 if number == 0 else cost_ms + size * 1_000 // records_per_s
    assert sizes[:2] == [FIRST_IN_PYTHON if python else FIRST] * 2
    assert all(least <= size <= most for size in sizes[-3:]), sizes


def test_small_batches_of_a_live_stream_do_not_make_the_next_backlog_small(spark: Any) -> None:
    pace, now = kernel(spark, "kafka").Pace.of(False), 0
    for _ in range(50):
        assert pace.limit(now) == FIRST
        pace.begin(3, now)
        now += 400


def test_functions_in_python_begin_with_few_and_soon_get_many(
    broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    """For nobody knows how long they take, and the transaction of a batch is not open for ever."""
    source, target = topic("numbers", 2), topic("lengths", 1)
    total = write(broker, source, ((number % 2, b"%d" % number, b"x", number) for number in range(30_000)))

    def length(value: str) -> int:
        return len([*value])

    app = hr.App("few", broker=broker, checkpoint=tmp_path)
    app.stream(source, key=hr.STRING, value=hr.STRING).map_values(length).to(target, value=hr.INT64)
    batches = drained(app)
    assert FIRST_IN_PYTHON / 2 <= batches[0].records_in <= FIRST_IN_PYTHON + 4
    assert sum(batch.records_in for batch in batches) == total
    assert len(batches) <= 7


def test_a_table_is_kept_in_step_with_the_stream_that_looks_up_its_rows(
    broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    users, orders, target = topic("users", 2), topic("orders", 2), topic("found", 1)
    keys = 20_000

    def rows(count: int, value: bytes, first_ms: int, last_ms: int) -> Iterable[Row]:
        for number in range(count):
            ts = first_ms + (last_ms - first_ms) * number // count
            yield number % 2, b"%d" % (number % keys), value, ts

    total = write(broker, orders, rows(120_000, b"early", 2_000, 9_000))
    total += write(broker, users, rows(keys, b"old", 1_000, 1_500))
    total += write(broker, orders, rows(120_000, b"late", 20_000, 30_000))
    total += write(broker, users, rows(keys, b"new", 12_000, 12_001))

    app = hr.App("in-step", broker=broker, checkpoint=tmp_path)
    table = app.table(users, key=hr.STRING, value=hr.STRING)
    found = app.stream(orders, key=hr.STRING, value=hr.STRING).left_join(
        table, lambda order, user: order + "-" + F.coalesce(user, "none")
    )
    found.group_by(lambda _, value: value).count(store="n").to_stream().to(target, value=hr.INT64)
    batches = drained(app)

    counted = {record.key: hr.INT64.decode(record.value) for record in consume(broker, None, target)}
    assert counted == {b"early-old": 120_000, b"late-new": 120_000}
    assert len(batches) > 1
    assert FIRST / 2 <= batches[0].records_in <= FIRST + 4
    assert sum(batch.records_in for batch in batches) == total
    assert sum(batches[0].lag.values()) == total - batches[0].records_in


def test_a_run_until_the_latest_ends_where_the_topics_ended_at_the_start(
    broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    source = topic("numbers", 2)
    rows = [(number % 2, b"k", b"v", 1_000 + number) for number in range(500_000)]
    total = write(broker, source, rows)
    app = hr.App("growing", broker=broker, checkpoint=tmp_path)
    app.stream(source, key=hr.STRING, value=hr.STRING).filter(lambda _, value: value == "none").to(topic())
    more: list[int] = []
    app.on_batch(lambda _: more.append(write(broker, source, rows[:10])))
    batches = drained(app)
    assert sum(batch.records_in for batch in batches) == total
    assert len(batches) > 1
    again = hr.App("growing", broker=broker, checkpoint=tmp_path)
    again.stream(source, key=hr.STRING, value=hr.STRING).filter(lambda _, value: value == "none").to(topic())
    assert sum(batch.records_in for batch in drained(again)) == sum(more)


def test_a_record_ahead_of_its_time_holds_its_partition_up_no_longer_than_the_others_have_records(
    broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    source = topic("jumpy", 2)
    total = write(broker, source, [(0, b"k", b"v", int(time.time() * 1000))])
    total += write(broker, source, [(number % 2, b"k", b"v", 1_000 + number) for number in range(250_000)])
    app = hr.App("jumpy", broker=broker, checkpoint=tmp_path)
    app.stream(source, key=hr.STRING, value=hr.STRING).filter(lambda _, value: value == "none").to(topic())
    batches = drained(app)
    assert sum(batch.records_in for batch in batches) == total
    assert len(batches) < 8
