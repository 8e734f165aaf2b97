"""Place a repartition in front of every store whose records may have a changed key."""

from __future__ import annotations

from dataclasses import replace

from headrace.plan.graph import Plan
from headrace.plan.nodes import Node, Repartition


def place_repartitions(plan: Plan) -> Plan:
    """Rewrite `select_key -> count` to `select_key -> repartition -> count`.

    A node is repartitioned once, however many stores look at it. Records without a key are dropped on the way, unless a
    left or outer join comes later, which may want them: so it is for repartitions by hand, too.
    """
    placed: dict[Node, Repartition] = {}
    wanted = _wanting_no_key(plan)

    def change(node: Node) -> Node:
        if isinstance(node, Repartition):
            return replace(node, takes_none=True) if node.name in wanted else node
        if not node.facts.stateful or node.facts.anywhere:
            return node
        moved: dict[Node, Node] = {}
        for position, upstream in enumerate(node.inputs):
            if key_changed(upstream):
                if upstream not in placed:
                    placed[upstream] = Repartition(
                        name=f"{upstream.name}.repartition",
                        origin=node.origin,
                        upstream=upstream,
                        takes_none=upstream.name in wanted or node.takes_no_key(position),
                        placed=True,
                    )
                moved[upstream] = placed[upstream]
        return node.with_inputs(moved)

    return plan.rewrite(change)


def key_changed(node: Node) -> bool:
    """Whether the key may differ from the one the records came to this task by."""
    if node.facts.side_output:  # records as they were when they came to the operators
        return any(key_changed(given) for operator in node.inputs for given in operator.inputs)
    if node.facts.rekeys:
        return True
    return not node.facts.cuts and any(key_changed(upstream) for upstream in node.inputs)


def _wanting_no_key(plan: Plan) -> set[str]:
    """The names of the nodes behind which a record without a key may still mean something."""
    wanted: set[str] = set()
    for node in reversed(plan.nodes):
        for reader in plan.consumers[node]:
            follows = any(
                upstream is node and not reader.looks_up(position) for position, upstream in enumerate(reader.inputs)
            )
            if follows and (reader.sends_no_key or reader.name in wanted):
                wanted.add(node.name)
    return wanted
