"""Followers of partitions: read on and on from given offsets, as fast as the client can."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Message, TopicPartition

from headrace.errors import BrokerError, NotAllowed, TopicRefused
from headrace.log.client import make_client, reason_of

Place = tuple[str, int]
"""A topic and one of its partitions."""

Read = tuple[int, int, bytes | None, bytes | None]
"""A record: offset, time in milliseconds, key, value."""

BEGINNING = OFFSET_BEGINNING
"""The offset of the first record that there is."""

_OUT_OF_RANGE = (KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE)


@dataclass(slots=True)
class Chunk:
    """Chunk of records that were read from one partition."""

    records: list[Read] = field(default_factory=list)
    next: int = 0
    """The offset behind all of them; at the end also behind what a reader of committed records does not see."""

    lost: bool = False
    """There is nothing at the offset that was to be read next: the topic was cut off, or is another one."""

    failed: BrokerError | None = None
    """Why no more comes, unless it is followed anew."""


class Follower:
    """A reader of committed records that is told what to read. It leaves no trace in any consumer group."""

    def __init__(self, address: str, kafka: Mapping[str, str] | None = None) -> None:
        settings = {
            "group.id": f"headrace-{uuid.uuid4()}",
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "error",
            "isolation.level": "read_committed",
            # Records are small: large fetches cost less for each.
            "fetch.message.max.bytes": 4 * 1024 * 1024,
            "queued.min.messages": 200_000,
            "queued.max.messages.kbytes": 64 * 1024,
            "fetch.queue.backoff.ms": 10,
            # The end, behind the marks of transactions, is seen when a fetch finds nothing, and so long does that wait.
            "fetch.wait.max.ms": 30,
        }
        self._consumer, _ = make_client(Consumer, address, kafka, settings)
        self._followed: set[Place] = set()

    def follow(self, offsets: Mapping[Place, int]) -> None:
        """Read these too, or from elsewhere than so far."""
        self.leave(self._followed & offsets.keys())
        if offsets:
            self._consumer.incremental_assign([TopicPartition(*place, offset) for place, offset in offsets.items()])
            self._followed |= offsets.keys()

    def leave(self, places: Iterable[Place]) -> None:
        """Read these no more. What was fetched of them may not come any more either."""
        there = self._followed & set(places)
        if there:
            self._consumer.incremental_unassign([TopicPartition(*place) for place in there])
            self._followed -= there

    def read(self, limit: int, wait_s: float) -> dict[Place, Chunk]:
        """Read new records, at most so many; waits for one if there is none."""
        first = self._consumer.consume(1, wait_s)
        if not first:
            return {}
        found: dict[Place, Chunk] = {}
        # Without a wait: the client would wait for all of them.
        for message in (*first, *self._consumer.consume(limit - 1, 0)):
            place = cast("Place", (message.topic(), message.partition()))
            if place not in self._followed:
                continue
            chunk = found.get(place)
            if chunk is None:
                chunk = found[place] = Chunk()
            error = message.error()
            if error is None and chunk.failed is None:
                offset = cast("int", message.offset())
                chunk.records.append((offset, message.timestamp()[1], message.key(), message.value()))
                chunk.next = offset + 1
            elif error is not None:
                _note(message, error, chunk)
        return found

    def close(self) -> None:
        """Let go of the broker."""
        self._consumer.close()


def _note(message: Message, error: KafkaError, chunk: Chunk) -> None:
    code = error.code()
    if code == KafkaError._PARTITION_EOF:
        chunk.next = max(chunk.next, message.offset() or 0)
    elif code in _OUT_OF_RANGE:
        chunk.lost = True
    elif code == KafkaError.TOPIC_AUTHORIZATION_FAILED:
        chunk.failed = NotAllowed([f"Read on topic {message.topic()!r}"])
    else:
        chunk.failed = TopicRefused(str(message.topic()), "read", reason_of(error))
