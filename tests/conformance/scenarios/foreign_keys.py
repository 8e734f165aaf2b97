"""Joins of tables by foreign key."""

from __future__ import annotations

from collections.abc import Callable

from conformance.scenarios.scenario import OUT, Build, Scenario, joined
from headrace.dsl import Builder


def plain(value: str) -> str:
    """`value.split('|')[1]`"""
    return value.split("|")[1]


def none(value: str) -> str | None:
    """`value -> null`"""
    return None if value else value


def maybe(value: str) -> str | None:
    """`t=value.split('|')[1]; null if t=='returnNull' else t`"""
    token = value.split("|")[1]
    return None if token == "returnNull" else token


EXTRACTORS: dict[str, Callable[[str], str | None]] = {
    (one.__doc__ or "").strip("`"): one for one in (plain, none, maybe)
}


def inner(app: Builder, s: Scenario) -> None:
    on = EXTRACTORS[s.config["fk_extractor"]]
    s.table(app, "left").join(s.table(app, "right"), joined(s.config["joiner"]), on=on).to_stream().to(OUT)


def left(app: Builder, s: Scenario) -> None:
    on = EXTRACTORS[s.config["fk_extractor"]]
    s.table(app, "left").left_join(s.table(app, "right"), joined(s.config["joiner"]), on=on).to_stream().to(OUT)


BUILDERS: dict[str, Build] = {
    "table.join(table, fk)": inner,
    "table.leftJoin(table, fk)": left,
}
