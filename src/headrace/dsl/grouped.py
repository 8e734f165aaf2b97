"""Grouped streams: aggregations start from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from headrace.build.aggregations import aggregate, count, reduce
from headrace.build.windowed import checked_windows
from headrace.dsl import cogrouped
from headrace.dsl.table import KTable
from headrace.dsl.windowed import WindowedKStream
from headrace.expr import Expr
from headrace.model.durations import Duration
from headrace.model.windows import Windows
from headrace.plan.nodes import Node
from headrace.plan.origin import origin

if TYPE_CHECKING:
    from headrace.build.declared import Declared

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")


class KGroupedStream(Generic[K, V]):
    """A stream whose records are grouped by key."""

    def __init__(self, declared: Declared, node: Node) -> None:
        self._declared, self._node = declared, node

    def __repr__(self) -> str:
        return f"KGroupedStream({self._node.name})"

    def count(
        self, *, store: str | None = None, emit: str | None = None, ttl: Duration | None = None
    ) -> KTable[K, int]:
        """Count the records of each key, as a table in the named store.

        Without `store` the path of operators that leads here is its name; where another path is the same, give one.
        A record without a key or a value is dropped. Sends on the last count of each key in a batch, or with
        `emit="every"` each count. With `ttl="1d"`, a key without a record for a day of stream time, that of all records
        in its task, is deleted, and begins anew with its next record.
        """
        return KTable(self._declared, count(self._declared, self._node, store=store, emit=emit, ttl=ttl, here=origin()))

    def reduce(
        self,
        reducer: Callable[[V, V], V | Expr | None],
        *,
        store: str | None = None,
        emit: str | None = None,
        ttl: Duration | None = None,
    ) -> KTable[K, V]:
        """Reduce the values of each key to one: the first value, then what the function makes of it and the next.

        A record without a key or a value is dropped; None as the result deletes the row. Sends on the last value of
        each key in a batch, or with `emit="every"` each. `ttl` is that of `count`.

            best = scores.group_by_key().reduce(lambda best, score: hr.when(score > best, score).otherwise(best))
        """
        node = reduce(self._declared, self._node, reducer, store=store, emit=emit, ttl=ttl, here=origin())
        return KTable(self._declared, node)

    def aggregate(
        self,
        initial: A | Callable[[], A],
        aggregator: Callable[[K, V, A], A | Expr],
        *,
        store: str | None = None,
        emit: str | None = None,
        ttl: Duration | None = None,
    ) -> KTable[K, A]:
        """Fold the records of each key into one value, which begins as `initial`.

        The function takes the key, the value and the aggregate so far. A record without a key or a value is dropped;
        None as the result deletes the row. `ttl` is that of `count`.

            totals = orders.group_by_key().aggregate(0, lambda key, amount, total: total + amount)
        """
        options: Any = {"store": store, "emit": emit, "ttl": ttl, "here": origin()}
        return KTable(self._declared, aggregate(self._declared, self._node, initial, aggregator, **options))

    def cogroup(self, aggregator: Callable[[K, V, A], A | Expr]) -> cogrouped.CogroupedKStream[K, A]:
        """Begin an aggregate over several grouped streams, with the function that adds the records of this one.

        both = clicks.cogroup(lambda k, v, n: n + 1).cogroup(orders, lambda k, v, n: n + 10).aggregate(0)
        """
        return cogrouped.CogroupedKStream(self._declared, ((self._node, aggregator, origin()),))

    def windowed_by(self, windows: Windows) -> WindowedKStream[K, V]:
        """Group the records by window, too: `hr.tumbling`, `hr.hopping`, `hr.sliding`, `hr.session` or `hr.unlimited`.

        clicks.group_by_key().windowed_by(hr.tumbling("1m", grace="5s")).count()
        """
        return WindowedKStream(self._declared, self._node, checked_windows(windows, origin()))
