"""Joins of a stream with other streams and tables, one or several in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headrace.build.join_chain import Chained, join_chain
from headrace.build.join_keys import RIGHT, On, rekeyed
from headrace.build.joins import OPS, Joiner, stream_global_join, stream_join, stream_table_join
from headrace.errors import OptionInvalid
from headrace.model.durations import Duration
from headrace.model.windows import JoinWindows
from headrace.plan.nodes import GlobalTable, JoinSide, Node

if TYPE_CHECKING:
    from headrace.build.declared import Declared


@dataclass(frozen=True)
class StreamJoins:
    """Base of the joins of streams that one call makes."""

    declared: Declared
    side: JoinSide
    windows: JoinWindows | None
    grace: Duration | None
    here: str

    def all(
        self, stream: Node, others: tuple[Node, ...], joiner: Joiner, on: Any, store: str | None, name: str | None
    ) -> Node:
        """A stream with all of the others, one after the other."""
        if self.grace is not None:
            wanted = "it in a join with one versioned table, in front of the others"
            raise OptionInvalid("grace", self.grace, wanted, self.here)
        self._check(others, store)
        return join_chain(stream, others, joiner, on, store, name, self.here, self._next)

    def one(
        self, stream: Node, other: Node, joiner: Joiner, on: On | None, store: str | None, name: str | None
    ) -> Node:
        """A stream with one other."""
        self._check((other,), store)
        return self._next(stream, other, on, joiner, store, name, inner=False)

    def _next(
        self,
        stream: Node,
        other: Node,
        on: On | None,
        joiner: Joiner | Chained,
        store: str | None,
        name: str | None,
        inner: bool,
    ) -> Node:
        """With `on`, the stream gets the key it is joined by, and keeps it; for a global table it does not have to."""
        declared, op, here, keep_all = self.declared, OPS[self.side], self.here, self.side is not JoinSide.INNER
        if isinstance(other, GlobalTable):
            return stream_global_join(declared, stream, other, on, joiner, keep_all, name, here, inner)
        if other.facts.table:
            if on is not None:
                stream = rekeyed(declared, op, stream, on, here, inner=inner, table=other)
            return stream_table_join(declared, stream, other, joiner, keep_all, self.grace, name, here)
        if on is not None:
            stream = rekeyed(declared, op, stream, on, here, inner=inner)
            other = rekeyed(declared, op, other, on, here, side=RIGHT)
        return stream_join(declared, stream, other, joiner, self.windows, self.side, store, name, here)

    def _check(self, others: tuple[Node, ...], store: str | None) -> None:
        tables = [other for other in others if other.facts.table]
        if self.side is JoinSide.OUTER and tables:
            wanted = "a stream: only streams have an outer join with streams"
            raise OptionInvalid("other", tables[0].name, wanted, self.here)
        if len(tables) == len(others):
            if self.windows is not None:
                wanted = "none: a table is looked up as it is when the record comes"
                raise OptionInvalid("windows", self.windows, wanted, self.here)
            if store is not None:
                raise OptionInvalid("store", store, "none: a join with a table keeps nothing of its own", self.here)
        elif self.grace is not None:
            wanted = "it to the windows: hr.join_windows(..., grace=...)"
            raise OptionInvalid("grace", self.grace, wanted, self.here)
