"""Heartbeat topic: small messages by which the instances of an application know of one another."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from contextlib import suppress

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaException, Producer, TopicPartition

from headrace.errors import TopicExists
from headrace.log.client import make_client
from headrace.log.topics import Topics

_LAST_WORDS_S = 1.0
_AT_ONCE = 1_000
# What is older than a few seconds is of no use; a few minutes are the least that a broker deals with well.
_SETTINGS = {
    "cleanup.policy": "compact,delete",
    "retention.ms": "600000",
    "segment.ms": "600000",
    "min.cleanable.dirty.ratio": "0.01",
}


class Bulletin:
    """The topic, from its beginning on, and what is written to it from here."""

    def __init__(self, topic: str, address: str, kafka: Mapping[str, str] | None = None) -> None:
        topics = Topics(address, kafka)
        if topics.partitions([topic])[topic] is None:
            with suppress(TopicExists):  # another one may be quicker
                topics.create(topic, 1, _SETTINGS)
        self.topic = topic
        self.end = topics.end_offsets(topic)[0]
        """Where it ended when this one came."""

        # What could not be told within a second or two is old by then.
        self._producer, _ = make_client(Producer, address, kafka, {"linger.ms": 0, "message.timeout.ms": 2_000})
        settings = {
            "group.id": f"headrace-{uuid.uuid4()}",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
        }
        self._consumer, _ = make_client(Consumer, address, kafka, settings)
        self._consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING)])

    def tell(self, name: str, text: bytes | None) -> None:
        """Say something under a name; None that it is no more."""
        try:
            self._producer.produce(self.topic, key=name.encode(), value=text)
        except (BufferError, KafkaException):
            return  # it is said again soon
        self._producer.poll(0)

    def hear(self, wait_s: float) -> list[tuple[int, str, bytes | None]]:
        """New messages, each with its offset and name; waits for one if there is none."""
        heard = self._consumer.consume(1, wait_s)
        return [
            (message.offset() or 0, (message.key() or b"").decode(errors="replace"), message.value())
            for message in (*heard, *(self._consumer.consume(_AT_ONCE, 0) if heard else ()))
            if message.error() is None
        ]

    def close(self) -> None:
        """Write a last message, and close."""
        self._producer.flush(_LAST_WORDS_S)
        self._consumer.close()
