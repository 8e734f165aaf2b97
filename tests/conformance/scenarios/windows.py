"""Aggregates of streams, window by window."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import headrace as hr
from conformance.scenarios.scenario import OUT, Build, Scenario
from headrace.dsl import Builder
from headrace.dsl.windowed import WindowedKStream
from headrace.model.windows import Windows


def ms(number: int) -> timedelta:
    return timedelta(milliseconds=number)


def windows_of(config: dict[str, Any]) -> Windows:
    """The windows of a scenario."""
    grace = ms(config["grace_ms"])
    match config["type"]:
        case "tumbling":
            return hr.tumbling(ms(config["size_ms"]), grace=grace)
        case "hopping":
            return hr.hopping(ms(config["size_ms"]), advance=ms(config["advance_ms"]), grace=grace)
        case "sliding":
            return hr.sliding(ms(config["time_difference_ms"]), grace=grace)
    return hr.session(ms(config["gap_ms"]), grace=grace)


def windowed(app: Builder, s: Scenario) -> WindowedKStream[Any, Any]:
    stream = s.stream(app).group_by_key().windowed_by(windows_of(s.config["window"]))
    return stream.emit_strategy(hr.on_window_close()) if s.config.get("emit") == "close" else stream


def kept(s: Scenario) -> Any:
    return ms(s.config["retention_ms"]) if "retention_ms" in s.config else None


def counted(app: Builder, s: Scenario) -> None:
    windowed(app, s).count(store="store", retention=kept(s)).to_stream().to(OUT)


def reduced(app: Builder, s: Scenario) -> None:
    windowed(app, s).reduce(s.function("reducer", "a, b"), store="store", retention=kept(s)).to_stream().to(OUT)


def aggregated(app: Builder, s: Scenario) -> None:
    initial = 0 if s.config["aggregator"] == "agg+1" else s.config["initializer"]
    merger = s.function("merger", "k, a, b") if "merger" in s.config else None
    table = windowed(app, s).aggregate(
        initial, s.function("aggregator", "k, v, agg"), merger=merger, store="store", retention=kept(s)
    )
    table.to_stream().to(OUT)


BUILDERS: dict[str, Build] = {
    f"groupByKey.windowedBy({kind}).{op}": build
    for kind in ("TimeWindows", "SlidingWindows", "SessionWindows")
    for op, build in {"count": counted, "reduce": reduced, "aggregate": aggregated}.items()
}
