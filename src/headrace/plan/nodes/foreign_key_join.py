"""Joins of tables by a key inside the values of the left: `orders.join(users, ..., on=lambda order: order.user)`.

Three nodes, because a row travels to the task of its foreign key and back: the left side subscribes there, the right
side answers subscribers whenever its row changes, and the result is made where the left row is, if the row is still the
one that asked.
"""

from __future__ import annotations

from dataclasses import dataclass

from headrace.expr import Bound
from headrace.plan.nodes.base import Node, NodeFacts, Unary
from headrace.plan.nodes.expiring import unnamed_store
from headrace.plan.nodes.materialized import Materialized, kept
from headrace.plan.schema import Field, Schema
from headrace.plan.state import StateDescriptor, Subscriptions, TableRows


@dataclass(frozen=True, kw_only=True, eq=False)
class ForeignKeySubscribe(Unary):
    """Each change of the left table as subscriptions: off the old foreign key, on to the new.

    An inner join drops a row without a foreign key.
    """

    on: Bound
    foreign: Field
    """The key of the right table."""
    keep_all: bool

    op = "foreign_key_subscribe"
    facts = NodeFacts(rekeys=True, wants_old=True)

    def output(self) -> Schema:
        return Schema(self.foreign, self.upstream.output().value)

    def detail(self) -> str:
        return f"on {self.on}"


@dataclass(frozen=True, kw_only=True, eq=False)
class ForeignKeyMatch(Node):
    """The subscriptions of each foreign key, answered when they come and whenever the row of the right table changes.

    The subscribers of one row are answered in the order of the bytes of their keys.
    """

    subscriptions: Node
    table: Node
    left: Schema
    store: str

    op = "foreign_key_match"
    facts = NodeFacts(stateful=True, rekeys=True, wants_old=True)

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        return (Subscriptions(store=self.store),)

    def takes_no_key(self, position: int) -> bool:
        return position == 0  # the left join wants an answer for a row without a foreign key, too

    @property
    def sends_no_key(self) -> bool:
        return False  # its answers go to the keys of the left

    def output(self) -> Schema:
        return Schema(self.left.key, self.table.output().value)

    def detail(self) -> str:
        return f"store {self.store}"


@dataclass(frozen=True, kw_only=True, eq=False)
class ForeignKeyJoin(Materialized):
    """The joined rows: each answer with the left row that asked for it, unless that has changed since.

    The time of a row is the later of both sides' after a change of the left, that of the right side after one there.
    """

    answers: Node
    left: Node
    joiner: Bound
    keep_all: bool

    op = "foreign_key_join"
    facts = NodeFacts(stateful=True, ends=True, table=True)

    @property
    def kept_rows(self) -> TableRows:
        """Its rows: without the name of a store it keeps them as well, for somebody may ask for them."""
        return TableRows(store=self.store or unnamed_store(self))

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        return (self.kept_rows,)

    def given(self) -> tuple[Schema, ...]:
        return (self.left.output(),)  # answers are no records that users know

    def output(self) -> Schema:
        return self.left.output().with_value(self.joiner.type)

    def detail(self) -> str:
        return f"{'left' if self.keep_all else 'inner'}, {self.joiner}{kept(self.store, self.emit)}"
