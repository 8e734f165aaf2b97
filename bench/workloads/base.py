"""What a workload is: records to read, a topology to run, and a check of what comes out."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import headrace as hr

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SEED, PARTITIONS = 1, 4
BEGIN_MS = 1_700_000_000_000
"""The time of the first record: long ago, for brokers refuse times that are ahead of theirs."""


class Input(NamedTuple):
    """A record that is read. Without a partition it goes to that of its key."""

    key: bytes | None
    value: bytes
    ts: int
    partition: int = -1


class Output(NamedTuple):
    """A record that was written; `ts` is when the broker had it."""

    partition: int
    key: bytes
    value: bytes
    ts: int


class Topics(NamedTuple):
    """What a topology reads and writes; the table is empty where a workload has none."""

    source: str
    table: str
    target: str


class Frames(NamedTuple):
    """What a query reads: a stream, and the table as it is."""

    records: DataFrame
    table: DataFrame


class Void(Exception):
    """What was written is wrong, so that its speed says nothing."""


class Check(ABC):
    """Sees every record that is put in, then judges what came out."""

    inner = 0
    """How many records go through a repartition."""
    traced = False
    """Whether `caused` will be asked, which may need to know the place of every record."""

    @abstractmethod
    def put(self, record: Input) -> None:
        """One more record is put in."""

    @abstractmethod
    def verify(self, outputs: Iterable[Output], *, every: bool) -> None:
        """Raise Void unless this is what has to come out; `every`: each change, not only the last of many."""

    def caused(self, output: Output) -> Sequence[int]:
        """The numbers of the records, from 0, that this output is the first to tell of."""
        raise NotImplementedError


class Workload(ABC):
    """One thing to do, declared for each system that can do it. The one on Kafka Streams is in Streams.java."""

    name: str
    title: str
    quix = True
    records_a_second = 10_000
    """How fast event time goes."""

    @abstractmethod
    def records(self, count: int, chance: random.Random) -> Iterator[Input]:
        """What is put in."""

    def table(self) -> Sequence[Input]:
        """The rows of the table that goes with it, if it has one."""
        return ()

    @abstractmethod
    def check(self) -> Check:
        """A check that has seen nothing yet."""

    @abstractmethod
    def declare(self, app: hr.App, topics: Topics) -> None:
        """The topology."""

    def frame(self, frames: Frames) -> tuple[DataFrame, str] | None:  # noqa: ARG002
        """Keys and values as plain PySpark computes them, and its output mode; None if it cannot."""
        return None

    def at_ms(self, number: int) -> int:
        """The time of a record by the schedule."""
        return BEGIN_MS + number * 1000 // self.records_a_second


def pool(chance: random.Random, size: int) -> Iterator[bytes]:
    """Endless pieces of random bytes: cut from one block, which is as hard to guess and quicker to make."""
    block = chance.randbytes(1 << 20)
    while True:
        at = int(chance.random() * (len(block) - size))
        yield block[at : at + size]


def number_of(data: bytes) -> int:
    """Kafka's bytes of an int."""
    return int.from_bytes(data, "big", signed=True)


def same(what: str, found: Any, expected: Any) -> None:
    """Raise Void if two things differ."""
    if found != expected:
        raise Void(f"{what}: {found} instead of {expected}")
