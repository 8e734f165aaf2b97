"""Joins of two tables with the same keys."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from headrace.expr import Bound
from headrace.plan.nodes.base import Node, NodeFacts
from headrace.plan.nodes.expiring import unnamed_store
from headrace.plan.nodes.materialized import Materialized, kept
from headrace.plan.schema import Schema
from headrace.plan.state import StateDescriptor, TableRows


class JoinSide(Enum):
    """Sides of a join that every row must have: both, the left, or either."""

    INNER = "inner"
    LEFT = "left"
    OUTER = "outer"


@dataclass(frozen=True, kw_only=True, eq=False)
class TableJoin(Materialized):
    """The rows of two tables, joined by key; a change of either side changes the row.

    The time of a row is the later of both sides'. A row whose needed sides are not there any more is deleted.
    """

    left: Node
    right: Node
    joiner: Bound
    side: JoinSide
    settles: bool = False
    """Whether the tables of the application settle. Without a store it then remembers its rows where old values are
    needed: both sides may have moved on since, so that the old row cannot be computed from them any more."""

    op = "table_join"
    facts = NodeFacts(stateful=True, ends=True, table=True)

    @property
    def kept_rows(self) -> TableRows | None:
        """Its rows; None if it keeps none."""
        store = self.store or (unnamed_store(self) if self.settles else None)
        return None if store is None else TableRows(store=store)

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        return () if self.kept_rows is None else (self.kept_rows,)

    def wants_old(self, position: int) -> bool:
        # Without a row on the other side, only the old value tells the deletion of a row from that of none.
        return self.side is JoinSide.OUTER or (self.side is JoinSide.LEFT and position == 0)

    @property
    def keeps_old(self) -> bool:
        return False  # what its rows were is computed from what both sides were

    @property
    def knows_old(self) -> bool:
        return True

    def output(self) -> Schema:
        return self.left.output().with_value(self.joiner.type)

    def detail(self) -> str:
        return f"{self.side.value}, {self.joiner}{kept(self.store, self.emit)}"
