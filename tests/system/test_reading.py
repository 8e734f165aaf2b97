"""What is read of a partition: all that is committed, each record once, and nothing is lost without a word."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient

import headrace as hr
from headrace.errors import RecordsGone
from headrace.log.records import NewRecord, consume, produce
from waiting import until_read

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


def in_transaction(broker: str, topic: str, values: Sequence[bytes], *, commit: bool) -> None:
    producer = Producer({"bootstrap.servers": broker, "transactional.id": f"{topic}-{commit}", "log_level": 0})
    producer.init_transactions(20)
    producer.begin_transaction()
    for value in values:
        producer.produce(topic, value, b"k", partition=0)
    producer.flush(20)
    (producer.commit_transaction if commit else producer.abort_transaction)(20)


def copied(broker: str, source: str, target: str, checkpoint: Path) -> list[bytes | None]:
    app = hr.App("reading", broker=broker, checkpoint=checkpoint)
    app.stream(source).to(target)
    app.run(until="latest")
    return [record.value for record in consume(broker, None, target)]


def test_what_was_given_up_is_not_read_even_at_the_end(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic(partitions=1), topic(partitions=1)
    in_transaction(broker, source, [b"a", b"b"], commit=True)
    in_transaction(broker, source, [b"x"] * 50, commit=False)
    assert copied(broker, source, target, tmp_path) == [b"a", b"b"]
    in_transaction(broker, source, [b"c"], commit=True)
    in_transaction(broker, source, [b"y"], commit=False)
    assert copied(broker, source, target, tmp_path) == [b"a", b"b", b"c"]


def test_a_partition_is_read_on_from_batch_to_batch(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic(partitions=3), topic(partitions=1)
    app = hr.App("batches", broker=broker, checkpoint=tmp_path)
    app.stream(source, key=hr.STRING).group_by_key().count(store="n").to_stream().to(target)
    with app:
        for number in range(1, 6):
            produce(broker, None, source, [NewRecord(key=b"a", value=b""), NewRecord(key=b"b", value=b"x")])
            until_read(app, 2 * number)
    found = [(record.key, hr.INT64.decode(record.value)) for record in consume(broker, None, target)]
    assert sorted(found) == [(key, count) for key in (b"a", b"b") for count in range(1, 6)]


def test_values_that_nobody_looks_at_still_are_there_or_not(
    broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    source, target = topic(partitions=1), topic(partitions=1)
    produce(broker, None, source, [NewRecord(key=b"k", value=value) for value in (b"", None, b"v" * 2000)])
    app = hr.App("unread", broker=broker, checkpoint=tmp_path)
    app.stream(source, key=hr.STRING).group_by_key().count(store="n").to_stream().to(target)
    app.run(until="latest")
    assert [hr.INT64.decode(record.value) for record in consume(broker, None, target)] == [2]
    assert app.metrics().drops == {("n", "no value"): 1}


def test_records_that_were_deleted_before_they_were_read_are_missed(
    broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    source, target = topic(partitions=1), topic(partitions=1)
    produce(broker, None, source, [NewRecord(value=b"first")])
    assert copied(broker, source, target, tmp_path) == [b"first"]
    produce(broker, None, source, [NewRecord(value=b"%d" % number) for number in range(10)])
    admin = AdminClient({"bootstrap.servers": broker})
    for done in admin.delete_records([TopicPartition(source, 0, 5)]).values():
        done.result(20)
    with pytest.raises(RecordsGone, match=f"{source}-0 has no record 1 any more"):
        copied(broker, source, target, tmp_path)
