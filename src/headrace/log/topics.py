"""Topics of a Kafka cluster: list, create, delete."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any

from confluent_kafka import IsolationLevel, KafkaError, KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # its stubs do not re-export them
    AdminClient,
    ClusterMetadata,
    ConfigResource,
    ConfigSource,
    NewTopic,
    OffsetSpec,
    ResourceType,
)

from headrace.errors import BrokerError, BrokerUnreachable, NotAllowed, TopicExists, TopicMissing, TopicRefused
from headrace.log.client import make_client, reason_of

BROKERS_CHOICE = -1
_EARLIEST: OffsetSpec = OffsetSpec.earliest()  # type: ignore[no-untyped-call]
_LATEST: OffsetSpec = OffsetSpec.latest()  # type: ignore[no-untyped-call]
_ANSWER_S = 8.0
_LATE_S = 1.0
_SETTLE_S = 30.0
_SETTLE_POLL_S = 0.05
_OPERATIONS = {"create": "Create", "delete": "Delete", "describe": "DescribeConfigs", "read the offsets of": "Describe"}
# Of topics that Kafka keeps for itself, such as __consumer_offsets.
_INTERNAL = "__"

_NO_ANSWER = (KafkaError._TIMED_OUT, KafkaError._TRANSPORT, KafkaError._ALL_BROKERS_DOWN)
"""What the client says by itself where nobody answers: the broker has refused nothing."""
_CHANGING_HANDS = (
    KafkaError.NOT_LEADER_FOR_PARTITION,
    KafkaError.LEADER_NOT_AVAILABLE,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError.UNKNOWN_LEADER_EPOCH,
    KafkaError.FENCED_LEADER_EPOCH,
    KafkaError.OFFSET_NOT_AVAILABLE,
)


@dataclass(frozen=True, kw_only=True)
class Partition:
    """Partition of a topic: its leader (None: nobody), and its offsets, the end excluded."""

    number: int
    leader: int | None
    replicas: int
    begin: int
    end: int


@dataclass(frozen=True)
class Identity:
    """Identity of a topic, unlike any other that had its name before or gets it later."""

    id: str
    partitions: int


@dataclass(frozen=True, kw_only=True)
class TopicDescription:
    """A topic, its partitions, and those of its settings that were set for it."""

    name: str
    partitions: tuple[Partition, ...]
    config: Mapping[str, str]


class Topics:
    """The topics of the cluster at `address`; `kafka` holds further client properties.

    Every method raises BrokerUnreachable within 10 seconds when nobody answers.
    """

    def __init__(self, address: str, kafka: Mapping[str, str] | None = None) -> None:
        self.address = address
        self._admin, self._troubles = make_client(AdminClient, address, kafka)

    def check(self, timeout: float = _ANSWER_S) -> None:
        """Return when the cluster answers and has a broker in service."""
        self._metadata(timeout)

    def answer(self, timeout: float) -> None:
        """Return when the cluster answers; unlike `check` it asks for no topics, of which there may be many."""
        try:
            self._admin.describe_cluster(request_timeout=timeout).result(timeout + _LATE_S)
        except (KafkaException, TimeoutError):
            self._admin.poll(0)  # hands over why
            raise self._troubles.error(self.address, timeout) from None

    def cluster_id(self, timeout: float = _ANSWER_S) -> str:
        """The cluster's own id, which a new address does not change."""
        return str(self._metadata(timeout).cluster_id)

    def names(self, *, internal: bool = False) -> list[str]:
        """All topics in alphabetical order; Kafka's own (`__consumer_offsets`) only when asked for."""
        return sorted(name for name in self._metadata().topics if internal or not name.startswith(_INTERNAL))

    def matching(self, pattern: str) -> list[str]:
        """The topics whose whole name matches a regular expression."""
        return [name for name in self.names() if re.fullmatch(pattern, name)]

    def partitions(self, names: Iterable[str]) -> dict[str, int | None]:
        """How many partitions each topic has; None for one that does not exist."""
        # All topics are asked for, not these: asking for a missing one can create it.
        there = self._metadata().topics
        found = {name: len(there[name].partitions) if name in there else None for name in names}
        self._refuse_hidden([name for name, count in found.items() if count is None])
        return found

    def create(
        self,
        name: str,
        partitions: int = 4,
        config: Mapping[str, str] | None = None,
        replication: int = BROKERS_CHOICE,
    ) -> None:
        """Create a topic and wait until it can be used."""
        self.create_all({name: config or {}}, partitions, replication)

    def create_all(
        self, configs: Mapping[str, Mapping[str, str]], partitions: int, replication: int = BROKERS_CHOICE
    ) -> None:
        """Create topics with these settings and wait until they can be used."""
        if not configs:
            return
        self._metadata()
        wanted = [NewTopic(name, partitions, replication, config=dict(config)) for name, config in configs.items()]
        asked = self._admin.create_topics(wanted)
        for name in configs:
            self._outcome(asked[name], name, "create", {KafkaError.TOPIC_ALREADY_EXISTS: self._exists})
        for name in configs:
            self._settle(name, "create", partial(_usable, name, partitions))
            # The metadata names a leader a little before that broker knows it.
            self._offsets(name, range(partitions), _LATEST)

    def delete(self, names: Sequence[str]) -> None:
        """Delete topics with all their records, and wait until they are gone."""
        if not names:
            return
        missing = [name for name, count in self.partitions(names).items() if count is None]
        if missing:
            raise TopicMissing(missing, self.address)
        asked = self._admin.delete_topics(list(names))
        for name in names:
            self._outcome(asked[name], name, "delete", {KafkaError.UNKNOWN_TOPIC_OR_PART: self._missing})
        for name in names:
            self._settle(name, "delete", partial(_gone, name))

    def describe(self, name: str) -> TopicDescription:
        """Partitions, offsets, and the settings that were set for this topic."""
        topic = self._metadata().topics.get(name)
        if topic is None:
            raise TopicMissing([name], self.address)
        begins, ends = self._offsets(name, topic.partitions, _EARLIEST), self.end_offsets(name)
        entries = self._settings([name])[name]
        return TopicDescription(
            name=name,
            partitions=tuple(
                Partition(
                    number=number,
                    leader=partition.leader if partition.leader >= 0 else None,
                    replicas=len(partition.replicas),
                    begin=begins[number],
                    end=ends[number],
                )
                for number, partition in sorted(topic.partitions.items())
            ),
            config={
                entry.name: entry.value
                for entry in sorted(entries.values(), key=lambda entry: str(entry.name))
                if entry.source == ConfigSource.DYNAMIC_TOPIC_CONFIG.value
            },
        )

    def settings(self, names: Sequence[str]) -> dict[str, dict[str, str]]:
        """All settings of each topic, whoever has set them."""
        return {
            name: {key: str(entry.value) for key, entry in entries.items()}
            for name, entries in self._settings(names).items()
        }

    def _settings(self, names: Sequence[str]) -> dict[str, dict[str, Any]]:
        resources = {name: ConfigResource(ResourceType.TOPIC, name) for name in names}
        asked = self._admin.describe_configs(list(resources.values())) if resources else {}
        return {name: self._outcome(asked[resource], name, "describe", {}) for name, resource in resources.items()}

    def end_offsets(self, name: str, *, committed: bool = False) -> dict[int, int]:
        """The offset that each partition's next record gets; `committed`: where a committed reader would stop."""
        count = self.partitions([name])[name]
        if count is None:
            raise TopicMissing([name], self.address)
        return self._offsets(name, range(count), _LATEST, committed=committed)

    def begin_offsets(self, name: str) -> dict[int, int]:
        """The offset of each partition's first record."""
        return self._offsets(name, self.end_offsets(name), _EARLIEST)

    def begins_late(self, name: str, partitions: int) -> bool:
        """Whether first records of a topic were deleted, which compaction alone never does."""
        return any(offset > 0 for offset in self._offsets(name, range(partitions), _EARLIEST).values())

    def offsets_at(self, name: str, ms: int) -> dict[int, int]:
        """The offset of each partition's first record of a time or later; its end if there is none."""
        ends = self.end_offsets(name)
        found = self._offsets(name, ends, OffsetSpec.for_timestamp(ms))
        return {partition: ends[partition] if offset < 0 else offset for partition, offset in found.items()}

    def identities(self, names: Iterable[str]) -> dict[str, Identity | None]:
        """Identities of the topics of these names; None for one that does not exist."""
        wanted = list(names)
        asked = self._admin.describe_topics(TopicCollection(wanted), request_timeout=_ANSWER_S) if wanted else {}
        return {name: self._identity(name, answer) for name, answer in asked.items()}

    def ends(self, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], int]:
        """The offsets behind all records of some partitions, also behind those of open transactions."""
        wanted = {TopicPartition(topic, partition): _LATEST for topic, partition in places}
        asked = self._admin.list_offsets(wanted, request_timeout=_ANSWER_S) if wanted else {}
        return {
            (one.topic, one.partition): self._outcome(future, one.topic, "read the offsets of", {}).offset
            for one, future in asked.items()
        }

    def _identity(self, name: str, answer: Future[Any]) -> Identity | None:
        try:
            found = self._outcome(answer, name, "describe", {KafkaError.UNKNOWN_TOPIC_OR_PART: self._missing})
        except TopicMissing:
            return None
        return Identity(str(found.topic_id), len(found.partitions))

    def _refuse_hidden(self, names: list[str]) -> None:
        """A list of all topics leaves out those that one may not see; asked for by their names the broker tells."""
        asked = self._admin.describe_topics(TopicCollection(names), request_timeout=_ANSWER_S) if names else {}
        for name, answer in asked.items():
            failed = answer.exception(_SETTLE_S)
            code = failed.args[0].code() if isinstance(failed, KafkaException) else None
            if code == KafkaError.TOPIC_AUTHORIZATION_FAILED:
                raise NotAllowed([f"Describe on topic {name!r}"]) from failed

    def _offsets(
        self, name: str, partitions: Iterable[int], spec: OffsetSpec, *, committed: bool = False
    ) -> dict[int, int]:
        level = IsolationLevel.READ_COMMITTED if committed else IsolationLevel.READ_UNCOMMITTED
        found: dict[int, int] = {}
        left = set(partitions)
        deadline = time.monotonic() + _ANSWER_S
        while left:
            wanted = {TopicPartition(name, number): spec for number in left}
            asked = self._admin.list_offsets(wanted, isolation_level=level, request_timeout=_ANSWER_S)
            for partition, future in asked.items():
                failed = future.exception(_SETTLE_S)
                if failed is None or not _passes(failed) or time.monotonic() > deadline:
                    found[partition.partition] = self._outcome(future, name, "read the offsets of", {}).offset
            left -= found.keys()
            if left:
                time.sleep(_SETTLE_POLL_S)
        return found

    def _metadata(self, timeout: float = _ANSWER_S) -> ClusterMetadata:
        deadline = time.monotonic() + timeout
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or self._troubles.hopeless:
                raise self._troubles.error(self.address, timeout)
            try:
                # In slices, because the reasons of a failure are handed over between calls only.
                metadata = self._admin.list_topics(timeout=min(left, 1.0))
            except KafkaException as exc:
                self._admin.poll(0)
                # The call itself knows no more than that it failed.
                if self._troubles.last is None:
                    self._troubles.add(exc.args[0])
            else:
                if metadata.brokers:
                    return metadata
                time.sleep(_SETTLE_POLL_S)

    def _outcome(
        self, future: Future[Any], name: str, doing: str, known: Mapping[int, Callable[[str], BrokerError]]
    ) -> Any:
        try:
            return future.result(_SETTLE_S)
        except KafkaException as exc:
            error: KafkaError = exc.args[0]
            if error.code() == KafkaError.TOPIC_AUTHORIZATION_FAILED:
                raise NotAllowed([f"{_OPERATIONS[doing]} on topic {name!r}"]) from exc
            if error.code() in _NO_ANSWER:
                raise BrokerUnreachable(self.address, _SETTLE_S, reason_of(error)) from exc
            make = known.get(error.code())
            raise (make(name) if make else TopicRefused(name, doing, reason_of(error))) from exc
        except ValueError as exc:
            # The client refuses some values by itself, such as 0 partitions.
            raise TopicRefused(name, doing, str(exc)) from exc

    def _settle(self, name: str, doing: str, done: Callable[[ClusterMetadata], bool]) -> None:
        """Wait until the metadata, which trails behind, shows what was done."""
        deadline = time.monotonic() + _SETTLE_S
        while not done(self._metadata()):
            if time.monotonic() > deadline:
                raise TopicRefused(name, doing, f"it was accepted, but not done within {_SETTLE_S:g} s")
            time.sleep(_SETTLE_POLL_S)

    def _exists(self, name: str) -> BrokerError:
        return TopicExists(name, self.address)

    def _missing(self, name: str) -> BrokerError:
        return TopicMissing([name], self.address)


def _passes(error: BaseException) -> bool:
    """Whether a partition is just changing hands."""
    return isinstance(error, KafkaException) and error.args[0].code() in _CHANGING_HANDS


def _gone(name: str, metadata: ClusterMetadata) -> bool:
    return name not in metadata.topics


def _usable(name: str, partitions: int, metadata: ClusterMetadata) -> bool:
    topic = metadata.topics.get(name)
    if topic is None or len(topic.partitions) != partitions:
        return False
    return all(partition.leader >= 0 for partition in topic.partitions.values())
