"""Stores that can grow without bound."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from headrace.plan.nodes.base import Node


@dataclass(frozen=True)
class GrowingStore:
    """A store that nothing bounds: what it grows with, and what would bound it."""

    store: str
    node: str
    origin: str
    """`file.py:line` where the user declared it."""

    why: str
    fix: str

    def __str__(self) -> str:
        return f"{self.store} {self.why} ({self.origin}): {self.fix}"


def growing_stores(nodes: Iterable[Node]) -> tuple[GrowingStore, ...]:
    """The stores that grow as long as new keys come: those of aggregations without windows and without a ttl.

    A table that is read from a topic has the rows of the topic, whoever writes it deletes them; what is computed row by
    row from a table has no more rows than that.
    """
    stores: dict[str, GrowingStore] = {}
    for node in nodes:
        store = getattr(node, "store", None)
        if store is not None and node.grows_with is not None:
            why = f"grows with {node.grows_with}"
            stores.setdefault(store, GrowingStore(store, node.name, node.origin, why, "ttl= or windows bound it"))
    return tuple(stores.values())
