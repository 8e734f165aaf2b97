"""What is noticed of the broker and of topics that are written: what somebody deletes is told by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # its stubs do not re-export them
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ResourceType,
)

from headrace.engine.ownership import settings_of
from headrace.errors import BrokerLost, ChangelogDamaged, HeadraceError, TopicGone
from headrace.log.broker import EmbeddedBroker
from headrace.log.records import NewRecord, produce
from headrace.log.topics import Topics
from headrace.runtime.life.broker_watch import BrokerWatch

pytestmark = pytest.mark.spark

SETTINGS = settings_of("app", "store")

LOST = BrokerLost("here", "it runs elsewhere now")


class Seen:
    """A watch over two topics and a changelog, and what it has said."""

    def __init__(self, address: str, *written: str, changelog: str, lost: HeadraceError | None = None) -> None:
        topics = Topics(address)
        identity = topics.identities([changelog])[changelog]
        assert identity is not None
        self.said: list[str] = []
        self.watch = BrokerWatch(topics, written, {changelog: identity.id}, lambda: lost, self.said.append)

    def twice(self) -> HeadraceError | None:
        """What it finds wrong at the second look; the first one only suspects it."""
        assert self.watch.look() is None
        return self.watch.look()

    def words(self, kind: type[HeadraceError]) -> str:
        """How it tells what it finds wrong."""
        found = self.twice()
        assert isinstance(found, kind)
        return str(found)


@pytest.fixture
def changelog(topic: Callable[..., str], broker: str) -> str:
    """A changelog with a row in one of two partitions."""
    name = topic("app-store-changelog", 2)
    Topics(broker).delete([name])
    Topics(broker).create(name, 2, SETTINGS)
    produce(broker, None, name, [NewRecord(key=b"k", value=b"v", partition=1)])
    return name


def emptied(broker: str, changelog: str) -> None:
    """As an outsider does it: Kafka deletes no records of a topic that is only compacted."""
    admin = AdminClient({"bootstrap.servers": broker})

    def let(policy: str) -> None:
        entry = ConfigEntry("cleanup.policy", policy, incremental_operation=AlterConfigOpType.SET)
        (answer,) = admin.incremental_alter_configs(
            [ConfigResource(ResourceType.TOPIC, changelog, incremental_configs=[entry])]
        ).values()
        answer.result(30)

    let("delete")
    ends = Topics(broker).end_offsets(changelog)
    for deleting in admin.delete_records([TopicPartition(changelog, *place) for place in ends.items()]).values():
        deleting.result(30)
    let("compact")


def test_topics_that_are_deleted_are_named(broker: str, topic: Callable[..., str], changelog: str) -> None:
    kept, gone = topic("kept"), topic("gone")
    seen = Seen(broker, kept, gone, changelog=changelog)
    assert seen.twice() is None
    Topics(broker).delete([gone])
    assert seen.words(TopicGone) == (
        f"topic '{gone}' was deleted while the application writes it\n"
        f"  to do: make it again: headrace topics create {gone} --broker {broker}; the application goes on from the"
        " last finished batch"
    )
    Topics(broker).create(gone)
    assert seen.twice() is None
    assert seen.said == []


def test_a_topic_that_was_missing_only_once_is_not_told(broker: str, topic: Callable[..., str], changelog: str) -> None:
    gone = topic("gone")
    seen = Seen(broker, gone, changelog=changelog)
    Topics(broker).delete([gone])
    assert seen.watch.look() is None
    Topics(broker).create(gone)
    assert seen.twice() is None


def deleted(broker: str, changelog: str) -> None:
    Topics(broker).delete([changelog])


def made_again(broker: str, changelog: str) -> None:
    deleted(broker, changelog)
    Topics(broker).create(changelog, 2, SETTINGS)


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (deleted, "was deleted"),
        (made_again, "was deleted and made again"),
        (emptied, "was emptied: records were deleted"),
    ],
    ids=["deleted", "made again", "emptied"],
)
def test_a_changelog_that_is_not_whole_any_more(
    broker: str, changelog: str, harm: Callable[[str, str], None], words: str
) -> None:
    seen = Seen(broker, changelog=changelog)
    assert seen.twice() is None
    harm(broker, changelog)
    assert seen.words(ChangelogDamaged) == (
        f"topic '{changelog}', the changelog of a store, {words} by somebody else\n"
        "  to do: no state is lost, but the store cannot be asked any more; begin anew: headrace reset app.py"
    )


@pytest.fixture
def stopped(tmp_path: Path) -> Iterator[tuple[EmbeddedBroker, str]]:
    """A broker of this test's own, to be stopped and started again at its address."""
    embedded = EmbeddedBroker(tmp_path / "broker")
    address = embedded.start().address
    assert address is not None
    Topics(address).create("log", 1, SETTINGS)
    yield embedded, address
    embedded.stop()


def test_a_broker_that_is_away(stopped: tuple[EmbeddedBroker, str]) -> None:
    embedded, address = stopped
    patient, moved = Seen(address, changelog="log"), Seen(address, changelog="log", lost=LOST)
    embedded.stop()
    assert patient.twice() is None
    assert patient.watch.away
    assert moved.watch.look() is LOST
    embedded.start(port=int(address.rpartition(":")[2]))
    assert patient.twice() is None
    assert not patient.watch.away
    away, back = patient.said
    assert away.startswith(f"no Kafka broker answered at {address} within 3 s")
    assert away.endswith("; waiting for it ...")
    assert back.startswith("the Kafka broker answers again, after ")
