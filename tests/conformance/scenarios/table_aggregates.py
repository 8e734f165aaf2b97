"""Aggregates of tables."""

from __future__ import annotations

from typing import Any

import headrace as hr
from conformance.scenarios.scenario import OUT, Build, Scenario, arrow
from headrace.dsl import Builder, KGroupedTable

NULLS = "k=='null' -> (null,v); k=='NULL' -> null; else (v,v)"


def grouped(app: Builder, s: Scenario) -> KGroupedTable[Any, Any]:
    selector = s.config["key_selector"]
    if selector == NULLS:
        # Our functions give no None in place of a pair: two Nones are as good.
        def pair(key: Any, value: Any) -> tuple[Any, Any]:
            new = hr.when(key == "NULL", None).otherwise(value)
            return hr.when(key == "null", None).otherwise(new), new

        return s.table(app).group_by(pair)
    return s.table(app).group_by(arrow(selector))


def counted(app: Builder, s: Scenario) -> None:
    grouped(app, s).count(store="store").to_stream().to(OUT)


def reduced(app: Builder, s: Scenario) -> None:
    adder, subtractor = s.function("adder", "a, b"), s.function("subtractor", "a, b")
    grouped(app, s).reduce(adder, subtractor, store="store").to_stream().to(OUT)


def aggregated(app: Builder, s: Scenario) -> None:
    adder, subtractor = s.function("adder", "k, v, agg"), s.function("subtractor", "k, v, agg")
    grouped(app, s).aggregate(s.config["initializer"], adder, subtractor, store="store").to_stream().to(OUT)


BUILDERS: dict[str, Build] = {
    "table.groupBy.count": counted,
    "table(versioned).groupBy.count": counted,
    "table(versioned).groupBy.aggregate": aggregated,
    "table.groupBy.reduce": reduced,
    "table.groupBy.aggregate": aggregated,
}
