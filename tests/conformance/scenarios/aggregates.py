"""Aggregates of streams without windows."""

from __future__ import annotations

from conformance.scenarios.scenario import OUT, Build, Scenario, written
from headrace.dsl import Builder


def counted(app: Builder, s: Scenario) -> None:
    s.stream(app).group_by_key().count(store="store").to_stream().to(OUT)


def reduced(app: Builder, s: Scenario) -> None:
    s.stream(app).group_by_key().reduce(s.function("reducer", "a, b"), store="store").to_stream().to(OUT)


def aggregated(app: Builder, s: Scenario) -> None:
    grouped = s.stream(app).group_by_key()
    aggregator = s.function("aggregator", "k, v, agg")
    grouped.aggregate(s.config["initializer"], aggregator, store="store").to_stream().to(OUT)


def cogrouped(app: Builder, s: Scenario) -> None:
    first, *others = s.config["groups"]
    cogroup = s.stream(app, first["topic"]).group_by_key().cogroup(written(first["aggregator"], "k, v, agg"))
    for other in others:
        grouped = s.stream(app, other["topic"]).group_by_key()
        cogroup = cogroup.cogroup(grouped, written(other["aggregator"], "k, v, agg"))
    table = cogroup.aggregate(s.config["initializer"], store="store")
    if "then" in s.config:
        assert s.config["then"] == "table.join(table(three), l+'+'+r)"
        table = table.join(s.table(app, "three"), lambda left, right: left + "+" + right)
    table.to_stream().to(OUT)


BUILDERS: dict[str, Build] = {
    "groupByKey.count": counted,
    "groupByKey.reduce": reduced,
    "groupByKey.aggregate": aggregated,
    "cogroup.aggregate": cogrouped,
}
