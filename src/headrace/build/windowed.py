"""Aggregations of streams by key and window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.build.aggregations import Part, cogrouped_aggregators
from headrace.build.aggregators import Merger, aggregating, merging, reducing
from headrace.build.declared import Declared
from headrace.build.functions import Function, initial_of
from headrace.errors import OptionInvalid
from headrace.model.durations import Duration, duration_ms, duration_text
from headrace.model.windows import SessionWindows, SlidingWindows, TimeWindows, UnlimitedWindows, Windows
from headrace.plan.nodes import (
    Aggregating,
    Counting,
    Fold,
    Node,
    SessionWindowed,
    SlidingWindowed,
    TimeWindowed,
    WindowedCogroup,
)

_NODES: dict[type, type[TimeWindowed] | type[SlidingWindowed] | type[SessionWindowed]] = {
    TimeWindows: TimeWindowed,
    UnlimitedWindows: TimeWindowed,
    SlidingWindows: SlidingWindowed,
    SessionWindows: SessionWindowed,
}


def checked_windows(windows: Windows, here: str) -> Windows:
    """The windows, if they are some."""
    if type(windows) not in _NODES:
        wanted = "hr.tumbling(...), hr.hopping(...), hr.sliding(...), hr.session(...) or hr.unlimited()"
        raise OptionInvalid("windows", windows, wanted, here)
    return windows


def count_windowed(
    declared: Declared,
    node: Node,
    windows: Windows,
    *,
    final: bool,
    store: str | None = None,
    retention: Duration | None = None,
    emit: str | None = None,
    here: str,
) -> Node:
    """Count of the records of each key and window; with `final`, one result when the window closes."""
    return _windowed(declared, node, windows, "count", Counting(), final, store, retention, emit, here)


def reduce_windowed(
    declared: Declared,
    node: Node,
    windows: Windows,
    reducer: Function,
    *,
    final: bool,
    store: str | None = None,
    retention: Duration | None = None,
    emit: str | None = None,
    here: str,
) -> Node:
    """Reduction of the values of each key and window to one."""
    fold = reducing(reducer, node, here)
    return _windowed(declared, node, windows, "reduce", fold, final, store, retention, emit, here)


def aggregate_windowed(
    declared: Declared,
    node: Node,
    windows: Windows,
    initial: Any,
    aggregator: Function,
    *,
    merger: Merger | None = None,
    final: bool,
    store: str | None = None,
    retention: Duration | None = None,
    emit: str | None = None,
    here: str,
) -> Node:
    """Aggregation of the records of each key and window, from an initial value on."""
    _check_merger(windows, merger, here)
    fold = aggregating(initial, aggregator, node, here, merger)
    return _windowed(declared, node, windows, "aggregate", fold, final, store, retention, emit, here)


def cogroup_windowed(
    declared: Declared,
    parts: tuple[Part, ...],
    windows: Windows,
    initial: Any,
    *,
    merger: Callable[..., Any] | None,
    store: str | None = None,
    retention: Duration | None = None,
    emit: str | None = None,
    here: str,
) -> Node:
    """Aggregation of the records of several streams into one value for each key and window."""
    _check_merger(windows, merger, here)
    begin, first = initial_of(initial, here, parts[0][1]), parts[0][0]
    merged = None if merger is None else merging(merger, first.output().key.type, begin.type, here)
    name = declared.store_name(store, f"{first.name}.windowed.cogroup", here)
    kept, chosen = _kept_ms(windows, retention, here), declared.emission(emit, here)
    shared: dict[str, Any] = {"windows": windows, "store": name, "retention_ms": kept, "emit": chosen}
    folded = []
    for number, ((stream, _, _), added) in enumerate(zip(parts, cogrouped_aggregators(parts, begin), strict=True), 1):
        path = declared.unique(None, f"{name}.{number}", here)
        fold = Aggregating(begin.type, begin, added, merged)
        made: Any = _NODES[type(windows)]
        folded.append(declared.add(made(name=path, origin=here, upstream=stream, fold=fold, final=False, **shared)))
    node = WindowedCogroup(
        name=declared.unique(None, name, here), origin=here, parts=tuple(folded), store=name, emit=chosen
    )
    return declared.add(node)


def _windowed(
    declared: Declared,
    node: Node,
    windows: Windows,
    op: str,
    fold: Fold,
    final: bool,
    store: str | None,
    retention: Duration | None,
    emit: str | None,
    here: str,
) -> Node:
    kept = declared.store_name(store, f"{node.name}.windowed.{op}", here)
    made: Any = _NODES[type(windows)]
    windowed = made(
        name=declared.unique(None, kept, here),
        origin=here,
        upstream=node,
        windows=windows,
        fold=fold,
        store=kept,
        retention_ms=_kept_ms(windows, retention, here),
        final=final,
        emit=declared.emission(emit, here),
    )
    added: Node = declared.add(windowed)
    return added


def _check_merger(windows: Windows, merger: object, here: str) -> None:
    """Raise if sessions have no merger, or other windows one."""
    if isinstance(windows, SessionWindows) and merger is None:
        raise OptionInvalid("merger", None, "a function (key, left, right) for sessions that become one", here)
    if not isinstance(windows, SessionWindows) and merger is not None:
        raise OptionInvalid("merger", merger, "none: only session windows are merged", here)


def _kept_ms(windows: Windows, retention: Duration | None, here: str) -> int:
    """How long a store keeps windows: as long as they need, or longer."""
    least = windows.retention_ms
    kept = least if retention is None else duration_ms("retention", retention, here)
    if kept < least:
        raise OptionInvalid("retention", retention, f"at least {duration_text(least)}, what {windows} need", here)
    return kept
