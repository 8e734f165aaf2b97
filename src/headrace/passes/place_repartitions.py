"""Put a repartition in front of every store that would otherwise see a changed key in the wrong task."""

from __future__ import annotations

from headrace.plan.graph import Plan
from headrace.plan.nodes import Node, Repartition
from headrace.plan.nodes.base import Unary


def place_repartitions(plan: Plan) -> Plan:
    """Rewrite `select_key -> count` to `select_key -> repartition -> count`.

    A node is repartitioned once, however many stores look at it.
    """
    placed: dict[Node, Repartition] = {}

    def change(node: Node) -> Node:
        if not (node.facts.stateful and isinstance(node, Unary) and key_changed(node.upstream)):
            return node
        upstream = node.upstream
        if upstream not in placed:
            placed[upstream] = Repartition(name=f"{upstream.name}.repartition", origin=node.origin, upstream=upstream)
        return node.with_inputs({upstream: placed[upstream]})

    return plan.rewrite(change)


def key_changed(node: Node) -> bool:
    """Whether the key may differ from the one the records came to this task by."""
    if node.facts.rekeys:
        return True
    return not node.facts.cuts and any(key_changed(upstream) for upstream in node.inputs)
