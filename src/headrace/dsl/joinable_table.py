"""Joins of a table, as users call them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from headrace.build.joins import Joiner
from headrace.build.table_joins import TableJoins
from headrace.dsl import table as tables
from headrace.dsl.other_sides import sides
from headrace.dsl.table_join_types import inner, left, outer
from headrace.plan.nodes import JoinSide, Node
from headrace.plan.origin import origin

if TYPE_CHECKING:
    from headrace.build.declared import Declared
    from headrace.dsl.table import KTable

K = TypeVar("K")
V = TypeVar("V")


class JoinableTable(Generic[K, V]):
    """The part of a table that joins it with others. Functions are as in the joins of streams."""

    _declared: Declared
    _node: Node

    @inner
    def join(
        self,
        other: Any,
        joiner: Joiner,
        *,
        on: Any = None,
        store: str | None = None,
        emit: str | None = None,
        name: str | None = None,
    ) -> KTable[K, Any]:
        """The rows that both tables have, joined by key; the function takes both values, or the key and both.

        With `on`, each row is joined with the row of the other table whose key the function, or the fields named, find
        in it; several may find the same. A change of either table changes the rows, with the later of both times.

        Several tables in a list are joined one after the other, and the function takes all values; `on` is then a list
        with one for each, None for those that are joined by key.

            users.join(addresses, lambda user, address: user + " in " + address)
            orders.join(users, lambda order, user: user + " ordered " + order, on=lambda order: order[:3])
            orders.join(prices, lambda order, price: order.pieces * price, on=["sku", "region"])
            users.join([addresses, emails], lambda user, address, email: user + address + email)
        """
        return self._join(other, joiner, JoinSide.INNER, on, store, emit, name)

    @left
    def left_join(
        self,
        other: Any,
        joiner: Joiner,
        *,
        on: Any = None,
        store: str | None = None,
        emit: str | None = None,
        name: str | None = None,
    ) -> KTable[K, Any]:
        """All rows of this table, joined by key or by what `on` finds in them with those of the other, or with None."""
        return self._join(other, joiner, JoinSide.LEFT, on, store, emit, name)

    @outer
    def outer_join(
        self,
        other: Any,
        joiner: Joiner,
        *,
        store: str | None = None,
        emit: str | None = None,
        name: str | None = None,
    ) -> KTable[K, Any]:
        """All rows of both tables, or of all in a list, joined by key; None stands for a side that has none."""
        return self._join(other, joiner, JoinSide.OUTER, None, store, emit, name)

    def _join(
        self,
        other: Any,
        joiner: Joiner,
        side: JoinSide,
        on: Any,
        store: str | None,
        emit: str | None,
        name: str | None,
    ) -> KTable[K, Any]:
        here, wanted = origin(), "a table, or several in a list: a stream joins a table with stream.join(table, ...)"
        others = sides(self._declared, other, (tables.KTable,), wanted, here)
        joins = TableJoins(self._declared, side, store, emit, name, here)
        if isinstance(other, list | tuple):
            node = joins.all(self._node, others, joiner, on)
        else:
            node = joins.one(self._node, others[0], joiner, on)
        return tables.KTable(self._declared, node)
