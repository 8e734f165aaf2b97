"""Kafka Streams applications on a broker: their committed offsets, and the changelogs of their stores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headrace.errors import AdoptRefused
from headrace.log.groups import Group
from headrace.log.records import consume
from headrace.log.topics import Topics
from headrace.plan.nodes.to import changelog_names
from headrace.plan.state import WindowRows

Place = tuple[str, int]
"""A topic and a partition."""

_REPARTITION = "-repartition"
_TIME, _SEQUENCE = 8, 4


@dataclass(frozen=True)
class StreamsApp:
    """A Kafka Streams application that does not run, by its `application.id`."""

    id: str
    positions: Mapping[Place, int]
    """How far it has read."""

    changelogs: Sequence[str]
    """The topics of its stores."""

    @staticmethod
    def of(app: str, address: str, kafka: Mapping[str, str]) -> StreamsApp:
        """Find an application of Kafka Streams; refused while it runs, or with records in repartition topics."""
        group, topics = Group(app, address, kafka), Topics(address, kafka)
        if running := group.members():
            raise AdoptRefused(
                f"Kafka Streams application {app!r} runs: {running} of its threads are in its group",
                "stop it first; the broker counts those that were stopped for another 45 s (session.timeout.ms)",
            )
        positions = group.positions()
        if not positions:
            raise AdoptRefused(
                f"consumer group {app!r} has no positions: there is no such Kafka Streams application here, or the"
                " broker has forgotten how far it had read",
                "name its application.id with --from",
            )
        for (topic, partition), position in positions.items():
            if topic.startswith(f"{app}-") and topic.endswith(_REPARTITION):
                # Behind the last record may be the mark of a transaction: positions alone do not tell.
                waiting = consume(address, kafka, topic, partition=partition)
                _refuse_on_the_way(app, topic, sum(one.offset >= position for one in waiting))
        named = [name for name in topics.names() if any(app == one for one, _ in changelog_names(name))]
        return StreamsApp(app, positions, named)


def _refuse_on_the_way(app: str, topic: str, records: int) -> None:
    if records:
        raise AdoptRefused(
            f"{records} records are on their way in {topic}",
            f"let Kafka Streams work them off: stop what writes to the topics that {app} reads, start it, wait until"
            " it has no lag, and stop it again",
        )


def parts(windows: WindowRows | None, key: bytes) -> tuple[bytes, int, int]:
    """Parts of a key in a changelog of Kafka Streams: the key alone, the time that it expires by, its start."""
    if windows is None:
        return key, 0, 0
    if windows.sessions:
        end = len(key) - 2 * _TIME
        return key[:end], _ms(key, end), _ms(key, end + _TIME)
    end = len(key) - _TIME - _SEQUENCE
    return key[:end], _ms(key, end), 0


def _ms(key: bytes, place: int) -> int:
    return int.from_bytes(key[place : place + _TIME], "big")
