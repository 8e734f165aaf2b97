"""Input of a stream thread: a consumer with partitions that it was given, which joins no group."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from confluent_kafka import TIMESTAMP_NOT_AVAILABLE, Consumer, KafkaError, Message, TopicPartition

from headrace.errors import BrokerLost, NotAllowed, RecordsGone, TopicMissing, TopicRefused
from headrace.log.client import make_client, reason_of
from headrace.log.records import Header

_SETTINGS = {
    "enable.auto.commit": False,
    "auto.offset.reset": "error",
    "isolation.level": "read_committed",
    "fetch.wait.max.ms": 100,
    "fetch.queue.backoff.ms": 5,
    "queued.max.messages.kbytes": 16_384,
    # A fetch has something of each partition, not all of one before the next: they go by the order of times.
    "max.partition.fetch.bytes": 131_072,
}
_CHUNK = 1_000
_MARKERS = 2
"""So many offsets behind the last record may be those of a transaction's end, which are no records."""

Place = tuple[str, int]


class Fetched(NamedTuple):
    """A record as it was fetched."""

    place: Place
    offset: int
    ts: int
    key: bytes | None
    value: bytes | None
    headers: tuple[Header, ...]


class Input:
    """Fetches committed records, partition by partition in order."""

    def __init__(self, address: str, kafka: Mapping[str, str] | None, group: str) -> None:
        self._address = address
        self._consumer, self._troubles = make_client(Consumer, address, kafka, {**_SETTINGS, "group.id": group})
        self._positions: dict[Place, int] = {}

    @property
    def positions(self) -> Mapping[Place, int]:
        """The offset of the next record of each partition."""
        return self._positions

    @property
    def group(self) -> object:
        """The group, as who commits positions has to name it."""
        return self._consumer.consumer_group_metadata()

    def add(self, starts: Mapping[Place, int]) -> None:
        """Fetch more partitions, from these offsets on."""
        self._positions |= starts
        self._consumer.incremental_assign(
            [TopicPartition(topic, number, offset) for (topic, number), offset in starts.items()]
        )

    def drop(self, places: Iterable[Place]) -> None:
        """Fetch some partitions no more; their positions stay."""
        self._consumer.incremental_unassign([TopicPartition(*place) for place in places])

    def fetch(self, seconds: float) -> Iterator[Fetched]:
        """The records that are there; some seconds are waited for the first one."""
        first = self._consumer.poll(seconds)
        if first is None:
            return
        for message in (first, *self._consumer.consume(_CHUNK, 0)):
            found = self._fetched(message)
            if found is not None:
                self._positions[found.place] = found.offset + 1
                yield found

    def pause(self, places: Iterable[Place]) -> None:
        """Fetch nothing of some partitions for now."""
        self._consumer.pause([TopicPartition(*place) for place in places])

    def resume(self, places: Iterable[Place]) -> None:
        """Go on fetching them."""
        self._consumer.resume([TopicPartition(*place) for place in places])

    def lag(self, place: Place) -> int:
        """How many records a partition is known to have that were not fetched: as the last fetch has told."""
        _, end = self._consumer.get_watermark_offsets(TopicPartition(*place), cached=True)
        if end < 0:
            return 1  # nobody knows yet
        left = end - self._positions[place]
        return left if left > _MARKERS else 0

    def passed(self, place: Place) -> int:
        """The offset up to which all was fetched; markers of transactions are passed by."""
        (found,) = self._consumer.position([TopicPartition(*place)])
        return max(self._positions[place], found.offset)

    def close(self) -> None:
        """Fetch no more."""
        self._consumer.close()

    def _fetched(self, message: Message) -> Fetched | None:
        error = message.error()
        if error is not None:
            raise_fatal(error, message, self._address)
            return None
        kind, ts = message.timestamp()
        return Fetched(
            (str(message.topic()), int(message.partition() or 0)),
            int(message.offset() or 0),
            -1 if kind == TIMESTAMP_NOT_AVAILABLE else ts,
            message.key(),
            message.value(),
            tuple(message.headers() or ()),  # type: ignore[arg-type]  # its stubs know texts, too
        )


def raise_fatal(error: KafkaError, message: Message, address: str) -> None:
    """Raise what a consumer cannot go on after; what may pass by itself is left out."""
    code, topic = error.code(), str(message.topic())
    if code == KafkaError._AUTO_OFFSET_RESET:
        raise RecordsGone(f"{topic}-{message.partition()}", int(message.offset() or 0))
    if code == KafkaError.TOPIC_AUTHORIZATION_FAILED:
        raise NotAllowed([f"Read on topic {topic!r}"])
    if code in (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC, KafkaError._UNKNOWN_PARTITION):
        raise TopicMissing([topic], address)
    if error.fatal():
        raise TopicRefused(topic, "read", reason_of(error))


class Log:
    """Partitions of one topic, read from their beginnings to their ends, and later on to their new ends."""

    def __init__(self, address: str, kafka: Mapping[str, str] | None, group: str, topic: str, partitions: int) -> None:
        self._input, self._address, self._topic = Input(address, kafka, group), address, topic
        self._input.add({(topic, number): 0 for number in range(partitions)})

    def read(self, ends: Mapping[int, int], patience_s: float) -> Iterator[Fetched]:
        """The records up to these offsets; in the end there may be markers of transactions, which are none."""
        heard, left = time.monotonic(), {number for number, end in ends.items() if self._behind(number, end)}
        while left:
            fetched = False
            for one in self._input.fetch(0.1):
                fetched = True
                yield one
            now = time.monotonic()
            heard = now if fetched else heard
            left = {number for number in left if self._behind(number, ends[number])}
            if now - heard > patience_s:
                raise BrokerLost(self._address, f"no record of {self._topic} came within {patience_s:g} s")

    def _behind(self, number: int, end: int) -> bool:
        return self._input.passed((self._topic, number)) < end

    def close(self) -> None:
        """Read no more."""
        self._input.close()
