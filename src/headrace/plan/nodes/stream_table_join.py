"""Joins of a stream with a table: each record looks up its row."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.expr import Bound
from headrace.model.durations import duration_text
from headrace.plan.nodes.base import Node, NodeFacts
from headrace.plan.nodes.table import TableSource, ToTable
from headrace.plan.schema import Schema
from headrace.plan.state import Prefetched, StateDescriptor, StreamTime, Waiting


@dataclass(frozen=True, kw_only=True, eq=False)
class StreamTableJoin(Node):
    """Each record of a stream with the row of its key, as it is when the record comes; a change of the table is silent.

    Drops a record without a value, and without a key unless `keep_all`; with `keep_all` a record without a row is sent
    on with None in its place. With `grace_ms` a record waits until stream time, which is that of the stream alone, is
    so much past its own: rows of its time that come later are found then.
    """

    stream: Node
    table: Node
    joiner: Bound
    keep_all: bool
    grace_ms: int | None = None

    op = "stream_table_join"
    facts = NodeFacts(stateful=True)

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        return (Waiting(waits=self.grace_ms is not None), StreamTime())

    @property
    def prefetched(self) -> tuple[Prefetched, ...]:
        return self.table.prefetched if isinstance(self.table, TableSource | ToTable) else ()

    def takes_no_key(self, position: int) -> bool:
        return self.keep_all and position == 0

    def looks_up(self, position: int) -> bool:
        return position == 1

    def output(self) -> Schema:
        return self.stream.output().with_value(self.joiner.type)

    def detail(self) -> str:
        grace = "" if self.grace_ms is None else f", grace {duration_text(self.grace_ms)}"
        return f"{'left' if self.keep_all else 'inner'}, {self.joiner}{grace}"


@dataclass(frozen=True, kw_only=True, eq=False)
class GlobalTable(TableSource):
    """A topic as a table that every task has in full; its records come before all others that arrive with them."""

    op = "global_table"
    facts = NodeFacts(stateful=True, ends=True, table=True, everywhere=True)
    adoptable = False


@dataclass(frozen=True, kw_only=True, eq=False)
class StreamGlobalJoin(Node):
    """Each record of a stream with the row of a global table whose key a function names; the stream keeps its keys.

    Drops a record without a value, and one that names no key unless `keep_all`.
    """

    stream: Node
    table: GlobalTable
    on: Bound
    joiner: Bound
    keep_all: bool

    op = "stream_global_join"

    def takes_no_key(self, position: int) -> bool:
        return self.keep_all and position == 0

    def looks_up(self, position: int) -> bool:
        return position == 1

    def output(self) -> Schema:
        return self.stream.output().with_value(self.joiner.type)

    def detail(self) -> str:
        return f"{'left' if self.keep_all else 'inner'}, on {self.on}, {self.joiner}"
