"""Consumer groups: where an application stands, for everyone who looks at the lag of groups."""

from __future__ import annotations

from collections.abc import Mapping

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient

from headrace.errors import BrokerError, NotAllowed, PositionsRefused
from headrace.log.client import make_client, reason_of

_ANSWER_S = 10.0

Positions = Mapping[tuple[str, int], int]
"""The offset of the next record by topic and partition."""


class Group:
    """A consumer group that has no members: positions are written for it."""

    def __init__(self, name: str, address: str, kafka: Mapping[str, str] | None = None) -> None:
        self.name = name
        self._client, _ = make_client(AdminClient, address, kafka)

    def publish(self, positions: Positions) -> None:
        """Say how far the group has come."""
        places = [TopicPartition(topic, partition, offset) for (topic, partition), offset in positions.items()]
        asked = self._client.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(self.name, places)])
        try:
            answers = asked[self.name].result(_ANSWER_S).topic_partitions
        except KafkaException as exc:
            raise self._refused(exc.args[0]) from exc
        except TimeoutError as exc:
            raise PositionsRefused(self.name, f"no answer within {_ANSWER_S:g} s") from exc
        for one in answers:
            if one.error is not None:
                raise self._refused(one.error, one)

    def _refused(self, error: KafkaError, place: TopicPartition | None = None) -> BrokerError:
        if error.code() == KafkaError.GROUP_AUTHORIZATION_FAILED:
            return NotAllowed([f"Read on group {self.name!r}"])
        if error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED and place is not None:
            return NotAllowed([f"Read on topic {place.topic!r}"])
        where = f"{place.topic}-{place.partition}: " if place is not None else ""
        return PositionsRefused(self.name, f"{where}{reason_of(error)}")

    def delete(self) -> None:
        """Forget the group, if there is one."""
        try:
            self._client.delete_consumer_groups([self.name])[self.name].result(_ANSWER_S)
        except KafkaException as exc:
            if exc.args[0].code() != KafkaError.GROUP_ID_NOT_FOUND:
                raise PositionsRefused(self.name, reason_of(exc.args[0])) from exc

    def positions(self) -> dict[tuple[str, int], int]:
        """How far it has come."""
        asked = self._client.list_consumer_group_offsets([ConsumerGroupTopicPartitions(self.name)])
        found = asked[self.name].result(_ANSWER_S).topic_partitions
        return {(one.topic, one.partition): one.offset for one in found if one.offset >= 0}
