"""Grouped streams: what aggregations start from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from headrace.dsl.names import emit_of
from headrace.dsl.table import KTable
from headrace.plan.nodes import Count, Node
from headrace.plan.origin import origin

if TYPE_CHECKING:
    from headrace.dsl.builder import Builder

K = TypeVar("K")
V = TypeVar("V")


class KGroupedStream(Generic[K, V]):
    """A stream whose records are grouped by key."""

    def __init__(self, builder: Builder, node: Node) -> None:
        self._builder, self._node = builder, node

    def count(self, *, store: str | None = None, emit: str | None = None) -> KTable[K, int]:
        """Count the records of each key, as a table in the named store.

        Without `store` the path of operators that leads here is its name; where another path is the same, give one.
        A record without a key or a value is dropped. Sends on the last count of each key in a batch, or with
        `emit="every"` each count.
        """
        here = origin()
        name = self._builder.store_name(store, f"{self._node.name}.count", "count", here)
        node = Count(
            name=self._builder.unique(None, name, here),
            origin=here,
            upstream=self._node,
            store=name,
            emit=self._builder.emit if emit is None else emit_of(emit, here),
        )
        return KTable(self._builder, self._builder.add_store(name, node))
