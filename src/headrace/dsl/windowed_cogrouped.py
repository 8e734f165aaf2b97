"""Several grouped streams on their way to one windowed aggregate."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from headrace.build.aggregations import Part
from headrace.build.windowed import cogroup_windowed
from headrace.dsl.table import KTable
from headrace.expr import Expr
from headrace.model.durations import Duration
from headrace.model.windows import Windowed, Windows
from headrace.plan.origin import origin

if TYPE_CHECKING:
    from headrace.build.declared import Declared

K = TypeVar("K")
A = TypeVar("A")


class WindowedCogroupedKStream(Generic[K, A]):
    """Grouped streams with the same keys, grouped by window, too."""

    def __init__(self, declared: Declared, parts: tuple[Part, ...], windows: Windows) -> None:
        self._declared, self._parts, self._windows = declared, parts, windows

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
        node = cogroup_windowed(
            self._declared,
            self._parts,
            self._windows,
            initial,
            merger=merger,
            store=store,
            retention=retention,
            emit=emit,
            here=origin(),
        )
        return KTable(self._declared, node)
