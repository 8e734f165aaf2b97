"""Functions of windowed aggregations, typed: initial value, adder, and merger of two results."""

from __future__ import annotations

from headrace.build.functions import AGGREGATE_VALUE, KEY_VALUE_AGGREGATE, Function, bound_on, exactly, initial_of
from headrace.expr import Bound
from headrace.model.types import Type
from headrace.plan.nodes import Aggregating, Node, Reducing

Merger = Function


def reducing(reducer: Function, node: Node, here: str) -> Reducing:
    """`lambda aggregate, value: ...`, both of the type of the values."""
    value = node.output().value.type
    symbols, check = {"aggregate": value, "value": value}, exactly(value, "the reduced value")
    return Reducing(value, bound_on("reduce", reducer, (AGGREGATE_VALUE,), symbols, here, check))


def aggregating(initial: object, aggregator: Function, node: Node, here: str, merger: Merger | None) -> Aggregating:
    """`lambda key, value, aggregate: ...`, from an initial value on."""
    schema, begin = node.output(), initial_of(initial, here, aggregator)
    symbols = {"key": schema.key.type, "value": schema.value.type, "aggregate": begin.type}
    check = exactly(begin.type, "the aggregate")
    added = bound_on("aggregate", aggregator, (KEY_VALUE_AGGREGATE,), symbols, here, check)
    merged = None if merger is None else merging(merger, schema.key.type, begin.type, here)
    return Aggregating(begin.type, begin, added, merged)


def merging(merger: Merger, key: Type, aggregate: Type, here: str) -> Bound:
    """`lambda key, left, right: ...` for two sessions that become one."""
    symbols, check = {"key": key, "left": aggregate, "right": aggregate}, exactly(aggregate, "the merged value")
    return bound_on("merger", merger, (("key", "left", "right"),), symbols, here, check)
