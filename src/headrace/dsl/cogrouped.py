"""Several grouped streams on their way to one aggregate."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from headrace.build.aggregations import Part, check_cogrouped, cogroup
from headrace.build.windowed import checked_windows
from headrace.dsl import grouped as groups
from headrace.dsl.table import KTable
from headrace.dsl.windowed_cogrouped import WindowedCogroupedKStream
from headrace.errors import OptionInvalid
from headrace.expr import Expr
from headrace.model.durations import Duration
from headrace.model.windows import Windows
from headrace.plan.origin import origin

if TYPE_CHECKING:
    from headrace.build.declared import Declared

K = TypeVar("K")
V2 = TypeVar("V2")
A = TypeVar("A")


class CogroupedKStream(Generic[K, A]):
    """Grouped streams with the same keys, each with the function that adds its records to a shared aggregate."""

    def __init__(self, declared: Declared, parts: tuple[Part, ...]) -> None:
        self._declared, self._parts = declared, parts

    def cogroup(
        self, grouped: groups.KGroupedStream[K, V2], aggregator: Callable[[K, V2, A], A | Expr]
    ) -> CogroupedKStream[K, A]:
        """Add another grouped stream, with an aggregator of its own."""
        here = origin()
        if not isinstance(grouped, groups.KGroupedStream):
            raise OptionInvalid("grouped", grouped, "a grouped stream: stream.group_by_key()", here)
        if grouped._declared is not self._declared:
            raise OptionInvalid(
                "grouped", grouped._declared.id, f"a stream of this application, {self._declared.id!r}", here
            )
        check_cogrouped(self._parts[0][0], grouped._node, here)
        return CogroupedKStream(self._declared, (*self._parts, (grouped._node, aggregator, here)))

    def aggregate(
        self,
        initial: A | Callable[[], A],
        *,
        store: str | None = None,
        emit: str | None = None,
        ttl: Duration | None = None,
    ) -> KTable[K, A]:
        """Fold the records of all streams into one value for each key, which begins as `initial`.

        A record without a key or a value is dropped; an aggregator that gives None deletes the row. With `ttl`, a row
        that was not updated for so long by stream time is deleted.
        """
        node = cogroup(self._declared, self._parts, initial, store=store, emit=emit, ttl=ttl, here=origin())
        return KTable(self._declared, node)

    def windowed_by(self, windows: Windows) -> WindowedCogroupedKStream[K, A]:
        """Group the records by window, too, as `windowed_by` of a grouped stream."""
        return WindowedCogroupedKStream(self._declared, self._parts, checked_windows(windows, origin()))
