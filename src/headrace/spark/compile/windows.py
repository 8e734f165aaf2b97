"""Parameters of windowed aggregations and of suppress for the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypedDict

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
from headrace.spark.spec import parameters as spec

if TYPE_CHECKING:
    from headrace.spark.compile.operators import Functions


def windowed(node: TimeWindowed, functions: Functions) -> spec.TimeWindowed:
    windows = node.windows
    return spec.TimeWindowed(
        size_ms=windows.size_ms,
        advance_ms=windows.advance_ms,
        start_ms=windows.start_ms if isinstance(windows, UnlimitedWindows) else None,
        **_aggregation(node, functions),
    )


def sliding_windowed(node: SlidingWindowed, functions: Functions) -> spec.SlidingWindowed:
    return spec.SlidingWindowed(difference_ms=node.windows.difference_ms, **_aggregation(node, functions))


def session_windowed(node: SessionWindowed, functions: Functions) -> spec.SessionWindowed:
    return spec.SessionWindowed(gap_ms=node.windows.gap_ms, **_aggregation(node, functions))


def suppress(node: Suppress, functions: Functions) -> spec.Suppress:
    key = node.output().key
    windows = key.serde if isinstance(key.type, WindowedType) else None
    return spec.Suppress(
        final=node.final,
        wait_ms=node.wait_ms,
        max_records=node.max_records,
        max_bytes=node.max_bytes,
        fail_when_full=node.fail_when_full,
        window_ms=windows.size_ms if isinstance(windows, TimeWindowedSerde) else None,
        where=functions.where(),
    )


class _Fold(TypedDict):
    fold: str
    reducer: spec.Function | None
    initial: spec.Function | None
    aggregator: spec.Function | None
    merger: spec.Function | None


class _Aggregation(_Fold):
    kept_ms: int
    lateness_ms: int
    final: bool


def _aggregation(node: WindowedAggregation, functions: Functions) -> _Aggregation:
    return {
        **_fold(node, functions),
        "kept_ms": node.kept_ms,
        "lateness_ms": node.windows.lateness_ms,
        "final": node.final,
    }


def _fold(node: WindowedAggregation, functions: Functions) -> _Fold:
    schema, folded = node.upstream.output(), Field(node.fold.type)
    folding = {"key": schema.key, "value": schema.value, "aggregate": folded}
    found: _Fold = {"fold": "count", "reducer": None, "initial": None, "aggregator": None, "merger": None}
    match node.fold:
        case Counting():
            return found
        case Reducing(reducer=reducer):
            return {**found, "fold": "reduce", "reducer": functions.value(node, reducer, folding)}
        case Aggregating(initial=initial, aggregator=aggregator, merger=merger):
            merging = {"key": schema.key, "left": folded, "right": folded, "aggregate": folded}
            return {
                **found,
                "fold": "aggregate",
                "initial": functions.constant(initial),
                "aggregator": functions.value(node, aggregator, folding),
                "merger": None if merger is None else functions.value(node, merger, merging),
            }
    raise AssertionError(f"a new kind of fold: {node.fold!r}")


def is_queried(plan: Plan, node: Node) -> bool:
    """Whether somebody asks a windowed table for its rows, beside following its changes."""
    passing = (Suppress, TableFilter, TableMapValues, WindowedCogroup)
    return any(
        is_queried(plan, reader) if isinstance(reader, passing) else not isinstance(reader, ToStream)
        for reader in plan.consumers[node]
        if reader.facts.side_output is None
    )


WINDOWS: dict[type[Node], Callable[[Any, Functions], spec.Parameters]] = {
    SessionWindowed: session_windowed,
    SlidingWindowed: sliding_windowed,
    Suppress: suppress,
    TimeWindowed: windowed,
}
