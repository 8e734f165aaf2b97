"""Counting records."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from headrace.model.durations import duration_text
from headrace.model.types import INT
from headrace.plan.nodes.base import Facts, Unary
from headrace.plan.schema import Schema


class Emit(Enum):
    """Which changes of a table are sent on."""

    EVERY = "every"
    """Each one, as it happens."""

    SETTLED = "settled"
    """The last one of each key in a batch."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Count(Unary):
    """The number of records of each key so far.

    Drops a record without a key or without a value. With `ttl_ms`, as every table that has it: a row that was not
    updated for so long by stream time is deleted, and a record whose row would be gone already is dropped as late.
    """

    store: str
    emit: Emit
    ttl_ms: int | None = None

    op = "count"
    facts = Facts(stateful=True, ends=True, reads_value=False, table=True)

    @property
    def drops_late(self) -> bool:
        return self.ttl_ms is not None

    @property
    def grows_with(self) -> str | None:
        return "the number of its keys" if self.ttl_ms is None else None

    def output(self) -> Schema:
        return self.upstream.output().with_value(INT)

    def detail(self) -> str:
        return f"store {self.store}, emit {self.emit.value}{lasting(self.ttl_ms)}"


def lasting(ttl_ms: int | None) -> str:
    """What `describe()` says of rows that are deleted after some time."""
    return "" if ttl_ms is None else f", ttl {duration_text(ttl_ms)}"
