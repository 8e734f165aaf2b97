"""What the kernel is told of windowed aggregations and of suppress."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.model.windows import UnlimitedWindows, WindowedType
from headrace.plan.graph import Plan
from headrace.plan.nodes import (
    Aggregating,
    Counting,
    Node,
    Reducing,
    SessionWindowed,
    SlidingWindowed,
    Suppress,
    TableFilter,
    TableMapValues,
    TimeWindowed,
    ToStream,
    WindowedCogroup,
)
from headrace.plan.nodes.windowed import WindowedAggregation
from headrace.plan.schema import Field
from headrace.serde import TimeWindowedSerde

if TYPE_CHECKING:
    from headrace.spark.operators import Functions, Parameters

NONE = -1
"""No bound, and no size of windows."""


def windowed(node: TimeWindowed, functions: Functions) -> Parameters:
    windows = node.windows
    unlimited = {"start_ms": windows.start_ms} if isinstance(windows, UnlimitedWindows) else {}
    sizes = {"size_ms": windows.size_ms, "advance_ms": windows.advance_ms, "unlimited": bool(unlimited)}
    return {**_aggregation(node, functions), **sizes, **unlimited}


def sliding_windowed(node: SlidingWindowed, functions: Functions) -> Parameters:
    return {**_aggregation(node, functions), "difference_ms": node.windows.difference_ms}


def session_windowed(node: SessionWindowed, functions: Functions) -> Parameters:
    return {**_aggregation(node, functions), "gap_ms": node.windows.gap_ms}


def windowed_cogroup(node: WindowedCogroup, _: Functions) -> Parameters:
    return {"emit": node.emit.value}


def suppress(node: Suppress, functions: Functions) -> Parameters:
    key = node.output().key
    windows = key.serde if isinstance(key.type, WindowedType) else None
    return {
        "final": node.final,
        "wait_ms": node.wait_ms,
        "max_records": NONE if node.max_records is None else node.max_records,
        "max_bytes": NONE if node.max_bytes is None else node.max_bytes,
        "fail_when_full": node.fail_when_full,
        "window_ms": windows.size_ms if isinstance(windows, TimeWindowedSerde) else NONE,
        "where": functions.where(),
        "emit": node.emit.value,
    }


def _aggregation(node: WindowedAggregation, functions: Functions) -> Parameters:
    return {
        **_fold(node, functions),
        "kept_ms": node.kept_ms,
        "lateness_ms": node.windows.lateness_ms,
        "final": node.final,
        "emit": node.emit.value,
    }


def _fold(node: WindowedAggregation, functions: Functions) -> Parameters:
    schema, folded = node.upstream.output(), Field(node.fold.type)
    folding = {"key": schema.key, "value": schema.value, "aggregate": folded}
    match node.fold:
        case Counting():
            return {"fold": "count"}
        case Reducing(reducer=reducer):
            return {"fold": "reduce", "reducer": functions.value(node, reducer, folding)}
        case Aggregating(initial=initial, aggregator=aggregator, merger=merger):
            parameters = {
                "fold": "aggregate",
                "initial": functions.constant(initial),
                "aggregator": functions.value(node, aggregator, folding),
            }
            if merger is None:
                return parameters
            merging = {"key": schema.key, "left": folded, "right": folded, "aggregate": folded}
            return {**parameters, "merger": functions.value(node, merger, merging)}
    raise AssertionError(f"a new kind of fold: {node.fold!r}")


def looked_up(plan: Plan, node: Node) -> bool:
    """Whether somebody asks a windowed table for its rows, beside following its changes."""
    passing = (Suppress, TableFilter, TableMapValues, WindowedCogroup)
    return any(
        looked_up(plan, reader) if isinstance(reader, passing) else not isinstance(reader, ToStream)
        for reader in plan.consumers[node]
        if reader.facts.beside is None
    )


WINDOWS: dict[type[Node], Callable[[Any, Functions], Parameters]] = {
    SessionWindowed: session_windowed,
    SlidingWindowed: sliding_windowed,
    Suppress: suppress,
    TimeWindowed: windowed,
    WindowedCogroup: windowed_cogroup,
}
