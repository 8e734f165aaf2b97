"""Previews of a stream or a table while its application is written: no node is declared for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from headrace.build.functions import acting
from headrace.errors import OptionInvalid
from headrace.model.notebook import display, shell
from headrace.model.rows import Rows
from headrace.plan.graph import Plan
from headrace.plan.nodes import Foreach, Node, ToStream

if TYPE_CHECKING:
    from headrace.build.declared import Declared


class Viewer(Protocol):
    """Viewer of declared nodes: finds their rows, in the application that they were declared on."""

    def first_rows(self, node: Node, count: int, here: str) -> Rows:
        """Rows of a node, computed from the records that are in the topics now."""

    def rows_of_store(self, store: str) -> Rows | None:
        """Rows of a store; None while no instance can be queried."""


def show(declared: Declared, node: Node, count: int, here: str) -> None:
    """Show the first rows of a node: in a notebook as a table, elsewhere as lines of text."""
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise OptionInvalid("count", count, "a whole number from 1 on", here)
    assert declared.viewer is not None  # each that is public is an hr.App
    rows = declared.viewer.first_rows(node, count, here)
    if shell() is None:
        print(rows)
    else:
        display(rows)


def plan_of(declared: Declared, node: Node, action: Callable[[Any, Any], None], here: str) -> Plan:
    """A plan of a node and all that is in front of it, that calls a function with each of its records."""
    shown = node
    if node.facts.table:
        shown = ToStream(name=f"{node.name}.show", origin=here, upstream=node)
    end = Foreach(
        name=f"{shown.name}.foreach",
        origin=here,
        upstream=shown,
        action=acting("foreach", action, shown, here, traced=False),
    )
    plan = Plan(declared.id, (end,), (), frozenset(), declared.connections.requests(), declared.handlers)
    order = {one: place for place, one in enumerate(declared.nodes)}
    nodes = sorted(plan.nodes, key=lambda one: order.get(one, len(order)))
    return Plan(declared.id, (end,), tuple(nodes), frozenset(), plan.requests, plan.handlers)
