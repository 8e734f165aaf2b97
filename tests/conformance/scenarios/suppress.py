"""Held back changes of tables."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import headrace as hr
from conformance.scenarios.scenario import Build, Scenario, joined
from conformance.scenarios.windows import ms, windows_of
from headrace.build.suppressed import Suppressed
from headrace.dsl import Builder, KTable


def limit(s: Scenario) -> Suppressed:
    told = s.config["suppress"]
    most = None if told["buffer"] == "unbounded" else told["buffer"]["max_records"]
    return hr.until_time_limit(ms_or_longest(told["until_time_limit_ms"]), max_records=most)


def ms_or_longest(number: int) -> timedelta:
    """The limit; the largest number of Java is longer than any timedelta."""
    return timedelta(days=999_999) if number == 2**63 - 1 else ms(number)


def both(table: KTable[Any, Any], until: Suppressed) -> None:
    table.to_stream().to("output-raw")
    table.suppress(until).to_stream().to("output-suppressed")


def limited(app: Builder, s: Scenario) -> None:
    if "upstream" in s.config:
        both(s.table(app).group_by(lambda k, v: (v, k)).count(), limit(s))
    elif "groupBy" in s.config["pipeline"]:
        table = s.table(app).suppress(limit(s)).group_by(lambda k, v: (k, v)).count()
        table.to_stream().to("output")
    else:
        sides = {side: s.table(app, side) for side in ("left", "right")}
        held = "left" if s.config["pipeline"].startswith("left.suppress") else "right"
        sides[held] = sides[held].suppress(limit(s))
        sides["left"].outer_join(sides["right"], joined("'('+l+','+r+')'")).to_stream().to("output")


def final(app: Builder, s: Scenario) -> None:
    counts = s.stream(app).group_by(lambda k, _: k).windowed_by(windows_of(s.config["window"])).count()
    both(counts, hr.until_window_closes())


BUILDERS: dict[str, Build] = {"suppress(untilTimeLimit)": limited, "suppress(untilWindowCloses)": final}
