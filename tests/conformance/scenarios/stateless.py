"""Operators that remember nothing."""

from __future__ import annotations

from typing import Any

import headrace.functions as F
from conformance.scenarios.scenario import OUT, Build, Scenario, arrow, written
from headrace.dsl import Builder


def filtered(app: Builder, s: Scenario) -> None:
    s.stream(app).filter(s.function("predicate", "key, value")).to(OUT)


def filtered_not(app: Builder, s: Scenario) -> None:
    s.stream(app).filter_not(s.function("predicate", "key, value")).to(OUT)


def mapped(app: Builder, s: Scenario) -> None:
    s.stream(app).map(arrow(s.config["mapper"])).to(OUT)


def flat_mapped(app: Builder, s: Scenario) -> None:
    mapper = arrow(s.config["mapper"])

    def pairs(key: int, value: str) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = mapper(key, value)
        return found

    s.stream(app).flat_map(pairs).to(OUT)


def mapped_values(app: Builder, s: Scenario) -> None:
    s.stream(app).map_values(arrow(s.config["mapper"])).to(OUT)


def flat_mapped_values(app: Builder, s: Scenario) -> None:
    # The file writes 'v'+v of an int as Java does: as text.
    mapper = arrow(s.config["mapper"])
    if mapper.__code__.co_argcount == 1:
        s.stream(app).flat_map_values(lambda v: mapper(F.text(v))).to(OUT)
    else:
        s.stream(app).flat_map_values(lambda k, v: mapper(F.text(k), F.text(v))).to(OUT)


def selected_key(app: Builder, s: Scenario) -> None:
    mapper = arrow(s.config["mapper"])

    def key(_: Any, value: int) -> str:
        found: str = mapper(value)
        return found

    s.stream(app).select_key(key).to(OUT)


def merged(app: Builder, s: Scenario) -> None:
    first, *others = s.config["merge"]
    stream = s.stream(app, first)
    for other in others:
        stream = stream.merge(s.stream(app, other))
    stream.to(OUT)


def split(app: Builder, s: Scenario) -> None:
    branches = s.stream(app).split(s.config.get("split_name"))
    for branch in s.config["branches"]:
        named = (branch.get("branched") or "").startswith("as(")
        name = branch["branched"][3:-1] if named else branch.get("to")
        branches = branches.branch(written(branch["predicate"], "key, value"), name=name)
    ends = branches.no_default_branch() if s.config["default"] == "none" else branches.default_branch()
    # withConsumer and withFunction keep a branch out of Kafka's map: ours has all, so only the others are written.
    consumed = [branch.get("map_key", "") is None for branch in s.config["branches"]] + [False]
    for (name, stream), taken in zip(ends.items(), consumed, strict=False):
        if not taken:
            stream.to(name)


BUILDERS: dict[str, Build] = {
    "filter": filtered,
    "filterNot": filtered_not,
    "map": mapped,
    "flatMap": flat_mapped,
    "mapValues": mapped_values,
    "flatMapValues": flat_mapped_values,
    "selectKey": selected_key,
    "merge": merged,
    "split/branch": split,
}
