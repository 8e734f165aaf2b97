"""Failing nodes: those whose functions may fail on a record."""

from __future__ import annotations

from dataclasses import fields

from headrace.expr import Bound
from headrace.plan.nodes import Aggregating, Node, Reducing, Source, TableAggregate, TableGroupBy, TableReduce, To


def may_fail(node: Node) -> bool:
    """Whether the application can go on without a record that this node fails on.

    Not if a group would have to be taken apart again, or if every task sees the record.
    """
    if isinstance(node, TableAggregate | TableReduce | TableGroupBy) or node.facts.everywhere:
        return False
    return isinstance(node, Source | To) or has_function(node)


def has_function(node: Node) -> bool:
    """Whether a node calls a function of the user's."""
    values = (getattr(node, field.name) for field in fields(node))
    listed = [one for value in values for one in (value if isinstance(value, tuple) else (value,))]
    return any(isinstance(one, Bound | Reducing | Aggregating) or callable(one) for one in listed)
