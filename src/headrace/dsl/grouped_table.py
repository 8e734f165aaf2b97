"""Grouped tables: what aggregations of rows start from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from headrace.build.functions import AGGREGATE_VALUE, KEY_VALUE_AGGREGATE, bound_on, exactly, initial_of
from headrace.build.names import ttl_of
from headrace.dsl import table as tables
from headrace.errors import OptionInvalid
from headrace.expr import Expr
from headrace.model.durations import Duration, duration_text
from headrace.model.types import Type
from headrace.plan.nodes import Node, TableAggregate, TableFilter, TableMapValues, TableReduce
from headrace.plan.nodes.lasting import Lasting
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
        here = origin()
        return self._aggregate("count", 0, lambda _k, _v, n: n + 1, lambda _k, _v, n: n - 1, store, emit, ttl, here)

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
        here = origin()
        value = self._node.output().value.type
        symbols, check = {"aggregate": value, "value": value}, exactly(value, "the reduced value")
        return self._add(
            TableReduce,
            "reduce",
            store,
            emit,
            here,
            adder=bound_on("reduce", adder, (AGGREGATE_VALUE,), symbols, here, check),
            subtractor=bound_on("reduce", subtractor, (AGGREGATE_VALUE,), symbols, here, check),
            ttl_ms=self._ttl(ttl, here),
        )

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
        return self._aggregate("aggregate", initial, adder, subtractor, store, emit, ttl, origin())

    def _aggregate(
        self,
        op: str,
        initial: Any,
        adder: Callable[..., Any],
        subtractor: Callable[..., Any],
        store: str | None,
        emit: str | None,
        ttl: Duration | None,
        here: str,
    ) -> tables.KTable[Any, Any]:
        schema, begin = self._node.output(), initial_of(initial, here)
        symbols: dict[str, Type] = {"key": schema.key.type, "value": schema.value.type, "aggregate": begin.type}
        check = exactly(begin.type, "the aggregate")
        return self._add(
            TableAggregate,
            op,
            store,
            emit,
            here,
            initial=begin,
            adder=bound_on(op, adder, (KEY_VALUE_AGGREGATE,), symbols, here, check),
            subtractor=bound_on(op, subtractor, (KEY_VALUE_AGGREGATE,), symbols, here, check),
            ttl_ms=self._ttl(ttl, here),
        )

    def _ttl(self, ttl: Duration | None, here: str) -> int | None:
        """A row that outlived its group would be taken out of a later one that it never was in."""
        groups_ms, rows_ms = ttl_of(ttl, here), _ttl_of_rows(self._node.inputs[0])
        if groups_ms is not None and (rows_ms is None or rows_ms > groups_ms):
            theirs = "has none" if rows_ms is None else f"has {duration_text(rows_ms)}"
            allowed = f"the table a ttl that is not longer: it {theirs}, and its rows would outlive their groups"
            raise OptionInvalid("ttl", ttl, allowed, here)
        return groups_ms

    def _add(
        self, kind: type[Node], op: str, store: str | None, emit: str | None, here: str, **parameters: Any
    ) -> tables.KTable[Any, Any]:
        name = self._declared.store_name(store, f"{self._node.name}.{op}", here)
        node = kind(
            name=self._declared.unique(None, name, here),
            origin=here,
            upstream=self._node,  # type: ignore[call-arg]
            store=name,
            emit=self._declared.emission(emit, here),
            **parameters,
        )
        return tables.KTable(self._declared, self._declared.add(node))


def _ttl_of_rows(table: Node) -> int | None:
    """How long a row without an update lasts; None if nothing deletes it."""
    if isinstance(table, Lasting):
        return table.ttl_ms
    return _ttl_of_rows(table.upstream) if isinstance(table, TableFilter | TableMapValues) else None
