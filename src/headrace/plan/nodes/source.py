"""Reading topics."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import Any

from headrace.expr import Bound
from headrace.plan.nodes.base import Node
from headrace.plan.schema import Field, Schema
from headrace.plan.state import PartitionTimes, StateDescriptor
from headrace.serde import Serde


class Times(Enum):
    """Policy for records with a negative time, which is Kafka's word for "not known"."""

    FAIL = "fail"
    """Stop."""

    SKIP = "skip"
    """Drop it."""

    PARTITION_TIME = "partition_time"
    """Give it the latest time of its partition so far."""

    WALL_CLOCK = "wall_clock"
    """Give it, as every other record, the time of day at which it is read."""


class Start(Enum):
    """Start offset of a topic that the application has not read before."""

    EARLIEST = "earliest"
    LATEST = "latest"


@dataclass(frozen=True, kw_only=True, eq=False)
class Source(Node):
    """Every record of some topics, in the order of their partitions.

    Either `topics` or `pattern` (a regular expression over topic names) is given.
    """

    topics: tuple[str, ...] = ()
    pattern: str | None = None
    key: Serde[Any]
    value: Serde[Any]
    timestamp: Times | Bound = Times.FAIL
    """Where the time of a record comes from: the record itself, or an expression of it; negative drops it."""
    start: Start = Start.EARLIEST

    op = "stream"

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        return (PartitionTimes(),)

    def output(self) -> Schema:
        return Schema(Field.of(self.key), Field.of(self.value))

    def reads(self, topic: str) -> bool:
        """Whether the topic is one of those it names, or matches its pattern."""
        return topic in self.topics or bool(self.pattern and re.fullmatch(self.pattern, topic))

    def detail(self) -> str:
        read = f"topics like {self.pattern}" if self.pattern else f"topic {', '.join(self.topics)}"
        stamp = self.timestamp.value if isinstance(self.timestamp, Times) else str(self.timestamp)
        time = "" if self.timestamp is Times.FAIL else f", time {stamp}"
        start = "" if self.start is Start.EARLIEST else f", from the {self.start.value}"
        return f"{read} {self.output()}{time}{start}"
