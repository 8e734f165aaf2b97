"""Counting records."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from headrace.model.types import INT
from headrace.plan.nodes.base import NodeFacts, Unary
from headrace.plan.nodes.expiring import Lasting, lasting
from headrace.plan.schema import Schema


class Emit(Enum):
    """Emission of a table: which of its changes are sent on."""

    EVERY = "every"
    """Each one, as it happens."""

    SETTLED = "settled"
    """The last one of each key in a batch."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Count(Unary, Lasting):
    """The number of records of each key so far.

    Drops a record without a key or without a value.
    """

    store: str
    emit: Emit

    op = "count"
    facts = NodeFacts(stateful=True, ends=True, reads_value=False, table=True)
    rows = "keys"

    def output(self) -> Schema:
        return self.upstream.output().with_value(INT)

    def detail(self) -> str:
        return f"store {self.store}, emit {self.emit.value}{lasting(self.ttl_ms)}"
