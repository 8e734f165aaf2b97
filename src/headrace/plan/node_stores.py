"""Stores that the nodes of a plan keep their rows in."""

from __future__ import annotations

from headrace.plan.nodes import ForeignKeyJoin, Node, StreamJoin, TableJoin, TableSource, ToTable
from headrace.plan.nodes.materialized import unnamed_store
from headrace.plan.placement_nodes import Copy, Everywhere


def stores(node: Node) -> list[str]:
    """The stores of a node; a table that was given none keeps its rows as well, for somebody may ask for them."""
    if isinstance(node, Everywhere):
        return stores(node.upstream)
    if isinstance(node, StreamJoin):
        return list(node.side_stores)
    keeps = isinstance(node, TableSource | ToTable | ForeignKeyJoin | Copy)
    unnamed = keeps or (isinstance(node, TableJoin) and node.settles)
    store = getattr(node, "store", None) or (unnamed_store(node) if unnamed else None)
    return [store] if store else []
