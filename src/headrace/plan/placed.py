"""Nodes that nobody declares: a plan gets them where its parts are laid out in stages."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.plan.nodes import GlobalTable, Node
from headrace.plan.nodes.base import Facts, Unary
from headrace.plan.schema import Schema


@dataclass(frozen=True, kw_only=True, eq=False)
class Later(Unary):
    """What a node sends on, in a later stage; no record changes its task."""

    sends_old: bool

    op = "later"
    facts = Facts(cuts=True, passes=True)

    def wants_old(self, position: int) -> bool:  # noqa: ARG002
        return self.sends_old


@dataclass(frozen=True, kw_only=True, eq=False)
class Copy(Unary):
    """The rows of a table in a later stage than its own, by the changes that come there."""

    op = "copy"
    facts = Facts(stateful=True, table=True, passes=True)

    @property
    def keeps_old(self) -> bool:
        return False


@dataclass(frozen=True, kw_only=True, eq=False)
class VersionedCopy(Copy):
    """The same of a table that knows its rows as of earlier times."""

    history_ms: int

    op = "versioned_copy"

    @property
    def versioned(self) -> bool:
        return True


@dataclass(frozen=True, kw_only=True, eq=False)
class Everywhere(Node):
    """The rows of a global table in the tasks of one stage."""

    upstream: GlobalTable

    op = "global_table"
    facts = GlobalTable.facts

    def output(self) -> Schema:
        return self.upstream.output()
