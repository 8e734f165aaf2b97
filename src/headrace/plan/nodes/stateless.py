"""Operators that look at one record and remember nothing."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.expr import Bound
from headrace.model.types import ListType, PairType
from headrace.plan.nodes.base import Node, NodeFacts, Unary
from headrace.plan.schema import Field, Schema
from headrace.plan.state import FilesBegun, StateDescriptor


@dataclass(frozen=True, kw_only=True, eq=False)
class Filter(Unary):
    """Keep the records whose predicate is true, or with `keep=False` those where it is not."""

    predicate: Bound
    keep: bool = True

    op = "filter"

    def detail(self) -> str:
        return str(self.predicate) if self.keep else f"not {self.predicate}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Map(Unary):
    """A new key and a new value for every record."""

    pair: Bound

    op = "map"
    facts = NodeFacts(rekeys=True, passes=True)

    def output(self) -> Schema:
        assert isinstance(self.pair.type, PairType)
        return Schema(Field(self.pair.type.key), Field(self.pair.type.value))

    def detail(self) -> str:
        return str(self.pair)


@dataclass(frozen=True, kw_only=True, eq=False)
class MapValues(Unary):
    """A new value for every record; the key stays."""

    value: Bound

    op = "map_values"
    facts = NodeFacts(passes=True)

    def output(self) -> Schema:
        return self.upstream.output().with_value(self.value.type)

    def detail(self) -> str:
        return str(self.value)


@dataclass(frozen=True, kw_only=True, eq=False)
class FlatMap(Unary):
    """Any number of records, with keys of their own, for every record."""

    pairs: Bound

    op = "flat_map"
    facts = NodeFacts(rekeys=True)

    def output(self) -> Schema:
        assert isinstance(self.pairs.type, ListType)
        pair = self.pairs.type.element
        assert isinstance(pair, PairType)
        return Schema(Field(pair.key), Field(pair.value))

    def detail(self) -> str:
        return str(self.pairs)


@dataclass(frozen=True, kw_only=True, eq=False)
class FlatMapValues(Unary):
    """Any number of values for every record; the key stays."""

    values: Bound

    op = "flat_map_values"

    def output(self) -> Schema:
        assert isinstance(self.values.type, ListType)
        return self.upstream.output().with_value(self.values.type.element)

    def detail(self) -> str:
        return str(self.values)


@dataclass(frozen=True, kw_only=True, eq=False)
class SelectKey(Unary):
    """A new key for every record; the value stays."""

    key: Bound

    op = "select_key"
    facts = NodeFacts(rekeys=True, passes=True)

    def output(self) -> Schema:
        return self.upstream.output().with_key(self.key.type)

    def detail(self) -> str:
        return str(self.key)


@dataclass(frozen=True, kw_only=True, eq=False)
class Peek(Unary):
    """Show an expression of every record, and send the record on as it is.

    A function that stays Python code may do something else instead: if it gives None, nothing is shown.
    """

    shown: Bound

    op = "peek"
    facts = NodeFacts(ends=True, passes=True)

    def detail(self) -> str:
        return str(self.shown)


@dataclass(frozen=True, kw_only=True, eq=False)
class Foreach(Unary):
    """Call a function for every record; nothing is sent on."""

    action: Bound

    op = "foreach"
    facts = NodeFacts(ends=True)

    def detail(self) -> str:
        return str(self.action)


@dataclass(frozen=True, kw_only=True, eq=False)
class Print(Unary):
    """Write a line for every record to the console, or to a file: a label, then the key and the value."""

    label: str
    mapper: Bound | None
    """What to write instead of the key and the value."""
    file: str | None

    op = "print"
    facts = NodeFacts(ends=True)

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        return (FilesBegun(),)

    def detail(self) -> str:
        shown = f"[{self.label}]: {self.mapper or 'key, value'}"
        return f"{shown} to {self.file}" if self.file else shown


@dataclass(frozen=True, kw_only=True, eq=False)
class Merge(Node):
    """The records of two streams as one, in order of arrival."""

    left: Node
    right: Node

    op = "merge"
    facts = NodeFacts(passes=True)

    def output(self) -> Schema:
        first, second = self.left.output(), self.right.output()
        return Schema(_common(first.key, second.key), _common(first.value, second.value))


@dataclass(frozen=True, kw_only=True, eq=False)
class ToStream(Unary):
    """The changes of a table as records of a stream."""

    op = "to_stream"
    facts = NodeFacts(passes=True)


def _common(first: Field, second: Field) -> Field:
    return first if first == second else Field(first.type)
