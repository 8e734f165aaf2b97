"""Several grouped streams on their way to one aggregate."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from headrace.build.functions import KEY_VALUE_AGGREGATE, bound_on, exactly, initial_of
from headrace.build.names import ttl_of
from headrace.dsl import grouped as groups
from headrace.dsl.table import KTable
from headrace.dsl.windowed import checked_windows
from headrace.dsl.windowed_cogrouped import WindowedCogroupedKStream
from headrace.errors import OptionInvalid, TypesDiffer
from headrace.expr import Bound, Expr
from headrace.model.durations import Duration
from headrace.model.windows import Windows
from headrace.plan.nodes import Cogroup, Initial, Node
from headrace.plan.origin import origin

if TYPE_CHECKING:
    from headrace.build.declared import Declared

K = TypeVar("K")
V2 = TypeVar("V2")
A = TypeVar("A")

Part = tuple[Node, Callable[..., Any], str]
"""A grouped stream, its aggregator, and the user's line."""


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
        mine, theirs = self._parts[0][0].output().key.type, grouped._node.output().key.type
        if mine != theirs:
            raise TypesDiffer(
                "the cogrouped streams have keys of two types", mine, theirs, here, fix="group both by the same type"
            )
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
        here = origin()
        begin = initial_of(initial, here)
        first = self._parts[0][0]
        name = self._declared.store_name(store, f"{first.name}.cogroup", here)
        node = Cogroup(
            name=self._declared.unique(None, name, here),
            origin=here,
            streams=tuple(stream for stream, _, _ in self._parts),
            initial=begin,
            aggregators=self._aggregators(begin),
            store=name,
            emit=self._declared.emission(emit, here),
            ttl_ms=ttl_of(ttl, here),
        )
        return KTable(self._declared, self._declared.add(node))

    def windowed_by(self, windows: Windows) -> WindowedCogroupedKStream[K, A]:
        """Group the records by window, too, as `windowed_by` of a grouped stream."""
        streams = tuple(stream for stream, _, _ in self._parts)
        return WindowedCogroupedKStream(self._declared, streams, self._aggregators, checked_windows(windows, origin()))

    def _aggregators(self, begin: Initial) -> tuple[Bound, ...]:
        """The aggregator of each stream, typed by what the aggregate begins with."""
        return tuple(self._aggregator(part, begin) for part in self._parts)

    def _aggregator(self, part: Part, begin: Initial) -> Bound:
        stream, function, here = part
        schema = stream.output()
        symbols = {"key": schema.key.type, "value": schema.value.type, "aggregate": begin.type}
        check = exactly(begin.type, "the aggregate")
        return bound_on("cogroup", function, (KEY_VALUE_AGGREGATE,), symbols, here, check)
