"""Consumer groups: committed offsets of an application, for tools that show lag."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from typing import Any, TypeVar

from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient

from headrace.errors import BrokerError, NotAllowed, PositionsRefused
from headrace.log.client import make_client, reason_of

T = TypeVar("T")

_ANSWER_S = 10.0
_AGAIN_S = 0.1
_LOOK_S = 5.0
_CHANGING_HANDS = (
    KafkaError.NOT_COORDINATOR,
    KafkaError.COORDINATOR_NOT_AVAILABLE,
    KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
)
"""As when the very first group of a cluster is asked for."""

# Of topics that Kafka keeps for itself.
_INTERNAL = "__"

Positions = Mapping[tuple[str, int], int]
"""The offset of the next record by topic and partition."""


class Group:
    """A consumer group that has no members: positions are written for it."""

    def __init__(self, name: str, address: str, kafka: Mapping[str, str] | None = None) -> None:
        self.name, self._address, self._kafka = name, address, kafka
        self._client, _ = make_client(AdminClient, address, kafka)

    def publish(self, positions: Positions) -> None:
        """Commit the offsets that the group has come to."""
        places = [TopicPartition(topic, partition, offset) for (topic, partition), offset in positions.items()]
        try:
            answers = patiently(lambda: self._alter(places))
        except KafkaException as exc:
            raise refused(self.name, exc.args[0]) from exc
        except TimeoutError as exc:
            raise PositionsRefused(self.name, f"no answer within {_ANSWER_S:g} s") from exc
        for one in answers:
            if one.error is not None:
                raise refused(self.name, one.error, one)

    def _alter(self, places: list[TopicPartition]) -> list[TopicPartition]:
        asked = [ConsumerGroupTopicPartitions(self.name, places)]
        answers = self._client.alter_consumer_group_offsets(asked)[self.name].result(_ANSWER_S).topic_partitions
        for one in answers:
            if one.error is not None and one.error.code() in _CHANGING_HANDS:
                raise KafkaException(one.error)  # told of each partition, and true of the whole group
        return list(answers)

    def delete(self) -> None:
        """Forget the group, if there is one."""
        try:
            patiently(lambda: self._client.delete_consumer_groups([self.name])[self.name].result(_ANSWER_S))
        except KafkaException as exc:
            if exc.args[0].code() != KafkaError.GROUP_ID_NOT_FOUND:
                raise PositionsRefused(self.name, reason_of(exc.args[0])) from exc

    def notes(self, topics: Iterable[str]) -> list[str]:
        """Metadata committed beside offsets in the first partitions of some topics, without invalid ones."""
        return [one.metadata for one in self._committed([TopicPartition(topic, 0) for topic in topics]) if one.metadata]

    def _committed(self, places: list[TopicPartition]) -> list[TopicPartition]:
        """Committed offsets of some partitions; those of open transactions are not."""
        settings = {"group.id": self.name, "enable.auto.commit": False, "isolation.level": "read_committed"}
        consumer, _ = make_client(Consumer, self._address, self._kafka, settings)
        with closing(consumer):
            try:
                return patiently(lambda: consumer.committed(places, timeout=_ANSWER_S)) if places else []
            except KafkaException as exc:
                raise refused(self.name, exc.args[0], doing="read") from exc

    def among(self, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """How far it has come in some partitions; without those of which it has no position."""
        found = self._committed([TopicPartition(topic, partition) for topic, partition in places])
        return {(one.topic, one.partition): one.offset for one in found if one.offset >= 0}

    def members(self) -> int:
        """How many consumers are in it now."""
        try:
            found = self._client.describe_consumer_groups([self.name])[self.name].result(_ANSWER_S)
        except KafkaException as exc:
            if exc.args[0].code() == KafkaError.GROUP_ID_NOT_FOUND:
                return 0
            raise refused(self.name, exc.args[0], doing="read") from exc
        return len(found.members)

    def positions(self) -> dict[tuple[str, int], int]:
        """How far it has come."""
        with closing(Standing(self.name, self._address, self._kafka)) as standing:
            return standing.positions()


class Standing:
    """Committed offsets of a group, asked for again and again.

    A consumer that never joins the group asks for it. The client of administrators could ask for all positions at once,
    but ends the process when another broker has become the group's coordinator.
    """

    def __init__(self, name: str, address: str, kafka: Mapping[str, str] | None = None) -> None:
        self.name = name
        settings = {"group.id": name, "enable.auto.commit": False}
        self._consumer, _ = make_client(Consumer, address, kafka, settings)
        self._read: set[str] = set()
        """The topics of which it has positions."""

        self._known: Mapping[str, Any] = {}
        self._looked = -_LOOK_S

    def positions(self) -> dict[tuple[str, int], int]:
        """Committed offsets now. That it reads a topic for the first time may be seen some seconds later."""
        now = time.monotonic()
        looks = now - self._looked >= _LOOK_S
        try:
            topics = self._consumer.list_topics(timeout=_ANSWER_S).topics if looks else self._known
            asked = [
                TopicPartition(name, partition)
                for name, topic in topics.items()
                if (looks or name in self._read) and not name.startswith(_INTERNAL)
                for partition in topic.partitions
            ]
            answers = patiently(lambda: self._consumer.committed(asked, timeout=_ANSWER_S)) if asked else []
        except KafkaException as exc:
            raise refused(self.name, exc.args[0], doing="read") from exc
        if looks:
            self._known, self._looked = topics, now
        found = {(one.topic, one.partition): one.offset for one in answers if one.error is None and one.offset >= 0}
        self._read = {topic for topic, _ in found}
        return found

    def close(self) -> None:
        """Ask no more."""
        self._consumer.close()


def patiently(ask: Callable[[], T]) -> T:
    """Answer of a group's coordinator; asked again while a broker has yet to become it."""
    deadline = time.monotonic() + _ANSWER_S
    while True:
        try:
            return ask()
        except KafkaException as exc:
            if exc.args[0].code() not in _CHANGING_HANDS or time.monotonic() > deadline:
                raise
            time.sleep(_AGAIN_S)


def refused(group: str, error: KafkaError, place: TopicPartition | None = None, doing: str = "written") -> BrokerError:
    """Why positions cannot be had."""
    if error.code() == KafkaError.GROUP_AUTHORIZATION_FAILED:
        return NotAllowed([f"Read on group {group!r}"])
    if error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED and place is not None:
        return NotAllowed([f"Read on topic {place.topic!r}"])
    where = f"{place.topic}-{place.partition}: " if place is not None else ""
    return PositionsRefused(group, f"{where}{reason_of(error)}", doing)
