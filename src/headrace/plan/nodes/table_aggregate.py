"""Aggregates of tables: rows come, change and go."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.expr import Bound
from headrace.model.types import PairType
from headrace.plan.nodes.aggregate import Initial
from headrace.plan.nodes.base import NodeFacts, Unary
from headrace.plan.nodes.count import Emit
from headrace.plan.nodes.expiring import Lasting
from headrace.plan.nodes.materialized import kept
from headrace.plan.schema import Field, Schema


@dataclass(frozen=True, kw_only=True, eq=False)
class TableGroupBy(Unary):
    """The changes of a table on their way to new keys, as changes of the groups there.

    A row that stays in its group is one change, one that moves is two: out of the old group first, then into the new.
    A half whose new key or value is None is left out.
    """

    pair: Bound

    op = "table_group_by"
    facts = NodeFacts(rekeys=True, wants_old=True)

    def output(self) -> Schema:
        assert isinstance(self.pair.type, PairType)
        return Schema(Field(self.pair.type.key), Field(self.pair.type.value))

    def detail(self) -> str:
        return str(self.pair)


@dataclass(frozen=True, kw_only=True, eq=False)
class TableReduce(Unary, Lasting):
    """The values of the rows in each group, reduced to one: old values are taken out before new ones come in."""

    adder: Bound
    subtractor: Bound
    store: str
    emit: Emit

    op = "table_reduce"
    facts = NodeFacts(stateful=True, ends=True, table=True)
    rows = "groups"

    def detail(self) -> str:
        return f"+ {self.adder}, - {self.subtractor}{kept(self.store, self.emit, self.ttl_ms)}"


@dataclass(frozen=True, kw_only=True, eq=False)
class TableAggregate(Unary, Lasting):
    """The rows in each group folded into one value: old values are taken out before new ones come in."""

    initial: Initial
    adder: Bound
    subtractor: Bound
    store: str
    emit: Emit

    op = "table_aggregate"
    facts = NodeFacts(stateful=True, ends=True, table=True)
    rows = "groups"

    def output(self) -> Schema:
        return self.upstream.output().with_value(self.initial.type)

    def detail(self) -> str:
        return f"{self.initial}, + {self.adder}, - {self.subtractor}{kept(self.store, self.emit, self.ttl_ms)}"
