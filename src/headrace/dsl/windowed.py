"""Windowed views of grouped streams: what windowed aggregations start from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from headrace.build.aggregators import aggregating, reducing
from headrace.dsl.table import KTable
from headrace.dsl.windows import EmitStrategy
from headrace.errors import OptionInvalid
from headrace.expr import Expr
from headrace.model.durations import Duration, duration_ms, duration_text
from headrace.model.windows import SessionWindows, SlidingWindows, TimeWindows, UnlimitedWindows, Windowed, Windows
from headrace.plan.nodes import Counting, Fold, Node, SessionWindowed, SlidingWindowed, TimeWindowed
from headrace.plan.origin import origin

if TYPE_CHECKING:
    from headrace.build.declared import Declared

K = TypeVar("K")
V = TypeVar("V")
A = TypeVar("A")

NODES: dict[type, type[TimeWindowed] | type[SlidingWindowed] | type[SessionWindowed]] = {
    TimeWindows: TimeWindowed,
    UnlimitedWindows: TimeWindowed,
    SlidingWindows: SlidingWindowed,
    SessionWindows: SessionWindowed,
}


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
        return self._aggregation("count", Counting(), store, retention, emit, origin())

    def reduce(
        self,
        reducer: Callable[[V, V], V | Expr],
        *,
        store: str | None = None,
        retention: Duration | None = None,
        emit: str | None = None,
    ) -> KTable[Windowed[K], V]:
        """Make one value of those of each key and window: `lambda aggregate, value: ...`, from the first value on."""
        here = origin()
        return self._aggregation("reduce", reducing(reducer, self._node, here), store, retention, emit, here)

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
        here = origin()
        check_merger(self._windows, merger, here)
        fold = aggregating(initial, aggregator, self._node, here, merger)
        return self._aggregation("aggregate", fold, store, retention, emit, here)

    def _aggregation(
        self, op: str, fold: Fold, store: str | None, retention: Duration | None, emit: str | None, here: str
    ) -> KTable[Any, Any]:
        name = self._declared.store_name(store, f"{self._node.name}.windowed.{op}", here)
        node = NODES[type(self._windows)](
            name=self._declared.unique(None, name, here),
            origin=here,
            upstream=self._node,
            windows=self._windows,  # type: ignore[arg-type]
            fold=fold,
            store=name,
            retention_ms=kept_ms(self._windows, retention, here),
            final=self._strategy is EmitStrategy.ON_WINDOW_CLOSE,
            emit=self._declared.emission(emit, here),
        )
        return KTable(self._declared, self._declared.add(node))


def check_merger(windows: Windows, merger: object, here: str) -> None:
    """Raise if sessions have no merger, or other windows one."""
    if isinstance(windows, SessionWindows) and merger is None:
        raise OptionInvalid("merger", None, "a function (key, left, right) for sessions that become one", here)
    if not isinstance(windows, SessionWindows) and merger is not None:
        raise OptionInvalid("merger", merger, "none: only session windows are merged", here)


def kept_ms(windows: Windows, retention: Duration | None, here: str) -> int:
    """How long a store keeps windows: as long as they need, or longer."""
    least = windows.retention_ms
    kept = least if retention is None else duration_ms("retention", retention, here)
    if kept < least:
        raise OptionInvalid("retention", retention, f"at least {duration_text(least)}, what {windows} need", here)
    return kept


def checked_windows(windows: Windows, here: str) -> Windows:
    """The windows, if they are some."""
    if type(windows) not in NODES:
        wanted = "hr.tumbling(...), hr.hopping(...), hr.sliding(...), hr.session(...) or hr.unlimited()"
        raise OptionInvalid("windows", windows, wanted, here)
    return windows
