"""What an application does for those who ask its stores: it writes changelogs, and says how far it has come."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from confluent_kafka import Producer

from headrace.errors import PositionsRefused, TopicExists
from headrace.log.groups import Group
from headrace.log.partitioner import partition_of
from headrace.log.topics import Topics
from headrace.query.catalogue import Queryable
from headrace.query.position import Position
from headrace.query.replica.key_order import Layout
from headrace.query.service.instance import Instance
from headrace.serde import Serde

Row = tuple[Any, Any] | tuple[Any, Any, int]
"""A key, a value (None: it is gone), perhaps a time."""

IN = "in"


class Application:
    """The stores of an application, written by the test."""

    def __init__(self, broker: str, partitions: int = 4) -> None:
        self.broker, self.id, self._partitions = broker, f"app-{uuid.uuid4().hex[:8]}", partitions
        self.stores: dict[str, Queryable] = {}
        self.read = 0
        """How many records of its one input partition it has read."""

        self._topics, self._group = Topics(broker), Group(self.id, broker)
        with suppress(TopicExists):
            self._topics.create(IN, 1)
        self._producer = Producer(
            {"bootstrap.servers": broker, "partitioner": "murmur2_random", "transactional.id": self.id, "log_level": 0}
        )
        self._producer.init_transactions()

    def store(self, name: str, key: Serde[Any], value: Serde[Any], retention_ms: int | None = None) -> None:
        topic = f"{self.id}-{name}-changelog"
        self.stores[name] = Queryable(name, topic, key, value, retention_ms)
        self._topics.create(topic, self._partitions, {"cleanup.policy": "compact"})

    def batch(self, rows: Mapping[str, Iterable[Row]], *, say: bool = True) -> Position:
        """One transaction, and then the position for the group; it reflects one record more than before."""
        self._producer.begin_transaction()
        for name, some in rows.items():
            store = self.stores[name]
            for key, value, *ts in some:
                data = key if isinstance(key, bytes) else store.key.write(key)
                self.write_bytes(store, data, store.value.encode(value), ts[0] if ts else 1)
        self._producer.commit_transaction()
        self.read += 1
        position = Position({(IN, 0): self.read})
        if say:
            until(lambda: self._published(position))
        return position

    def _published(self, position: Position) -> bool:
        try:
            self._group.publish(position.offsets)
        except PositionsRefused:  # there is no coordinator yet, or the client does not know of it
            self._group = Group(self.id, self.broker)
            return False
        return True

    def write_bytes(self, store: Queryable, key: bytes, value: bytes | None, ts: int) -> None:
        partition = partition_of(Layout.of(store.key).bare(key), self._partitions)
        self._producer.produce(store.topic, key=key, value=value, partition=partition, timestamp=ts)
        self._producer.poll(0)

    def begin_anew(self) -> None:
        """Its changelogs are deleted and made again, as by a reset."""
        topics = [store.topic for store in self.stores.values()]
        self._topics.delete(topics)
        for topic in topics:
            self._topics.create(topic, self._partitions, {"cleanup.policy": "compact"})
        self._group.delete()
        self.read = 0

    @contextmanager
    def instance(self, directory: Path, **options: Any) -> Iterator[Instance]:
        instance = Instance(self.id, self.stores, self.broker, None, directory, **options)
        try:
            instance.start()
            yield instance
        finally:
            instance.close()

    @contextmanager
    def ready(self, directory: Path, **options: Any) -> Iterator[Instance]:
        with self.instance(directory, **options) as instance:
            until(lambda: instance.ready)
            yield instance


def until(true: Callable[[], object], seconds: float = 20) -> None:
    """Wait for something that has to come."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not come"
        time.sleep(0.01)
