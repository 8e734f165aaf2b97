"""Grouped tables: aggregations of rows start from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from headrace.build.aggregations import aggregate_rows, count_rows, reduce_rows
from headrace.dsl import table as tables
from headrace.expr import Expr
from headrace.model.durations import Duration
from headrace.plan.nodes import Node
from headrace.plan.origin import origin

if TYPE_CHECKING:
    from headrace.build.declared import Declared

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")


class KGroupedTable(Generic[K, V]):
    """A table whose rows are grouped by a new key. A row that changes leaves its group first, then enters one."""

    def __init__(self, declared: Declared, node: Node) -> None:
        self._declared, self._node = declared, node

    def count(
        self, *, store: str | None = None, emit: str | None = None, ttl: Duration | None = None
    ) -> tables.KTable[K, int]:
        """Count the rows of each group; a group that has lost all its rows stays, with 0.

        With `ttl`, a group none of whose rows changed for so long by stream time is deleted, and begins anew with the
        next row that comes. The table needs a ttl, too, and none that is longer: rows leave before their group does.
        """
        return self._table(count_rows(self._declared, self._node, store=store, emit=emit, ttl=ttl, here=origin()))

    def reduce(
        self,
        adder: Callable[[V, V], V | Expr],
        subtractor: Callable[[V, V], V | Expr],
        *,
        store: str | None = None,
        emit: str | None = None,
        ttl: Duration | None = None,
    ) -> tables.KTable[K, V]:
        """Reduce the values of each group to one.

        Both functions take the value so far and the one that comes or goes; None deletes the group. `ttl` is that of
        `count`.

            totals = by_city.reduce(lambda total, value: total + value, lambda total, value: total - value)
        """
        options: Any = {"store": store, "emit": emit, "ttl": ttl, "here": origin()}
        return self._table(reduce_rows(self._declared, self._node, adder, subtractor, **options))

    def aggregate(
        self,
        initial: A | Callable[[], A],
        adder: Callable[[K, V, A], A | Expr],
        subtractor: Callable[[K, V, A], A | Expr],
        *,
        store: str | None = None,
        emit: str | None = None,
        ttl: Duration | None = None,
    ) -> tables.KTable[K, A]:
        """Fold the values of each group into one that begins as `initial`.

        Both functions take the key, the value that comes or goes, and the aggregate so far; None deletes the group.
        `ttl` is that of `count`.
        """
        options: Any = {"store": store, "emit": emit, "ttl": ttl, "here": origin()}
        return self._table(aggregate_rows(self._declared, self._node, initial, adder, subtractor, **options))

    def _table(self, node: Node) -> tables.KTable[Any, Any]:
        return tables.KTable(self._declared, node)
