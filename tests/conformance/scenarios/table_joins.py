"""Joins with tables."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import headrace as hr
import headrace.functions as F
from conformance.scenarios.scenario import OUT, Build, Scenario, joined
from conformance.scenarios.tables import watched
from headrace.dsl import Builder, KStream, KTable
from headrace.plan.nodes import Node


def sides(app: Builder, s: Scenario) -> tuple[KTable[Any, Any], KTable[Any, Any]]:
    return s.table(app, "left"), s.table(app, "right")


def store(s: Scenario) -> str | None:
    return "joined" if s.config.get("materialized") else None


def inner(app: Builder, s: Scenario) -> Node | None:
    left, right = sides(app, s)
    return watched(left.join(right, joined(s.config["joiner"]), store=store(s)), s)


def left(app: Builder, s: Scenario) -> Node | None:
    left, right = sides(app, s)
    return watched(left.left_join(right, joined(s.config["joiner"]), store=store(s)), s)


def outer(app: Builder, s: Scenario) -> Node | None:
    left, right = sides(app, s)
    return watched(left.outer_join(right, joined(s.config["joiner"]), store=store(s)), s)


def looked_up(app: Builder, s: Scenario) -> tuple[KStream[Any, Any], KTable[Any, Any]]:
    left, right = ("stream", "table") if "stream" in s.topics else ("left", "right")
    return s.stream(app, left), s.table(app, right)


def grace(s: Scenario) -> timedelta | None:
    return timedelta(milliseconds=s.config["grace_ms"]) if "grace_ms" in s.config else None


def stream_inner(app: Builder, s: Scenario) -> None:
    stream, table = looked_up(app, s)
    stream.join(table, joined(s.config["joiner"]), grace=grace(s)).to(OUT)


def stream_left(app: Builder, s: Scenario) -> None:
    stream, table = looked_up(app, s)
    stream.left_join(table, joined(s.config["joiner"]), grace=grace(s)).to(OUT)


def second_token(_: Any, value: Any) -> Any:
    """`value.split(',')[1] or null if there is no second token`"""
    return hr.when(F.contains(value, ","), value.split(",")[1]).otherwise(None)


def global_inner(app: Builder, s: Scenario) -> None:
    table = app.global_table("global", key=s.serde("global", "key"), value=s.serde("global", "value"))
    s.stream(app, "stream").join(table, joined(s.config["joiner"]), on=second_token).to(OUT)


def global_left(app: Builder, s: Scenario) -> None:
    table = app.global_table("global", key=s.serde("global", "key"), value=s.serde("global", "value"))
    s.stream(app, "stream").left_join(table, joined(s.config["joiner"]), on=second_token).to(OUT)


BUILDERS: dict[str, Build] = {
    "table.join(table)": inner,
    "table.leftJoin(table)": left,
    "table.outerJoin(table)": outer,
    "stream.join(table)": stream_inner,
    "stream.leftJoin(table)": stream_left,
    "stream.join(versioned table)": stream_inner,
    "stream.leftJoin(versioned table)": stream_left,
    "stream.join(versioned table, grace)": stream_inner,
    "stream.leftJoin(versioned table, grace)": stream_left,
    "stream.join(globalTable)": global_inner,
    "stream.leftJoin(globalTable)": global_left,
}
