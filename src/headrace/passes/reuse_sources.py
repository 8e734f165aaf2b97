"""Let the topic that a table is read from stand in for the changelog of its store."""

from __future__ import annotations

from dataclasses import replace

from headrace.plan.graph import Plan
from headrace.plan.nodes import Node, TableSource


def reuse_sources(plan: Plan) -> Plan:
    """Note on every table that is read straight from a topic that its rows can be read from there again.

    A versioned table cannot: the topic forgets earlier rows of a key when it is compacted. Nor can one with a ttl: the
    topic has the rows that the table deleted, and those that it dropped because they came too late.
    """

    def change(node: Node) -> Node:
        if isinstance(node, TableSource) and not node.versioned and node.ttl_ms is None:
            return replace(node, changelog=node.topics[0])
        return node

    return plan.rewrite(change)
