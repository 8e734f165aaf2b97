"""Applications that run while bad records are sent to them, and what becomes of those."""

from __future__ import annotations

import struct
import time
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition

import headrace as hr
from headrace.log.records import Header
from headrace.log.topics import Topics
from headrace.model.failure import ATTEMPT, CUT, HEADERS

NOON = 1_700_000_000_000 // 86_400_000 * 86_400_000 + 43_200_000
_PATIENCE_S = 120.0

Name = Callable[[str], str]
Came = tuple[str, bytes | None, bytes | None]
"""A record that came out: the topic without its suffix, key and value."""


@dataclass(frozen=True)
class Sent:
    """A record that is sent; who fails on it, what its dead letter tells, and whether that has its value."""

    key: bytes | None
    value: bytes | None
    ts: int = NOON
    headers: tuple[Header, ...] = ()
    to: str = "in"
    partition: int = 0
    error: str | None = None
    told: str = ""
    node: str | None = None
    """Without one, the stream of its topic."""

    kept: bool = True
    codec: str = "none"

    @property
    def drop(self) -> tuple[str, str]:
        """How its failure is counted."""
        return self.to if self.node is None else self.node, "refused" if self.error in (
            "RecordRefused",
            "TopicMissing",
        ) else "failed"


@dataclass(frozen=True)
class Setting:
    """An application, and what comes of the nth good record in a partition of it."""

    name: str
    declare: Callable[[hr.App, Name], None]
    good: bytes
    comes: Callable[[int], tuple[tuple[str, bytes], ...]]
    key: Callable[[int], bytes] = lambda partition: b"good-%d" % partition
    inputs: tuple[str, ...] = ("in",)
    outputs: tuple[str, ...] = ("out",)
    partitions: int = 2
    calm: tuple[int, ...] = (0, 1)
    """The partitions that good records are sent to, before and after."""

    suffix: bytes = b""
    """What good keys end with when they come out."""

    topics: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name


class Running:
    """A setting that runs from one bad record to the next."""

    def __init__(self, setting: Setting, broker: str, place: Path) -> None:
        self.setting, self._suffix = setting, uuid.uuid4().hex[:8]
        self.app = hr.App(
            f"bad-{setting.name}-{self._suffix}",
            broker=broker,
            checkpoint=place,
            emit="every",
            on_error="dead_letter",
            **setting.options,
        )
        topics = Topics(broker)
        for stem in (*setting.inputs, *setting.outputs):
            topics.create(self.topic(stem), setting.partitions, setting.topics.get(stem))
        topics.create(self.app.dead_letters, 1, setting.topics.get("letters"))
        setting.declare(self.app, self.topic)
        self._goods, self._drops = Counter[int](), dict[tuple[str, str], int]()
        self._limits = {"bootstrap.servers": broker, "message.max.bytes": 64 << 20, "linger.ms": 5}
        self._producers: dict[str, Producer] = {}
        self._consumer = Consumer(
            {
                "bootstrap.servers": broker,
                "group.id": f"watch-{self._suffix}",
                "enable.auto.commit": False,
                "fetch.wait.max.ms": 20,
                "isolation.level": "read_committed",
            }
        )
        watched = [(self.topic(stem), number) for stem in setting.outputs for number in range(setting.partitions)]
        self._consumer.assign([TopicPartition(*one, 0) for one in (*watched, (self.app.dead_letters, 0))])
        self.app.start()

    def topic(self, stem: str) -> str:
        return f"{stem}-{self._suffix}"

    def close(self) -> None:
        self.app.close()
        self._consumer.close()

    def check(self, sent: Sequence[Sent], came: Sequence[Came], drops: Mapping[tuple[str, str], int]) -> None:
        """Send records between good ones, and see that what came is this, that good ones came right, and no more."""
        around, expected = [list[Sent](), list[Sent]()], Counter[Came](came)
        for records in around:
            for partition in self.setting.calm:
                self._goods[partition] += 1
                key = self.setting.key(partition)
                records.append(Sent(key, self.setting.good, partition=partition))
                expected.update(
                    (stem, key + self.setting.suffix, value)
                    for stem, value in self.setting.comes(self._goods[partition])
                )
        self._send([*around[0], *sent, *around[1]])
        failed = [one for one in sent if one.error is not None]
        found, letters = self._await(
            expected.total(), len(failed), Counter(drops) + Counter(one.drop for one in failed)
        )
        assert found == expected, f"{found - expected} and not {expected - found}"
        for one, letter in zip(failed, letters, strict=True):
            told = dict(letter.headers())
            assert told["headrace.error"] == str(one.error).encode(), told
            assert one.told in told["headrace.message"].decode(), told
            assert (letter.key(), letter.value()) == (one.key, one.value if one.kept else None)
            assert (
                tuple(header for header in letter.headers() if header[0] not in (ATTEMPT, CUT, *HEADERS)) == one.headers
            )
            assert (CUT in told) == (not one.kept)
        assert self.app.state is hr.State.RUNNING

    def _send(self, records: Sequence[Sent]) -> None:
        """In order, also where that is between topics: no batch has one without those before it."""
        for (codec, _), some in groupby(records, key=lambda one: (one.codec, one.to)):
            producer = self._producers.setdefault(codec, Producer({**self._limits, "compression.type": codec}))
            for one in some:
                producer.produce(
                    self.topic(one.to),
                    key=one.key,
                    value=one.value,
                    partition=one.partition,
                    timestamp=one.ts,
                    headers=list(one.headers),
                )
            assert producer.flush(30) == 0

    def _await(
        self, records: int, letters: int, drops: Mapping[tuple[str, str], int]
    ) -> tuple[Counter[Came], list[Any]]:
        """All that comes, until it is as much as is expected."""
        found, told, deadline = Counter[Came](), list[Any](), time.monotonic() + _PATIENCE_S
        dropped = dict(Counter(self._drops) + Counter(self._named(drops)))
        while found.total() < records or len(told) < letters or self.app.metrics().drops != dropped:
            if time.monotonic() > deadline or not self.app.state.up:
                self.app.wait(0)  # raises what it failed of
                raise AssertionError(f"{found}, {told}, {self.app.metrics().drops} and not {dropped}")
            message = self._consumer.poll(0.05)
            if message is not None and message.error() is None:
                topic = str(message.topic())
                if topic == self.app.dead_letters:
                    told.append(message)
                else:
                    found[topic.removesuffix(f"-{self._suffix}"), message.key(), message.value()] += 1
        self._drops = dropped
        return found, told

    def _named(self, drops: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], int]:
        """Drops by their nodes; those of topics have their whole names."""
        stems = (*self.setting.inputs, *self.setting.outputs)
        return {(self.topic(node) if node in stems else node, why): count for (node, why), count in drops.items()}


def int64(number: int) -> bytes:
    return struct.pack(">q", number)


def double(number: float) -> bytes:
    return struct.pack(">d", number)


def batch_size(key: bytes, value: bytes) -> int:
    """How large a record is that goes alone, in the frame of lz4 that does not make it smaller."""
    body = 3 + _number(len(key)) + len(key) + _number(len(value)) + len(value) + 1
    return 61 + 15 + _number(body) + body


def _number(value: int) -> int:
    """How many bytes a number takes, as Kafka writes it."""
    return max(1, ((2 * value).bit_length() + 6) // 7)
