"""Joins of a table with other tables, one or several in one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headrace.build.join_chain import Chained, Gather, join_chain
from headrace.build.join_keys import On
from headrace.build.joins import Joiner, foreign_key_join, table_join
from headrace.plan.nodes import JoinSide, Node

if TYPE_CHECKING:
    from headrace.build.declared import Declared


@dataclass(frozen=True)
class TableJoins:
    """Base of the joins of tables that one call makes. Of several, the last one has the store."""

    declared: Declared
    side: JoinSide
    store: str | None
    emit: str | None
    name: str | None
    here: str

    def all(self, table: Node, others: tuple[Node, ...], joiner: Joiner, on: Any) -> Node:
        """A table with all of the others, one after the other."""
        return join_chain(table, others, joiner, on, None, self.name, self.here, self._next)

    def one(self, table: Node, other: Node, joiner: Joiner, on: On | None) -> Node:
        """A table with one other."""
        return self._next(table, other, on, joiner, None, self.name, inner=False)

    def _next(
        self,
        left: Node,
        right: Node,
        on: On | None,
        joiner: Joiner | Chained,
        _store: str | None,
        name: str | None,
        inner: bool,
    ) -> Node:
        declared, side, here = self.declared, self.side, self.here
        store = None if isinstance(joiner, Gather) else self.store
        if on is None:
            return table_join(declared, left, right, joiner, side, store, self.emit, name, here)
        return foreign_key_join(declared, left, right, on, joiner, side, store, self.emit, name, here, inner)
