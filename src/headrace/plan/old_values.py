"""Old values: the tables that send the old value of a key beside the new one."""

from __future__ import annotations

from headrace.plan.graph import Plan
from headrace.plan.nodes.base import Node


def sending_old(plan: Plan) -> frozenset[Node]:
    """The tables whose changes carry old values: those of which somebody further on needs them.

    A table that is computed from others, and keeps no store of its own, passes the wish on to them.
    """
    sending: set[Node] = set()
    for node in reversed(plan.nodes):
        if node.facts.table and any(_asks(reader, node, sending) for reader in plan.consumers[node]):
            sending.add(node)
    return frozenset(sending)


def _asks(reader: Node, node: Node, sending: set[Node]) -> bool:
    places = [place for place, upstream in enumerate(reader.inputs) if upstream is node]
    passed_on = reader in sending and not reader.keeps_old
    return passed_on or any(reader.wants_old(place) for place in places)
