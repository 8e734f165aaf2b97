"""Windowed views of grouped streams: windowed aggregations start from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from headrace.build.windowed import aggregate_windowed, count_windowed, reduce_windowed
from headrace.dsl.table import KTable
from headrace.dsl.windows import EmitStrategy
from headrace.errors import OptionInvalid
from headrace.expr import Expr
from headrace.model.durations import Duration
from headrace.model.windows import UnlimitedWindows, Windowed, Windows
from headrace.plan.nodes import Node
from headrace.plan.origin import origin

if TYPE_CHECKING:
    from headrace.build.declared import Declared

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")


class WindowedKStream(Generic[K, V]):
    """A stream whose records are grouped by key and by window.

    The keys of its tables are `Windowed`: `.key`, `.start` and `.end` in milliseconds. A record that comes after the
    end + grace of a window is left out of it and counted as late.
    """

    def __init__(
        self, declared: Declared, node: Node, windows: Windows, strategy: EmitStrategy = EmitStrategy.ON_WINDOW_UPDATE
    ) -> None:
        self._declared, self._node, self._windows, self._strategy = declared, node, windows, strategy

    def emit_strategy(self, strategy: EmitStrategy) -> WindowedKStream[K, V]:
        """Say when results are sent on: `hr.on_window_update()`, the default, or `hr.on_window_close()`."""
        if not isinstance(strategy, EmitStrategy):
            raise OptionInvalid("strategy", strategy, "hr.on_window_close() or hr.on_window_update()", origin())
        if strategy is EmitStrategy.ON_WINDOW_CLOSE and isinstance(self._windows, UnlimitedWindows):
            raise OptionInvalid("strategy", strategy.value, "hr.on_window_update(): this window never closes", origin())
        return WindowedKStream(self._declared, self._node, self._windows, strategy)

    def count(
        self, *, store: str | None = None, retention: Duration | None = None, emit: str | None = None
    ) -> KTable[Windowed[K], int]:
        """Count the records of each key and window.

        `retention` keeps windows in the store for longer than they take records. Sends on the last count of each
        window in a batch, or with `emit="every"` each count.

            clicks.group_by_key().windowed_by(hr.tumbling("1m")).count(store="clicks-per-minute")
        """
        return self._table(count_windowed, store=store, retention=retention, emit=emit, here=origin())

    def reduce(
        self,
        reducer: Callable[[V, V], V | Expr | None],
        *,
        store: str | None = None,
        retention: Duration | None = None,
        emit: str | None = None,
    ) -> KTable[Windowed[K], V]:
        """Make one value of those of each key and window: `lambda aggregate, value: ...`, from the first value on."""
        return self._table(reduce_windowed, reducer, store=store, retention=retention, emit=emit, here=origin())

    def aggregate(
        self,
        initial: A | Callable[[], A],
        aggregator: Callable[[K, V, A], A | Expr],
        *,
        merger: Callable[[K, A, A], A | Expr] | None = None,
        store: str | None = None,
        retention: Duration | None = None,
        emit: str | None = None,
    ) -> KTable[Windowed[K], A]:
        """Fold the records of each key and window: `lambda key, value, aggregate: ...`, from an initial value on.

        Session windows also need `merger`, `lambda key, left, right: ...`, for sessions that become one; it is called
        with the initial value first. An aggregate that becomes None deletes the window from the table.
        """
        return self._table(
            aggregate_windowed,
            initial,
            aggregator,
            merger=merger,
            store=store,
            retention=retention,
            emit=emit,
            here=origin(),
        )

    def _table(
        self, build: Callable[..., Node], *given: Any, store: str | None, retention: Duration | None, **options: Any
    ) -> KTable[Any, Any]:
        """The table of the aggregation that is built on these windows."""
        final = self._strategy is EmitStrategy.ON_WINDOW_CLOSE
        shared = {"final": final, "store": store, "retention": retention, **options}
        return KTable(self._declared, build(self._declared, self._node, self._windows, *given, **shared))
