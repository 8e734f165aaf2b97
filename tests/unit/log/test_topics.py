"""Topics on a real broker, and on none."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable

import pytest

from headrace.errors import (
    BrokerUnreachable,
    ClientPropertyRefused,
    TopicExists,
    TopicMissing,
    TopicRefused,
)
from headrace.log.records import NewRecord, produce
from headrace.log.topics import Topics

NOBODY = "127.0.0.1:1"


def test_nobody_answers_within_ten_seconds_and_says_why(capfd: pytest.CaptureFixture[str]) -> None:
    began = time.monotonic()
    with pytest.raises(BrokerUnreachable) as unreachable:
        Topics(NOBODY).check()
    assert time.monotonic() - began < 10
    assert "no Kafka broker answered at 127.0.0.1:1 within 8 s" in str(unreachable.value)
    assert "Connection refused" in str(unreachable.value)
    assert capfd.readouterr() == ("", "")


def test_an_unknown_property_is_named() -> None:
    with pytest.raises(ClientPropertyRefused) as refused:
        Topics(NOBODY, {"no.such.thing": "1"})
    assert "Kafka client property 'no.such.thing' cannot be used" in str(refused.value)


def test_an_impossible_value_is_named() -> None:
    with pytest.raises(ClientPropertyRefused) as refused:
        Topics(NOBODY, {"security.protocol": "telepathy"})
    assert "'security.protocol' cannot be used: Invalid value \"telepathy\"" in str(refused.value)


@pytest.mark.spark
class TestOnABroker:
    def test_a_topic_is_there_once_created_and_gone_once_deleted(self, broker: str) -> None:
        topics, name = Topics(broker), f"orders.{uuid.uuid4().hex[:8]}"
        assert topics.partitions([name]) == {name: None}
        topics.create(name, partitions=3)
        assert topics.partitions([name]) == {name: 3}
        assert name in topics.names()
        assert topics.matching(name.replace("orders", "ord.*")) == [name]
        assert topics.matching(name[:-1]) == []
        topics.delete([name])
        assert topics.partitions([name]) == {name: None}

    def test_a_topic_is_described(self, broker: str) -> None:
        topics, name = Topics(broker), f"t-{uuid.uuid4().hex[:8]}"
        topics.create(name, partitions=2, config={"cleanup.policy": "compact", "retention.ms": "1000"})
        produce(broker, None, name, [NewRecord(key=b"k", value=b"v", partition=1)] * 3)
        described = topics.describe(name)
        assert [(one.number, one.begin, one.end, one.replicas) for one in described.partitions] == [
            (0, 0, 0, 1),
            (1, 0, 3, 1),
        ]
        assert all(one.leader == 1 for one in described.partitions)
        assert described.config == {"cleanup.policy": "compact", "retention.ms": "1000"}
        assert topics.end_offsets(name) == {0: 0, 1: 3}

    def test_internal_topics_are_hidden(self, broker: str) -> None:
        assert not [name for name in Topics(broker).names() if name.startswith("__")]

    def test_the_cluster_has_an_id(self, broker: str) -> None:
        assert Topics(broker).cluster_id() == Topics(broker).cluster_id()
        assert len(Topics(broker).cluster_id()) == 22

    def test_creating_twice(self, broker: str, topic: Callable[..., str]) -> None:
        name = topic()
        with pytest.raises(TopicExists) as exists:
            Topics(broker).create(name)
        assert f"topic '{name}' exists already on {broker}" in str(exists.value)
        assert f"headrace topics describe {name}" in str(exists.value)

    @pytest.mark.parametrize(
        ("name", "partitions", "config", "reason"),
        [
            ("a/b", 1, {}, "Topic name is invalid"),
            ("zero", 0, {}, "artitions"),
            ("odd", 1, {"no.such": "1"}, "Unknown topic config name: no.such"),
        ],
    )
    def test_the_broker_says_no(
        self, broker: str, name: str, partitions: int, config: dict[str, str], reason: str
    ) -> None:
        with pytest.raises(TopicRefused) as refused:
            Topics(broker).create(name, partitions, config)
        assert f"the broker refused to create topic '{name}'" in str(refused.value)
        assert reason in str(refused.value)

    def test_what_is_missing_is_named(self, broker: str) -> None:
        for use in (Topics(broker).describe, Topics(broker).end_offsets, lambda name: Topics(broker).delete([name])):
            with pytest.raises(TopicMissing) as missing:
                use("never-made")
            assert f"headrace topics create never-made --partitions 4 --broker {broker}" in str(missing.value)
        assert "never-made" not in Topics(broker).names()
