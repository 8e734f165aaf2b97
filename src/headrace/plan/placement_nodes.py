"""Placement nodes: declared by nobody, inserted where a plan is laid out in stages."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.model.durations import duration_text
from headrace.plan.graph import Plan
from headrace.plan.nodes import GlobalTable, Node, Source
from headrace.plan.nodes.base import NodeFacts, Unary
from headrace.plan.nodes.expiring import unnamed_store
from headrace.plan.schema import Schema
from headrace.plan.state import StateDescriptor, TableRows, Versions


@dataclass(frozen=True, kw_only=True, eq=False)
class Later(Unary):
    """Results of a node in a later stage; no record changes its task."""

    sends_old: bool

    op = "later"
    facts = NodeFacts(cuts=True, passes=True)

    def wants_old(self, position: int) -> bool:  # noqa: ARG002
        return self.sends_old


@dataclass(frozen=True, kw_only=True, eq=False)
class Through(Unary):
    """Results of a node, brought into a stage unchanged: there they come to code that runs in stages only."""

    op = "through"
    facts = NodeFacts(passes=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class Copy(Unary):
    """The rows of a table in a later stage than its own, by the changes that come there."""

    op = "copy"
    facts = NodeFacts(stateful=True, table=True, passes=True)

    @property
    def kept_rows(self) -> TableRows:
        """Its rows."""
        return TableRows(store=unnamed_store(self), other_in_python=f"copy {self.name}")

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        return (self.kept_rows,)

    @property
    def keeps_old(self) -> bool:
        return False


@dataclass(frozen=True, kw_only=True, eq=False)
class VersionedCopy(Copy):
    """Copy of a versioned table in a later stage, with earlier versions of its rows."""

    history_ms: int

    op = "versioned_copy"

    @property
    def kept_versions(self) -> Versions:
        """Its versions."""
        rows = self.kept_rows
        return Versions(store=rows.store, other_in_python=rows.other_in_python, history_ms=self.history_ms)

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        return (self.kept_versions,)

    @property
    def lasts(self) -> tuple[str, ...]:
        return (f"history {duration_text(self.history_ms)}",)

    @property
    def versioned(self) -> bool:
        return True


@dataclass(frozen=True, kw_only=True, eq=False)
class Everywhere(Node):
    """A global table, or a global store, in the tasks of one stage."""

    upstream: Source
    stage: int

    op = "global_table"
    facts = GlobalTable.facts

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        return self.upstream.state

    def output(self) -> Schema:
        return self.upstream.output()


def global_sources(plan: Plan) -> dict[str, Source]:
    """The global tables and stores of a plan by the names of their stores."""
    return {getattr(one, "store", None) or "": one for one in plan.of(Source) if is_global(one)}


def is_global(node: Node) -> bool:
    """Whether it reads a topic for every task; it is read natively, and kept by an `Everywhere` in each stage."""
    return isinstance(node, Source) and node.facts.everywhere
