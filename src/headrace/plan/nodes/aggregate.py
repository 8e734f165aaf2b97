"""Folding the records of each key into one value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headrace.expr import Bound
from headrace.model.types import Type
from headrace.plan.nodes.base import Node, NodeFacts, Unary
from headrace.plan.nodes.count import Emit
from headrace.plan.nodes.expiring import Lasting
from headrace.plan.nodes.materialized import kept
from headrace.plan.schema import Field, Schema


@dataclass(frozen=True)
class Initial:
    """Initial value of an aggregate, made anew for each key, so that it may be changed in place."""

    make: Callable[[], Any]
    type: Type
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, kw_only=True, eq=False)
class Reduce(Unary, Lasting):
    """The first value of each key, then what the reducer makes of the value so far and each new one.

    Drops a record without a key or without a value. A reducer that gives None deletes the row.
    """

    reducer: Bound
    store: str
    emit: Emit

    op = "reduce"
    facts = NodeFacts(stateful=True, ends=True, table=True)
    rows = "keys"

    def detail(self) -> str:
        return str(self.reducer) + kept(self.store, self.emit, self.ttl_ms)


@dataclass(frozen=True, kw_only=True, eq=False)
class Aggregate(Unary, Lasting):
    """Aggregation of each key: the aggregator folds every record into a value that begins as `initial`.

    Drops a record without a key or without a value. An aggregator that gives None deletes the row.
    """

    initial: Initial
    aggregator: Bound
    store: str
    emit: Emit

    op = "aggregate"
    facts = NodeFacts(stateful=True, ends=True, table=True)
    rows = "keys"

    def output(self) -> Schema:
        return self.upstream.output().with_value(self.initial.type)

    def detail(self) -> str:
        return f"{self.initial}, {self.aggregator}{kept(self.store, self.emit, self.ttl_ms)}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Cogroup(Lasting):
    """Several grouped streams folded into one value for each key, each stream with an aggregator of its own.

    Drops a record without a key or without a value. An aggregator that gives None deletes the row.
    """

    streams: tuple[Node, ...]
    initial: Initial
    aggregators: tuple[Bound, ...]
    store: str
    emit: Emit

    op = "cogroup"
    facts = NodeFacts(stateful=True, ends=True, table=True)
    rows = "keys"
    adoptable = False

    def output(self) -> Schema:
        return Schema(Field(self.streams[0].output().key.type), Field(self.initial.type))

    def detail(self) -> str:
        return f"{self.initial}, {' | '.join(map(str, self.aggregators))}{kept(self.store, self.emit, self.ttl_ms)}"
