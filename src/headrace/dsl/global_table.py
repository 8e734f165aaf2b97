"""Global tables: held in full by every task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from headrace.plan.nodes import GlobalTable

if TYPE_CHECKING:
    from headrace.dsl.builder import Builder

K = TypeVar("K")
V = TypeVar("V")


class GlobalKTable(Generic[K, V]):
    """A table that streams look things up in, by any key of theirs: `stream.join(table, ..., on=...)`."""

    def __init__(self, builder: Builder, node: GlobalTable) -> None:
        self._builder, self._node = builder, node

    def __repr__(self) -> str:
        return f"GlobalKTable({self._node.name})"

    @property
    def queryable_store_name(self) -> str | None:
        """The name of the store that holds its rows."""
        return self._node.store
