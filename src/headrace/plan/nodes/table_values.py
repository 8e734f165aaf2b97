"""Tables computed row by row from one other table."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.expr import Bound
from headrace.plan.nodes.base import NodeFacts
from headrace.plan.nodes.materialized import RowByRow, kept
from headrace.plan.schema import Schema


@dataclass(frozen=True, kw_only=True, eq=False)
class TableFilter(RowByRow):
    """The rows of a table whose predicate is true, or with `keep=False` those where it is not.

    A row that does not fit is sent on as a deletion. Where the old value is known too, and did not fit either, nothing
    is sent on: it is known if the table that is filtered has a store, or if somebody further on needs old values.
    """

    predicate: Bound
    keep: bool = True

    op = "table_filter"
    facts = NodeFacts(stateful=True, ends=True, table=True)

    def wants_old(self, position: int) -> bool:  # noqa: ARG002
        return self.upstream.knows_old

    @property
    def versioned(self) -> bool:
        return self.upstream.versioned and self.store is None

    def detail(self) -> str:
        return ("" if self.keep else "not ") + str(self.predicate) + kept(self.store, self.emit)


@dataclass(frozen=True, kw_only=True, eq=False)
class TableMapValues(RowByRow):
    """A new value for every row; a deletion stays one, without asking the function."""

    value: Bound

    op = "table_map_values"
    facts = NodeFacts(stateful=True, ends=True, table=True, passes=True)

    @property
    def versioned(self) -> bool:
        return self.upstream.versioned and self.store is None

    def output(self) -> Schema:
        return self.upstream.output().with_value(self.value.type)

    def detail(self) -> str:
        return str(self.value) + kept(self.store, self.emit)
