"""Global tables: held in full by every task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from headrace.plan.nodes import GlobalTable

if TYPE_CHECKING:
    from headrace.build.declared import Declared

K = TypeVar("K")
V = TypeVar("V")


class GlobalKTable(Generic[K, V]):
    """A table that streams look things up in, by any key of theirs: `stream.join(table, ..., on=...)`."""

    def __init__(self, declared: Declared, node: GlobalTable) -> None:
        self._declared, self._node = declared, node

    def __repr__(self) -> str:
        return f"GlobalKTable({self._node.name})"

    @property
    def queryable_store_name(self) -> str | None:
        """The name of the store that holds its rows."""
        return self._node.store
