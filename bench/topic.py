"""Fill topics and read them, fast, on the one broker that all systems use."""

from __future__ import annotations

import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

from bench.workloads.base import PARTITIONS, Input, Output
from headrace.log.broker import EmbeddedBroker
from headrace.log.topics import Topics

_BATCH, _POLL_S, _SILENCE_S = 10_000, 0.2, 30.0
_POLL_EACH = 1_000


class Broker:
    """The broker of a run, and its topics."""

    def __init__(self, address: str, pid: int, folder: Path) -> None:
        self.address, self.pid, self._folder = address, pid, folder
        self._topics = Topics(address)
        self._targets = count(1)

    def create(self, topic: str) -> str:
        """Make a topic whose records keep their own times."""
        self._topics.create(topic, PARTITIONS)
        return topic

    def create_target(self, topic: str) -> str:
        """Make a topic of this stem whose records have the time when the broker got them."""
        topic = f"{topic}-{next(self._targets)}"
        self._topics.create(topic, PARTITIONS, {"message.timestamp.type": "LogAppendTime"})
        return topic

    def bring_to_memory(self, topic: str) -> None:
        """Read the files of a topic: whoever comes later must not find less of it in memory than who came first."""
        for file in self._folder.rglob(f"{topic}-[0-9]*/*.log"):
            with file.open("rb", buffering=0) as log:
                while log.read(1 << 20):
                    pass

    def size(self, partitions: str) -> int:
        """The bytes of the partitions whose folders are called like this."""
        return sum(file.stat().st_size for file in self._folder.rglob(f"{partitions}/*.log"))

    def remove_all(self) -> None:
        """Delete every topic, those that the systems made for themselves too: the disk is not endless."""
        names = self._topics.names()
        if names:
            self._topics.delete(names)

    def write(self, topic: str, records: Iterable[Input]) -> int:
        """Write records as fast as they come; returns how many there were."""
        producer = self.producer(linger_ms=20)
        number = 0
        for number, record in enumerate(records, 1):
            while True:
                try:
                    producer.produce(topic, record.value, record.key, record.partition, timestamp=record.ts)
                    break
                except BufferError:
                    producer.poll(0.1)
            if number % _POLL_EACH == 0:
                producer.poll(0)
        producer.flush()
        return number

    def producer(self, *, linger_ms: int) -> Producer:
        """A producer that keeps the order and takes the partitions that Java's would."""
        return Producer(
            {
                "bootstrap.servers": self.address,
                "partitioner": "murmur2_random",
                "enable.idempotence": True,
                "linger.ms": linger_ms,
                "batch.size": 500_000,
                "queue.buffering.max.messages": 500_000,
                "log_level": 3,
            }
        )

    def paced(self, producer: Producer, rate: int) -> Iterator[float]:
        """The times of a schedule without end, each when it has come; waiting takes no CPU from who is measured."""
        begin = time.time() + 0.1
        for number in count():
            due = begin + number / rate
            producer.poll(0)
            time.sleep(max(0.0, due - time.time()))
            yield due

    def read(self, topic: str) -> Iterator[Output]:
        """All committed records of a topic that are there now, each partition in its order."""
        left = {number for number, end in self._topics.end_offsets(topic, committed=True).items() if end}
        consumer, heard = self._consumer(topic, left), time.monotonic()
        while left:
            messages = consumer.consume(_BATCH, _POLL_S)
            if messages:
                heard = time.monotonic()
            elif time.monotonic() - heard > _SILENCE_S:
                raise TimeoutError(f"{topic} was silent for {_SILENCE_S:g} s")
            for message in messages:
                error = message.error()
                if error is None:
                    yield _output(message)
                elif error.code() == KafkaError._PARTITION_EOF:
                    left.discard(message.partition())
        consumer.close()

    def follow(
        self, topic: str, *, at_once: int = 1, poll_s: float = _POLL_S, from_end: bool = False
    ) -> Iterator[list[Output]]:
        """The committed records of a topic as they come, some at once if they are there; now and then none."""
        begin = self._topics.end_offsets(topic, committed=True) if from_end else None
        consumer = self._consumer(topic, range(PARTITIONS), begin)
        while True:
            yield [_output(message) for message in consumer.consume(at_once, poll_s) if message.error() is None]

    def _consumer(self, topic: str, partitions: Iterable[int], begin: Mapping[int, int] | None = None) -> Consumer:
        consumer = Consumer(
            {
                "bootstrap.servers": self.address,
                "group.id": f"bench-{uuid.uuid4()}",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "isolation.level": "read_committed",
                "queued.max.messages.kbytes": 200_000,
            }
        )
        consumer.assign([TopicPartition(topic, number, (begin or {}).get(number, 0)) for number in partitions])
        return consumer


def _output(message: Message) -> Output:
    number = message.partition()
    assert number is not None
    return Output(number, message.key() or b"", message.value() or b"", message.timestamp()[1])


@contextmanager
def fresh_broker() -> Iterator[Broker]:
    """A broker of our own, with nothing on it."""
    with tempfile.TemporaryDirectory(prefix="headrace-bench-") as place:
        embedded = EmbeddedBroker(Path(place) / "broker")
        try:
            with embedded.join(say=print) as lease:
                pid = embedded.status().pid
                assert pid is not None
                yield Broker(lease.address, pid, Path(place))
        finally:
            embedded.stop()
