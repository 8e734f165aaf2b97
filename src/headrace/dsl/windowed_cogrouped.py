"""Several grouped streams on their way to one windowed aggregate."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from headrace.build.aggregators import merging
from headrace.build.functions import initial_of
from headrace.dsl.table import KTable
from headrace.dsl.windowed import NODES, check_merger, kept_ms
from headrace.expr import Bound, Expr
from headrace.model.durations import Duration
from headrace.model.windows import Windowed, Windows
from headrace.plan.nodes import Aggregating, Emit, Initial, Node, WindowedCogroup
from headrace.plan.origin import origin

if TYPE_CHECKING:
    from headrace.build.declared import Declared

K = TypeVar("K")
A = TypeVar("A")


class WindowedCogroupedKStream(Generic[K, A]):
    """Grouped streams with the same keys, grouped by window, too."""

    def __init__(
        self,
        declared: Declared,
        streams: tuple[Node, ...],
        aggregators: Callable[[Initial], tuple[Bound, ...]],
        windows: Windows,
    ) -> None:
        self._declared, self._streams, self._aggregators, self._windows = declared, streams, aggregators, windows

    def aggregate(
        self,
        initial: A | Callable[[], A],
        *,
        merger: Callable[[K, A, A], A | Expr] | None = None,
        store: str | None = None,
        retention: Duration | None = None,
        emit: str | None = None,
    ) -> KTable[Windowed[K], A]:
        """Fold the records of all streams into one value for each key and window, which begins as `initial`.

        Session windows also need `merger`. Each stream has its own stream time, so one that lags behind the others
        is late only where the store has forgotten the window: a longer `retention` keeps windows for it.
        """
        here = origin()
        check_merger(self._windows, merger, here)
        begin, first = initial_of(initial, here), self._streams[0]
        merged = None if merger is None else merging(merger, first.output().key.type, begin.type, here)
        name = self._declared.store_name(store, f"{first.name}.windowed.cogroup", here)
        kept = kept_ms(self._windows, retention, here)
        chosen = self._declared.emission(emit, here)
        parts = tuple(
            self._part(
                f"{name}.{number}", here, stream, Aggregating(begin.type, begin, added, merged), name, kept, chosen
            )
            for number, (stream, added) in enumerate(zip(self._streams, self._aggregators(begin), strict=True), 1)
        )
        unique = self._declared.unique(None, name, here)
        node = WindowedCogroup(name=unique, origin=here, parts=parts, store=name, emit=chosen)
        return KTable(self._declared, self._declared.add(node))

    def _part(
        self, path: str, here: str, stream: Node, fold: Aggregating, store: str, retention_ms: int, emit: Emit
    ) -> Any:
        part = NODES[type(self._windows)](
            name=self._declared.unique(None, path, here),
            origin=here,
            upstream=stream,
            windows=self._windows,  # type: ignore[arg-type]
            fold=fold,
            store=store,
            retention_ms=retention_ms,
            final=False,
            emit=emit,
        )
        return self._declared.add(part)
