"""Merge repartitions: streams that move by the same new key move once, together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from headrace.plan.graph import Plan
from headrace.plan.nodes import Node, Repartition
from headrace.plan.nodes.base import Unary


def merge_repartitions(plan: Plan) -> Plan:
    """Rewrite `rekey -> (repartition, filter -> repartition)` to `rekey -> repartition -> (, filter)`.

    Only where nothing else comes of what lies between the new key and the repartitions: a sink would get other records,
    in another order. Repartitions by hand stay where they are.
    """
    groups = {anchor.name: together for anchor, together in _groups(plan).items() if len(together) > 1}
    gone = {one.name for together in groups.values() for one in together}
    between = {node.name for together in groups.values() for one in together for node in _between(one)}
    merged: dict[str, Repartition] = {}

    def behind(node: Node) -> Node:
        """The repartition behind a node where the key was given; any other node is behind its own already."""
        if node.name not in groups:
            return node
        if node.name not in merged:
            together = groups[node.name]
            takes_none = any(one.takes_none for one in together)
            name = f"{node.name}.repartition"
            merged[node.name] = replace(together[0], name=name, upstream=node, takes_none=takes_none)
        return merged[node.name]

    def change(node: Node) -> Node:
        if isinstance(node, Repartition) and node.placed and node.name in gone:
            return behind(node.upstream)
        if node.name in between:
            return node.with_inputs({node.inputs[0]: behind(node.inputs[0])})
        return node

    return plan.rewrite(change)


def _groups(plan: Plan) -> dict[Node, list[Repartition]]:
    """The repartitions that could be one, by the node that gave the key they move by."""
    groups: dict[Node, list[Repartition]] = {}
    for one in plan.of(Repartition):
        between = list(_between(one))
        if one.placed and all(_leads_on(plan, node) for node in between):
            groups.setdefault(between[-1].inputs[0] if between else one.upstream, []).append(one)
    return groups


def _between(repartition: Repartition) -> Iterator[Node]:
    """The nodes in front of a repartition that leave keys as they are, back to where the key was given."""
    node = repartition.upstream
    while _passes(node):
        yield node
        node = node.inputs[0]


def _leads_on(plan: Plan, node: Node) -> bool:
    """Whether a node has no effect of its own, and nothing but placed repartitions comes of it."""
    return not node.facts.ends and all(
        reader.placed if isinstance(reader, Repartition) else _passes(reader) and _leads_on(plan, reader)
        for reader in plan.consumers[node]
    )


def _passes(node: Node) -> bool:
    return isinstance(node, Unary) and not (node.facts.rekeys or node.facts.stateful or node.facts.cuts)
