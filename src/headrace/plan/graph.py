"""A plan: the declared topology as a graph of frozen nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from headrace.plan.nodes.base import N, Node


@dataclass(frozen=True)
class Plan:
    """Everything an application does, as data."""

    app: str
    ends: tuple[Node, ...]
    """The nodes whose effect is wanted: sinks, and tables or peeks that nothing reads."""

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes, each after its inputs."""
        ordered: dict[Node, None] = {}

        def visit(node: Node) -> None:
            if node not in ordered:
                for upstream in node.inputs:
                    visit(upstream)
                ordered[node] = None

        for end in self.ends:
            visit(end)
        return tuple(ordered)

    @cached_property
    def consumers(self) -> dict[Node, tuple[Node, ...]]:
        """Who reads from each node, in order; a node that reads twice from another is listed twice."""
        found: dict[Node, list[Node]] = {node: [] for node in self.nodes}
        for node in self.nodes:
            for upstream in node.inputs:
                found[upstream].append(node)
        return {node: tuple(readers) for node, readers in found.items()}

    def rewrite(self, change: Callable[[Node], Node]) -> Plan:
        """A plan in which each node, its inputs already rewritten, was replaced by what `change` made of it."""
        rewritten: dict[Node, Node] = {}
        for node in self.nodes:
            rewritten[node] = change(node.with_inputs(rewritten))
        return Plan(self.app, tuple(rewritten[end] for end in self.ends))

    def of(self, kind: type[N]) -> tuple[N, ...]:
        """The nodes of one class, in order."""
        return tuple(node for node in self.nodes if isinstance(node, kind))
