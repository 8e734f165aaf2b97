"""Cut a plan into sub-topologies."""

from __future__ import annotations

from headrace.plan.graph import Plan
from headrace.plan.nodes.base import Node
from headrace.plan.subtopology import SubTopology


def split_subtopologies(plan: Plan) -> tuple[SubTopology, ...]:
    """The connected pieces of the plan when the edges behind repartitions are cut; a shared store connects, too.

    Numbered in the order of their first nodes; a repartition belongs to the piece that writes it, with its failures.
    """
    piece: dict[Node, set[Node]] = {}
    user: dict[str, Node] = {}
    for node in plan.nodes:
        joined = {node}
        for upstream in node.inputs:
            cut = upstream.facts.cuts and node.facts.side_output is None
            if not (cut or upstream.facts.everywhere):
                joined |= piece[upstream]
        for store in () if node.facts.everywhere else node.shared_stores:
            joined |= piece.get(user.setdefault(store, node), set())
        for member in joined:
            piece[member] = joined
    found = {id(members): members for members in piece.values()}
    return tuple(
        SubTopology(number, tuple(node for node in plan.nodes if node in members))
        for number, members in enumerate(found.values())
    )
