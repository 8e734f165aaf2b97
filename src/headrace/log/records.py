"""Producers and consumers: write records to a topic, and read them back."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from confluent_kafka import TIMESTAMP_NOT_AVAILABLE, Consumer, KafkaError, KafkaException, Message, Producer
from confluent_kafka import TopicPartition as ClientPartition

from headrace.errors import BrokerError, NotAllowed, RecordRefused, TopicMissing, TopicRefused
from headrace.log.client import make_client, reason_of
from headrace.log.topics import Topics

Header = tuple[str, bytes | None]

_BEGINNING = 0
_ANY_PARTITION = -1
_DELIVERY_S = 30
_SILENCE_S = 10.0
_POLL_S = 0.2
_LARGEST = 1_000_000_000
"""As much as the client can take: what is too large is the topic's to say."""


@dataclass(frozen=True, kw_only=True)
class NewRecord:
    """A record to write. Without a timestamp it gets the time of writing, without a partition the one of its key."""

    key: bytes | None = None
    value: bytes | None = None
    headers: tuple[Header, ...] = ()
    timestamp_ms: int | None = None
    partition: int | None = None


@dataclass(frozen=True, kw_only=True)
class ConsumedRecord:
    """A record as it lies in a topic."""

    topic: str
    partition: int
    offset: int
    timestamp_ms: int | None
    key: bytes | None
    value: bytes | None
    headers: tuple[Header, ...]


def possible_time(timestamp_ms: int | None) -> int:
    """A time of a record as it can be written: the client takes 0 for now."""
    return max(timestamp_ms or 0, 1)


def produce(address: str, kafka: Mapping[str, str] | None, topic: str, records: Iterable[NewRecord]) -> int:
    """Write records, wait until the broker has them all, and return how many there were.

    Keys go to the partitions that Java's clients give them. The first record that is refused ends the writing; its
    number, counted from 1, is in the error.
    """
    if Topics(address, kafka).partitions([topic])[topic] is None:
        raise TopicMissing([topic], address)
    settings = {
        "partitioner": "murmur2_random",
        "enable.idempotence": True,
        "linger.ms": 5,
        "message.timeout.ms": _DELIVERY_S * 1000,
        "message.max.bytes": _LARGEST,
    }
    producer, _ = make_client(Producer, address, kafka, settings)
    writing = _Writing(producer, topic)
    try:
        for record in records:
            writing.add(record)
    finally:
        # Also when the source of the records fails: those before the failure are written.
        writing.finish()
    writing.check()
    return writing.count


class _Writing:
    """Records on their way to one topic, and the first refusal."""

    def __init__(self, producer: Producer, topic: str) -> None:
        self._producer, self._topic = producer, topic
        self._refused: BrokerError | None = None
        self.count = 0

    def add(self, record: NewRecord) -> None:
        number = self.count + 1
        # librdkafka takes 0 for "now", and writes negative times that other clients refuse to read.
        if record.timestamp_ms is not None and record.timestamp_ms < 1:
            raise self._refusal(f"timestamp {record.timestamp_ms} is below 1, the smallest possible here", number)
        while True:
            self.check()
            try:
                self._hand_over(record, number)
            except BufferError:
                self._producer.poll(_POLL_S)
            except KafkaException as exc:
                raise self._refusal(reason_of(exc.args[0]), number) from exc
            else:
                break
        self.count = number
        self._producer.poll(0)

    def check(self) -> None:
        if self._refused is not None:
            raise self._refused

    def finish(self) -> None:
        # Ends by itself: every record is delivered or refused within the delivery time.
        self._producer.flush()

    def _hand_over(self, record: NewRecord, number: int) -> None:
        def delivered(error: KafkaError | None, _: Message) -> None:
            if error is not None and self._refused is None:
                denied = error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED
                told = NotAllowed([f"Write on topic {self._topic!r}"])
                self._refused = told if denied else self._refusal(reason_of(error), number)

        self._producer.produce(
            self._topic,
            value=record.value,
            key=record.key,
            partition=_ANY_PARTITION if record.partition is None else record.partition,
            timestamp=record.timestamp_ms or 0,
            headers=list(record.headers),
            on_delivery=delivered,
        )

    def _refusal(self, reason: str, number: int) -> RecordRefused:
        return RecordRefused(self._topic, reason, where=f"record {number}")


def consume(
    address: str,
    kafka: Mapping[str, str] | None,
    topic: str,
    *,
    from_beginning: bool = True,
    follow: bool = False,
    limit: int | None = None,
    partition: int | None = None,
    committed: bool = True,
) -> Iterator[ConsumedRecord]:
    """Read a topic, partition by partition in order, without leaving a trace in any consumer group.

    Ends at the end that the topic had at the start, unless `follow`; after `limit` records at the latest. Records
    of open and aborted transactions are left out unless `committed` is off.
    """
    ends = Topics(address, kafka).end_offsets(topic, committed=committed)
    if partition is not None:
        if partition not in ends:
            raise TopicRefused(topic, "read", f"it has no partition {partition}, but 0 to {len(ends) - 1}")
        ends = {partition: ends[partition]}
    if limit == 0 or (not follow and not (from_beginning and any(ends.values()))):
        return
    settings = {
        "group.id": f"headrace-{uuid.uuid4()}",
        "enable.auto.commit": False,
        "enable.partition.eof": True,
        "auto.offset.reset": "earliest",
        "isolation.level": "read_committed" if committed else "read_uncommitted",
    }
    consumer, troubles = make_client(Consumer, address, kafka, settings)
    try:
        consumer.assign(
            [ClientPartition(topic, number, _BEGINNING if from_beginning else ends[number]) for number in ends]
        )
        open_partitions = set(ends)
        heard = time.monotonic()
        while follow or open_partitions:
            message = consumer.poll(_POLL_S)
            if message is None:
                if not follow and time.monotonic() - heard > _SILENCE_S:
                    raise troubles.error(address, _SILENCE_S)
                continue
            error = message.error()
            # It looks for its group all the same, which not everybody may see, and nobody needs to.
            if error is not None and error.code() == KafkaError.GROUP_AUTHORIZATION_FAILED:
                continue
            heard = time.monotonic()
            if error is not None:
                if error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
                    raise NotAllowed([f"Read on topic {topic!r}"])
                if error.code() != KafkaError._PARTITION_EOF:
                    raise TopicRefused(topic, "read", reason_of(error))
                open_partitions.discard(_number(message.partition()))
                continue
            record = _record(message)
            if record.offset + 1 >= ends[record.partition]:
                open_partitions.discard(record.partition)
            if not follow and record.offset >= ends[record.partition]:
                continue
            yield record
            if limit is not None:
                limit -= 1
                if limit == 0:
                    return
    finally:
        consumer.close()


def _record(message: Message) -> ConsumedRecord:
    kind, timestamp_ms = message.timestamp()
    # The client hands headers over as pairs with bytes; its types also cover what one may give to it.
    headers = cast("list[Header] | None", message.headers())
    return ConsumedRecord(
        topic=str(message.topic()),
        partition=_number(message.partition()),
        offset=_number(message.offset()),
        timestamp_ms=None if kind == TIMESTAMP_NOT_AVAILABLE else timestamp_ms,
        key=message.key(),
        value=message.value(),
        headers=tuple(headers or ()),
    )


def _number(of_message: int | None) -> int:
    # The client's types allow None for messages that were never sent; those it hands over have been.
    assert of_message is not None
    return of_message
