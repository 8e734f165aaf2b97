"""Writing topics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from headrace.expr import Bound
from headrace.model.durations import duration_text
from headrace.plan.nodes.base import NodeFacts, SideOutput, Unary
from headrace.serde import BYTES, Serde

_CHANGELOG = "-changelog"


@dataclass(frozen=True, kw_only=True, eq=False)
class To(Unary):
    """Write every record to a topic: always the same, or the one an expression names for the record."""

    topic: str | Bound
    key: Serde[Any]
    value: Serde[Any]
    partitioner: Bound | None = None
    """Names the partitions by `key`, `value`, `partitions` and `topic`: one, several, or none to drop the record."""

    op = "to"
    facts = NodeFacts(ends=True)

    @property
    def writes_headers(self) -> bool:
        """Whether its serdes write headers beside the bytes."""
        return bool(self.key.facts.headers or self.value.facts.headers)

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

    @property
    def writes_headers(self) -> bool:
        """Whether its serdes write headers beside the bytes."""
        return bool(self.key.facts.headers or self.value.facts.headers)

    def read_with(self) -> tuple[Serde[Any], Serde[Any]]:
        return BYTES, BYTES


@dataclass(frozen=True, kw_only=True, eq=False)
class Changelog(To):
    """Write the rows of a store that can be asked to its changelog: those that a batch has changed, as it leaves them.

    A row that is gone is written without a value. It stands beside the table: what that sends on, and when, is another
    matter.
    """

    table: str
    """The name of the store."""

    retention_ms: int | None = None
    """How long windows are kept; None where rows last until they are deleted."""

    op = "changelog"
    facts = NodeFacts(ends=True, side_output=SideOutput.STORED)

    def detail(self) -> str:
        kept = "" if self.retention_ms is None else f", kept {duration_text(self.retention_ms)}"
        return super().detail() + kept


def changelog_topic(app: str, store: str) -> str:
    """The topic of a store's changelog."""
    return f"{app}-{store}{_CHANGELOG}"


def changelog_names(topic: str) -> Iterator[tuple[str, str]]:
    """All pairs of an application and a store whose changelog would be this topic; none if it is named otherwise.

    >>> list(changelog_names("shop-by-day-changelog"))
    [('shop', 'by-day'), ('shop-by', 'day')]
    """
    both = topic.removesuffix(_CHANGELOG)
    for at, letter in enumerate(both if both != topic else ""):
        if letter == "-" and both[:at] and both[at + 1 :]:
            yield both[:at], both[at + 1 :]
