"""The topology of an application as data."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.plan.nodes.base import Node
from headrace.plan.subtopology import SubTopology


def topology_object(app: str, parts: Sequence[SubTopology]) -> dict[str, object]:
    """As JSON: sub-topologies, their operators, what each reads from, and the store that it keeps."""
    return {
        "app": app,
        "subtopologies": [{"number": part.number, "nodes": [_node(node) for node in part.nodes]} for part in parts],
    }


def _node(node: Node) -> dict[str, object]:
    return {
        "name": node.name,
        "op": node.op,
        "detail": node.detail(),
        "inputs": [upstream.name for upstream in node.inputs],
        "stores": list(node.shared_stores),
    }
