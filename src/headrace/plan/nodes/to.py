"""Writing topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.expr import Bound
from headrace.plan.nodes.base import Facts, Unary
from headrace.serde import BYTES, Serde


@dataclass(frozen=True, kw_only=True, eq=False)
class To(Unary):
    """Write every record to a topic: always the same, or the one an expression names for the record."""

    topic: str | Bound
    key: Serde[Any]
    value: Serde[Any]
    partitioner: Bound | None = None
    """Names the partitions by `key`, `value`, `partitions` and `topic`: one, several, or none to drop the record."""

    op = "to"
    facts = Facts(ends=True)

    def read_with(self) -> tuple[Serde[Any], Serde[Any]]:
        """The serdes with which keys and values are read."""
        return self.key, self.value

    def detail(self) -> str:
        by = f", partition {self.partitioner}" if self.partitioner else ""
        return f"topic {self.topic} ({self.key}, {self.value}){by}"


@dataclass(frozen=True, kw_only=True, eq=False)
class DeadLetters(To):
    """Write the records that failed to the topic of dead letters, each with the bytes that it had in its own topic.

    What comes is a `Letter`, which says where those are.
    """

    op = "dead_letters"

    def read_with(self) -> tuple[Serde[Any], Serde[Any]]:
        return BYTES, BYTES
