"""Joins of tables by foreign key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import headrace as hr
import headrace.functions as F
from conformance.scenarios.scenario import OUT, Build, Scenario, joined
from headrace.dsl import Builder


def plain(value: Any) -> Any:
    """`value.split('|')[1]`"""
    return value.split("|")[1]


def none(value: Any) -> Any:
    """`value -> null`"""
    return hr.when(F.is_null(value), value).otherwise(None)


def maybe(value: Any) -> Any:
    """`t=value.split('|')[1]; null if t=='returnNull' else t`"""
    token = value.split("|")[1]
    return hr.when(token == "returnNull", None).otherwise(token)


EXTRACTORS: dict[str, Callable[[Any], Any]] = {(one.__doc__ or "").strip("`"): one for one in (plain, none, maybe)}


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
