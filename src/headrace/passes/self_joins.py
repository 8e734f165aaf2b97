"""Share the store of a stream that is joined with itself."""

from __future__ import annotations

from dataclasses import replace

from headrace.plan.graph import Plan
from headrace.plan.nodes import Node, StreamJoin


def self_joins(plan: Plan) -> Plan:
    """Give a join one store for both sides where both are the same stream: they would keep the same records."""

    def change(node: Node) -> Node:
        if isinstance(node, StreamJoin) and node.left is node.right:
            return replace(node, one_store=True)
        return node

    return plan.rewrite(change)
