"""Aggregations of streams and tables by key."""

from __future__ import annotations

from typing import Any

from headrace.build.declared import Declared
from headrace.build.functions import AGGREGATE_VALUE, KEY_VALUE_AGGREGATE, Function, bound_on, exactly, initial_of
from headrace.build.names import ttl_of
from headrace.errors import OptionInvalid, TypesDiffer
from headrace.expr import Bound
from headrace.model.durations import Duration, duration_text
from headrace.model.types import Type
from headrace.plan.nodes import (
    Aggregate,
    Cogroup,
    Count,
    Initial,
    Node,
    Reduce,
    TableAggregate,
    TableFilter,
    TableMapValues,
    TableReduce,
)
from headrace.plan.nodes.expiring import Lasting

Part = tuple[Node, Function, str]
"""A grouped stream of a cogroup, its aggregator, and the user's line."""


def check_key(node: Node, here: str) -> None:
    """Raise if records cannot be grouped by their key, as it has no bytes to be found by."""
    node.output().key.store_serde(here)


def count(
    declared: Declared,
    node: Node,
    *,
    store: str | None = None,
    emit: str | None = None,
    ttl: Duration | None = None,
    here: str,
) -> Node:
    """Count of the records of each key."""
    return declared.follow_keeping(Count, node, "count", store, emit, here, ttl_ms=ttl_of(ttl, here))


def reduce(
    declared: Declared,
    node: Node,
    reducer: Function,
    *,
    store: str | None = None,
    emit: str | None = None,
    ttl: Duration | None = None,
    here: str,
) -> Node:
    """Reduction of the values of each key to one."""
    value = node.output().value.type
    symbols, check = {"aggregate": value, "value": value}, exactly(value, "the reduced value")
    function = bound_on("reduce", reducer, (AGGREGATE_VALUE,), symbols, here, check)
    return declared.follow_keeping(
        Reduce, node, "reduce", store, emit, here, reducer=function, ttl_ms=ttl_of(ttl, here)
    )


def aggregate(
    declared: Declared,
    node: Node,
    initial: Any,
    aggregator: Function,
    *,
    store: str | None = None,
    emit: str | None = None,
    ttl: Duration | None = None,
    here: str,
) -> Node:
    """Aggregation of the records of each key, from an initial value on."""
    begin = initial_of(initial, here, aggregator)
    function = _aggregator("aggregate", aggregator, node, begin, here)
    lasting = ttl_of(ttl, here)
    return declared.follow_keeping(
        Aggregate, node, "aggregate", store, emit, here, initial=begin, aggregator=function, ttl_ms=lasting
    )


def check_cogrouped(first: Node, other: Node, here: str) -> None:
    """Raise if two streams that are to have one aggregate have keys of different types."""
    mine, theirs = first.output().key.type, other.output().key.type
    if mine != theirs:
        fix = "group both by the same type"
        raise TypesDiffer("the cogrouped streams have keys of two types", mine, theirs, here, fix=fix)


def cogrouped_aggregators(parts: tuple[Part, ...], begin: Initial) -> tuple[Bound, ...]:
    """The aggregator of each stream of a cogroup, typed by what the aggregate begins with."""
    return tuple(_aggregator("cogroup", function, stream, begin, here) for stream, function, here in parts)


def cogroup(
    declared: Declared,
    parts: tuple[Part, ...],
    initial: Any,
    *,
    store: str | None = None,
    emit: str | None = None,
    ttl: Duration | None = None,
    here: str,
) -> Node:
    """Aggregation of the records of several streams into one value for each key."""
    begin = initial_of(initial, here, parts[0][1])
    name = declared.store_name(store, f"{parts[0][0].name}.cogroup", here)
    node = Cogroup(
        name=declared.unique(None, name, here),
        origin=here,
        streams=tuple(stream for stream, _, _ in parts),
        initial=begin,
        aggregators=cogrouped_aggregators(parts, begin),
        store=name,
        emit=declared.emission(emit, here),
        ttl_ms=ttl_of(ttl, here),
    )
    return declared.add(node)


def count_rows(
    declared: Declared,
    node: Node,
    *,
    store: str | None = None,
    emit: str | None = None,
    ttl: Duration | None = None,
    here: str,
) -> Node:
    """Count of the rows of each group."""
    return aggregate_rows(
        declared,
        node,
        0,
        lambda _k, _v, n: n + 1,
        lambda _k, _v, n: n - 1,
        store=store,
        emit=emit,
        ttl=ttl,
        here=here,
        op="count",
    )


def reduce_rows(
    declared: Declared,
    node: Node,
    adder: Function,
    subtractor: Function,
    *,
    store: str | None = None,
    emit: str | None = None,
    ttl: Duration | None = None,
    here: str,
) -> Node:
    """Reduction of the values of each group to one; a row that changes is taken out, then put in."""
    value = node.output().value.type
    symbols, check = {"aggregate": value, "value": value}, exactly(value, "the reduced value")
    return declared.follow_keeping(
        TableReduce,
        node,
        "reduce",
        store,
        emit,
        here,
        adder=bound_on("reduce", adder, (AGGREGATE_VALUE,), symbols, here, check),
        subtractor=bound_on("reduce", subtractor, (AGGREGATE_VALUE,), symbols, here, check),
        ttl_ms=_ttl_of_groups(node, ttl, here),
    )


def aggregate_rows(
    declared: Declared,
    node: Node,
    initial: Any,
    adder: Function,
    subtractor: Function,
    *,
    store: str | None = None,
    emit: str | None = None,
    ttl: Duration | None = None,
    here: str,
    op: str = "aggregate",
) -> Node:
    """Aggregation of the rows of each group, from an initial value on."""
    begin = initial_of(initial, here, adder)
    return declared.follow_keeping(
        TableAggregate,
        node,
        op,
        store,
        emit,
        here,
        initial=begin,
        adder=_aggregator(op, adder, node, begin, here),
        subtractor=_aggregator(op, subtractor, node, begin, here),
        ttl_ms=_ttl_of_groups(node, ttl, here),
    )


def _aggregator(op: str, function: Function, node: Node, begin: Initial, here: str) -> Bound:
    schema = node.output()
    symbols: dict[str, Type] = {"key": schema.key.type, "value": schema.value.type, "aggregate": begin.type}
    return bound_on(op, function, (KEY_VALUE_AGGREGATE,), symbols, here, exactly(begin.type, "the aggregate"))


def _ttl_of_groups(node: Node, ttl: Duration | None, here: str) -> int | None:
    """The ttl of groups: a row that outlived its group would be taken out of a later one that it never was in."""
    groups_ms, rows_ms = ttl_of(ttl, here), _ttl_of_rows(node.inputs[0])
    if groups_ms is not None and (rows_ms is None or rows_ms > groups_ms):
        theirs = "has none" if rows_ms is None else f"has {duration_text(rows_ms)}"
        allowed = f"the table a ttl that is not longer: it {theirs}, and its rows would outlive their groups"
        raise OptionInvalid("ttl", ttl, allowed, here)
    return groups_ms


def _ttl_of_rows(table: Node) -> int | None:
    """How long a row without an update lasts; None if nothing deletes it."""
    if isinstance(table, Lasting):
        return table.ttl_ms
    return _ttl_of_rows(table.upstream) if isinstance(table, TableFilter | TableMapValues) else None
