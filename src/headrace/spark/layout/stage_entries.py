"""Stage entries of repartitions that run code: their key function runs in the stage before them."""

from __future__ import annotations

from dataclasses import replace

from headrace.plan.graph import Plan
from headrace.plan.nodes import Node, Repartition
from headrace.plan.placement_nodes import Through
from headrace.spark.layout.lanes import gathers


def place_stage_entries(plan: Plan) -> Plan:
    """A plan in which something that runs in a stage is in front of each repartition with a function."""

    def change(node: Node) -> Node:
        if not isinstance(node, Repartition) or node.partitioner is None:
            return node
        upstream = node.upstream
        if not (upstream.facts.cuts or gathers(upstream)):
            return node
        through = Through(name=f"{upstream.name} to {node.name}", origin=node.origin, upstream=upstream)
        return replace(node, upstream=through)

    return plan.rewrite(change)
