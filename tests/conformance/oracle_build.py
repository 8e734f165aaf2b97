"""The topologies of the oracle's cases, built with our DSL."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import headrace as hr
import headrace.functions as F
from conformance import oracle_functions as fn
from headrace.dsl import Builder
from headrace.model.windows import WindowedType

Spec = dict[str, Any]
Make = Callable[[Builder, Spec, list[Any]], Any]


def build(app: Builder, nodes: list[Spec]) -> None:
    """Declare the nodes of a case."""
    made: dict[str, Any] = {}
    for spec in nodes:
        made[spec["id"]] = OPS[spec["op"]](app, spec, [made[name] for name in spec.get("from", ())])


def missing(nodes: list[Spec]) -> set[str]:
    """What a case asks for that is not there yet."""
    return {spec["op"] for spec in nodes} - set(OPS)


def _ms(spec: Spec, name: str) -> timedelta:
    return timedelta(milliseconds=spec[name])


def _store(spec: Spec) -> str | None:
    return spec["id"] if spec.get("store") else None


def _kept(spec: Spec) -> str:
    """A name for the store of an aggregate or a join: random topologies have twins, whose stores must be named."""
    return f"{spec['id']}-store"


def _to_stream(_app: Builder, _spec: Spec, inputs: list[Any]) -> Any:
    (table,) = inputs
    return table.to_stream(lambda k, _: fn.shown(k, windowed=True)) if _is_windowed(table) else table.to_stream()


def _is_windowed(table: Any) -> bool:
    return isinstance(table._node.output().key.type, WindowedType)


def _predicate(spec: Spec, rows: Any) -> Callable[[Any, Any], Any]:
    return fn.predicate_fn(spec["fn"], windowed=_is_windowed(rows))


def _group_pair(spec: Spec, table: Any) -> Callable[[Any, Any], tuple[Any, Any]]:
    return fn.pair_fn(spec["fn"], "identity", windowed=_is_windowed(table))


def _counted(_app: Builder, spec: Spec, inputs: list[Any]) -> Any:
    return inputs[0].count(store=_kept(spec), **_retention(spec)).map_values(F.text)


def _reduced(_app: Builder, spec: Spec, inputs: list[Any]) -> Any:
    if "add" in spec:
        return inputs[0].reduce(fn.fold_fn(spec["add"]), fn.fold_fn(spec["sub"]), store=_kept(spec))
    return inputs[0].reduce(fn.fold_fn(spec["fn"]), store=_kept(spec), **_retention(spec))


def _aggregated(_app: Builder, spec: Spec, inputs: list[Any]) -> Any:
    (grouped,) = inputs
    merger = {"merger": fn.merger_fn(spec["merger"])} if "merger" in spec else {}
    if "add" in spec:
        add, subtract = fn.aggregator_fn(spec["add"]), fn.aggregator_fn(spec["sub"])
        return grouped.aggregate(spec["init"], add, subtract, store=_kept(spec))
    if "fn" not in spec:  # the functions of a cogroup were given before
        return grouped.aggregate(spec["init"], store=_kept(spec), **merger, **_retention(spec))
    function = fn.aggregator_fn(spec["fn"])
    return grouped.aggregate(spec["init"], function, store=_kept(spec), **merger, **_retention(spec))


def _retention(spec: Spec) -> Spec:
    return {"retention": _ms(spec, "retention_ms")} if "retention_ms" in spec else {}


def _windowed(spec: Spec, grouped: Any, windows: Any) -> Any:
    view = grouped.windowed_by(windows)
    return view.emit_strategy(hr.on_window_close()) if spec.get("emit") == "close" else view


def _suppressed(_app: Builder, spec: Spec, inputs: list[Any]) -> Any:
    if spec.get("until") == "close":
        return inputs[0].suppress(hr.until_window_closes())
    full = {"max_records": spec["max_records"]} if "max_records" in spec else {}
    return inputs[0].suppress(hr.until_time_limit(_ms(spec, "limit_ms"), **full))


def _on(spec: Spec, left: Any) -> Spec:
    return {"on": fn.key_fn(spec["fn"], windowed=_is_windowed(left)), "name": spec["id"]} if "fn" in spec else {}


def _table_join(method: str) -> Make:
    return lambda _app, spec, inputs: getattr(inputs[0], method)(
        inputs[1], fn.joiner_fn(spec["joiner"]), store=_store(spec), **_on(spec, inputs[0])
    )


def _stream_join(method: str) -> Make:
    return lambda _app, spec, inputs: getattr(inputs[0], method)(
        inputs[1],
        fn.joiner_fn(spec["joiner"]),
        hr.join_windows(before=_ms(spec, "before_ms"), after=_ms(spec, "after_ms"), grace=_ms(spec, "grace_ms")),
        store=_kept(spec),
    )


def _lookup_join(method: str) -> Make:
    return lambda _app, spec, inputs: getattr(inputs[0], method)(
        inputs[1],
        fn.joiner_fn(spec["joiner"]),
        **_on(spec, inputs[0]),
        **({"grace": _ms(spec, "grace_ms")} if "grace_ms" in spec else {}),
    )


TEXT: dict[str, Any] = {"key": hr.STRING, "value": hr.STRING}

OPS: dict[str, Make] = {
    "stream": lambda app, spec, _: app.stream(spec["topic"], **TEXT),
    "table": lambda app, spec, _: app.table(spec["topic"], **TEXT, store=_store(spec)),
    "versioned_table": lambda app, spec, _: app.versioned_table(spec["topic"], **TEXT, history=_ms(spec, "history_ms")),
    "global_table": lambda app, spec, _: app.global_table(spec["topic"], **TEXT),
    "filter": lambda _, spec, inputs: inputs[0].filter(_predicate(spec, inputs[0])),
    "filter_not": lambda _, spec, inputs: inputs[0].filter_not(_predicate(spec, inputs[0])),
    "map_values": lambda _, spec, inputs: inputs[0].map_values(fn.value_fn(spec["fn"])),
    "flat_map_values": lambda _, spec, inputs: inputs[0].flat_map_values(fn.flat_fn(spec["fn"])),
    "select_key": lambda _, spec, inputs: inputs[0].select_key(fn.key_fn(spec["fn"])),
    "map": lambda _, spec, inputs: inputs[0].map(fn.pair_fn(spec["key"], spec["fn"], windowed=False)),
    "merge": lambda _, _spec, inputs: inputs[0].merge(inputs[1]),
    "repartition": lambda _, _spec, inputs: inputs[0].repartition(),
    "to_table": lambda _, spec, inputs: inputs[0].to_table(store=_store(spec)),
    "to": lambda _, spec, inputs: inputs[0].to(spec["topic"]),
    "group_by_key": lambda _, _spec, inputs: inputs[0].group_by_key(),
    "group_by": lambda _, spec, inputs: inputs[0].group_by(fn.key_fn(spec["fn"])),
    "cogroup": lambda _, spec, inputs: (
        inputs[0].cogroup(fn.aggregator_fn(spec["fns"][0])).cogroup(inputs[1], fn.aggregator_fn(spec["fns"][1]))
    ),
    "tumbling": lambda _, spec, inputs: _windowed(
        spec, inputs[0], hr.tumbling(_ms(spec, "size_ms"), grace=_ms(spec, "grace_ms"))
    ),
    "hopping": lambda _, spec, inputs: _windowed(
        spec,
        inputs[0],
        hr.hopping(_ms(spec, "size_ms"), advance=_ms(spec, "advance_ms"), grace=_ms(spec, "grace_ms")),
    ),
    "sliding": lambda _, spec, inputs: _windowed(
        spec, inputs[0], hr.sliding(_ms(spec, "diff_ms"), grace=_ms(spec, "grace_ms"))
    ),
    "session": lambda _, spec, inputs: _windowed(
        spec, inputs[0], hr.session(_ms(spec, "gap_ms"), grace=_ms(spec, "grace_ms"))
    ),
    "count": _counted,
    "reduce": _reduced,
    "aggregate": _aggregated,
    "suppress": _suppressed,
    "to_stream": _to_stream,
    "table_filter": lambda _, spec, inputs: inputs[0].filter(_predicate(spec, inputs[0]), store=_store(spec)),
    "table_filter_not": lambda _, spec, inputs: inputs[0].filter_not(_predicate(spec, inputs[0]), store=_store(spec)),
    "table_map_values": lambda _, spec, inputs: inputs[0].map_values(fn.value_fn(spec["fn"]), store=_store(spec)),
    "table_group_by": lambda _, spec, inputs: inputs[0].group_by(_group_pair(spec, inputs[0])),
    "stream_join": _stream_join("join"),
    "stream_left_join": _stream_join("left_join"),
    "stream_outer_join": _stream_join("outer_join"),
    "stream_table_join": _lookup_join("join"),
    "stream_table_left_join": _lookup_join("left_join"),
    "stream_global_join": _lookup_join("join"),
    "stream_global_left_join": _lookup_join("left_join"),
    "table_join": _table_join("join"),
    "table_left_join": _table_join("left_join"),
    "table_outer_join": _table_join("outer_join"),
    "table_fk_join": _table_join("join"),
    "table_fk_left_join": _table_join("left_join"),
}
