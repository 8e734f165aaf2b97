"""A plan: the declared topology as a graph of frozen nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from headrace.plan.handlers import NO_HANDLERS, Handlers
from headrace.plan.nodes.base import N, Node
from headrace.plan.store_requests import StoreRequests
from headrace.plan.unasked import UnaskedStore


@dataclass(frozen=True)
class Plan:
    """Plan of an application: its topology, as data."""

    app: str
    ends: tuple[Node, ...]
    """The nodes whose effect is wanted: sinks, and tables or peeks that nothing reads."""

    declared: tuple[Node, ...] = ()
    """The nodes in the order of the user's lines, in which those who read from one node get its records."""

    named: frozenset[str] = frozenset()
    """The stores that the user gave their names: they can be asked from outside."""

    requests: StoreRequests | None = None
    """The stores that processors ask for; None once a pass has connected them."""

    handlers: Handlers = NO_HANDLERS
    """What becomes of records that fail, until a pass has seen to it."""

    unasked: tuple[UnaskedStore, ...] = ()
    """The stores with names that cannot be asked, as the pass has found that writes changelogs."""

    side_run: str | None = None
    """The name of a run beside the live application, until a pass has renamed what that run writes."""

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
        """Consumers of each node, as declared; a node that reads twice from another is listed twice."""
        turns = self.turns
        return {node: tuple(sorted(readers, key=turns.__getitem__)) for node, readers in self._readers.items()}

    @cached_property
    def turns(self) -> dict[Node, int]:
        """The order in which those who read from one node get its records."""
        turns = {node: place for place, node in enumerate(self.declared or self.nodes)}
        for node in reversed(self.nodes):  # what a pass has put in front of a node has its turn
            if node not in turns:
                turns[node] = min(turns[reader] for reader in self._readers[node])
        return turns

    @cached_property
    def _readers(self) -> dict[Node, list[Node]]:
        found: dict[Node, list[Node]] = {node: [] for node in self.nodes}
        for node in self.nodes:
            for upstream in node.inputs:
                found[upstream].append(node)
        return found

    def rewrite(self, change: Callable[[Node], Node]) -> Plan:
        """A plan in which each node, its inputs already rewritten, was replaced by what `change` made of it."""
        rewritten: dict[Node, Node] = {}
        for node in self.nodes:
            rewritten[node] = change(node.with_inputs(rewritten))
        ends = tuple(rewritten[end] for end in self.ends)
        declared = tuple(rewritten[node] for node in self.declared if node in rewritten)
        return replace(self, ends=ends, declared=declared)

    def of(self, kind: type[N]) -> tuple[N, ...]:
        """The nodes of one class, in order."""
        return tuple(node for node in self.nodes if isinstance(node, kind))
