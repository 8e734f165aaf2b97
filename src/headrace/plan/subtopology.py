"""Sub-topologies: the parts of a plan between which records change tasks."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.plan.nodes.base import Node


@dataclass(frozen=True)
class SubTopology:
    """Nodes that a task runs together: no key changes hands inside."""

    number: int
    nodes: tuple[Node, ...]
