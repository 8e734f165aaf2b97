"""Many topics at once, with one producer and one consumer: cheaper than one of each for every topic."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # its stubs do not re-export them
    AdminClient,
    NewTopic,
    OffsetSpec,
)
from pyspark import SparkContext

from headrace.model.record import Header, RawRecord

_SILENCE_S = 20.0
_CREATED_S = 120.0
_LATEST: OffsetSpec = OffsetSpec.latest()  # type: ignore[no-untyped-call]


def create_topics(broker: str, names: Iterable[str]) -> None:
    """Create topics with one partition each, in one request, and wait until they can be used."""
    admin, wanted = AdminClient({"bootstrap.servers": broker}), list(names)
    for made in admin.create_topics([NewTopic(name, 1) for name in wanted]).values():
        made.result()
    deadline = time.monotonic() + _CREATED_S
    while wanted:  # the broker names the leader of a topic a little before that knows of it
        asked = admin.list_offsets({TopicPartition(topic, 0): _LATEST for topic in wanted})
        wanted = [partition.topic for partition, one in asked.items() if one.exception() is not None]
        assert time.monotonic() < deadline, wanted
        time.sleep(0.05 if wanted else 0.0)


def produce_all(broker: str, records: Iterable[RawRecord]) -> None:
    """Write records to their topics, in order.

    librdkafka takes the time 0 for now, and Java's client refuses times before that: each writes what the other cannot.
    """
    for negative, some in groupby(records, lambda record: record.ts < 0):
        (_produce if negative else _produce_by_java)(broker, some)


def _produce(broker: str, records: Iterable[RawRecord]) -> None:
    producer = Producer({"bootstrap.servers": broker, "enable.idempotence": True})
    for record in records:
        producer.produce(
            record.topic, key=record.key, value=record.value, timestamp=record.ts, headers=list(record.headers)
        )
    assert producer.flush(_SILENCE_S) == 0


def _produce_by_java(broker: str, records: Iterable[RawRecord]) -> None:
    """By the client in Spark's JVM."""
    jvm: Any = SparkContext._jvm
    # Looked up once, and by their whole names: for each part of a name the JVM looks into all of its jars.
    make_producer, make_record, make_header, make_list, bytes_ = (getattr(jvm, name) for name in _JAVA)
    producer = make_producer({"bootstrap.servers": broker}, bytes_(), bytes_())
    sent = []
    for record in records:
        headers = make_list()
        for name, value in record.headers:
            headers.append(make_header(name, value))
        sent.append(producer.send(make_record(record.topic, 0, record.ts, record.key, record.value, headers)))
    producer.close()
    for one in sent:
        one.get()  # raises what the broker refused


_JAVA = (
    "org.apache.kafka.clients.producer.KafkaProducer",
    "org.apache.kafka.clients.producer.ProducerRecord",
    "org.apache.kafka.common.header.internals.RecordHeader",
    "java.util.ArrayList",
    "org.apache.kafka.common.serialization.ByteArraySerializer",
)


class Reader:
    """Reads topics to their ends, and goes on from there the next time."""

    def __init__(self, broker: str, topics: Iterable[str]) -> None:
        self._admin = AdminClient({"bootstrap.servers": broker})
        self._consumer = Consumer(
            {
                "bootstrap.servers": broker,
                "group.id": "cases",
                "enable.auto.commit": False,
                "isolation.level": "read_committed",
            }
        )
        self._offsets = dict.fromkeys(topics, 0)

    def read(self) -> Mapping[str, list[RawRecord]]:
        """The new records of every topic."""
        found: dict[str, list[RawRecord]] = {topic: [] for topic in self._offsets}
        ends = {topic: end for topic, end in self._ends().items() if end > self._offsets[topic]}
        self._consumer.assign([TopicPartition(topic, 0, self._offsets[topic]) for topic in ends])
        while ends:
            message = self._consumer.poll(_SILENCE_S)
            assert message is not None, f"nothing came of {len(ends)} topics"
            assert message.error() is None, message.error()
            topic = str(message.topic())
            headers: tuple[Header, ...] = tuple(message.headers() or ())  # type: ignore[arg-type]
            found[topic].append(
                RawRecord(
                    topic=topic, key=message.key(), value=message.value(), ts=message.timestamp()[1], headers=headers
                )
            )
            self._offsets[topic] = (message.offset() or 0) + 1
            if self._offsets[topic] == ends.get(topic):
                del ends[topic]
        return found

    def _ends(self) -> dict[str, int]:
        """All in one question: to be told of the end of each topic takes the consumer seconds."""
        asked = self._admin.list_offsets({TopicPartition(topic, 0): _LATEST for topic in self._offsets})
        return {partition.topic: one.result().offset for partition, one in asked.items()}

    def close(self) -> None:
        """Close the connection."""
        self._consumer.close()
