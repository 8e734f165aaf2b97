"""Records written to and read from a real broker."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from confluent_kafka import Producer

from headrace.errors import RecordRefused, TopicMissing, TopicRefused
from headrace.log.records import NewRecord, consume, produce

pytestmark = pytest.mark.spark


def test_everything_about_a_record_comes_back(broker: str, topic: Callable[..., str]) -> None:
    name = topic(partitions=2)
    headers = (("trace", b"\x00\xff"), ("trace", None), ("empty", b""))
    assert (
        produce(
            broker,
            None,
            name,
            [
                NewRecord(key=b"k", value=b"v", headers=headers, timestamp_ms=3_000, partition=1),
                NewRecord(key=b"k", value=None, timestamp_ms=1, partition=1),
                NewRecord(key=None, value=b"", partition=1),
            ],
        )
        == 3
    )
    first, tombstone, empty = consume(broker, None, name)
    assert (first.topic, first.partition, first.offset, first.timestamp_ms) == (name, 1, 0, 3_000)
    assert (first.key, first.value, first.headers) == (b"k", b"v", headers)
    assert (tombstone.key, tombstone.value, tombstone.timestamp_ms) == (b"k", None, 1)
    assert (empty.key, empty.value) == (None, b"")
    assert abs((empty.timestamp_ms or 0) - time.time() * 1000) < 60_000


def test_keys_go_where_java_puts_them(broker: str, topic: Callable[..., str]) -> None:
    name = topic(partitions=4)
    # The hashes that the test of Kafka's Java client expects of murmur2.
    hashes = {b"21": -973932308, b"foobar": -790332482, b"a-little-bit-long-string": -985981536, b"abc": 479470107}
    expected = {key: (murmur2 & 0x7FFFFFFF) % 4 for key, murmur2 in hashes.items()}
    produce(broker, None, name, [NewRecord(key=key, value=b"") for key in expected])
    assert {record.key: record.partition for record in consume(broker, None, name)} == expected


def test_reading_ends_at_the_end_or_after_enough(broker: str, topic: Callable[..., str]) -> None:
    name = topic(partitions=3)
    assert list(consume(broker, None, name)) == []
    produce(broker, None, name, [NewRecord(value=str(n).encode(), partition=n % 3) for n in range(30)])
    assert len(list(consume(broker, None, name))) == 30
    assert len(list(consume(broker, None, name, limit=7))) == 7
    assert list(consume(broker, None, name, limit=0)) == []
    assert [record.value for record in consume(broker, None, name, partition=2, limit=2)] == [b"2", b"5"]
    assert list(consume(broker, None, name, from_beginning=False)) == []


def test_following_sees_what_comes_later(broker: str, topic: Callable[..., str]) -> None:
    name = topic(partitions=1)
    produce(broker, None, name, [NewRecord(value=b"before")])
    later = threading.Timer(1.0, produce, (broker, None, name, [NewRecord(value=b"after")]))
    later.start()
    (seen,) = consume(broker, None, name, from_beginning=False, follow=True, limit=1)
    assert seen.value == b"after"
    both = consume(broker, None, name, follow=True, limit=2)
    assert [record.value for record in both] == [b"before", b"after"]
    later.join()


def test_only_committed_records_are_read(broker: str, topic: Callable[..., str]) -> None:
    name = topic(partitions=1)
    for ending, value in (("commit", b"kept"), ("abort", b"dropped")):
        producer = Producer({"bootstrap.servers": broker, "transactional.id": f"{name}-{ending}", "log_level": 0})
        producer.init_transactions(20)
        producer.begin_transaction()
        producer.produce(name, value)
        producer.flush(20)
        if ending == "commit":
            producer.commit_transaction(20)
        else:
            producer.abort_transaction(20)
    assert [record.value for record in consume(broker, None, name)] == [b"kept"]
    assert [record.value for record in consume(broker, None, name, committed=False)] == [b"kept", b"dropped"]


def test_records_before_a_failing_source_are_written(broker: str, topic: Callable[..., str]) -> None:
    name = topic(partitions=1)

    def failing() -> Iterator[NewRecord]:
        yield NewRecord(value=b"good")
        raise ValueError("bad line")

    with pytest.raises(ValueError, match="bad line"):
        produce(broker, None, name, failing())
    assert [record.value for record in consume(broker, None, name)] == [b"good"]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (NewRecord(value=b"x", partition=9), "partition"),
        (NewRecord(value=b"x" * 40_000_000), "large"),
        (NewRecord(value=b"x", timestamp_ms=0), "timestamp 0 is below 1"),
    ],
)
def test_a_refused_record_is_named(broker: str, topic: Callable[..., str], record: NewRecord, reason: str) -> None:
    name = topic(partitions=1)
    with pytest.raises(RecordRefused) as refused:
        produce(broker, None, name, itertools.chain([NewRecord(value=b"fine")], [record]))
    assert f"a record for topic '{name}' was refused" in str(refused.value)
    assert reason in str(refused.value)
    assert "at: record 2" in str(refused.value)


def test_a_missing_topic_is_not_created(broker: str) -> None:
    with pytest.raises(TopicMissing, match="no topic 'nowhere'"):
        produce(broker, None, "nowhere", [NewRecord(value=b"x")])
    with pytest.raises(TopicMissing, match="no topic 'nowhere'"):
        list(consume(broker, None, "nowhere"))


def test_a_missing_partition_is_named(broker: str, topic: Callable[..., str]) -> None:
    with pytest.raises(TopicRefused, match="it has no partition 7, but 0 to 3"):
        list(consume(broker, None, topic(), partition=7))
