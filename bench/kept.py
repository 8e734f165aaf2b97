"""What was measured last, part by part, in results.json: a run of some parts takes the place of theirs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from bench.drain import Result
from bench.latency import Latency
from bench.queries.measure import Queries
from bench.recovery import Recovery
from bench.special import Single
from bench.suite import Results

T = TypeVar("T")

KEPT = Path(__file__).with_name("results.json")


def merged(new: Results) -> Results:
    """What was kept, with new results in the place of older ones; kept as well."""
    old = _read() if KEPT.exists() else Results(new.records, new.rate, new.seconds)
    both = Results(
        new.records,
        new.rate,
        new.seconds,
        drains=_over(old.drains, new.drains, lambda one: (one.workload, one.contender)),
        latencies=_over(old.latencies, new.latencies, lambda one: (one.workload, one.contender)),
        singles=_over(old.singles, new.singles, lambda one: one.stages),
        recoveries=_over(old.recoveries, new.recoveries, lambda one: one.contender),
        queries=_over(old.queries, new.queries, lambda one: one.contender),
    )
    KEPT.write_text(json.dumps(asdict(both), indent=1) + "\n")
    return both


def _read() -> Results:
    kept: dict[str, Any] = json.loads(KEPT.read_text())
    return Results(
        kept["records"],
        kept["rate"],
        kept["seconds"],
        drains=[Result(**{**one, "rates": tuple(one["rates"])}) for one in kept["drains"]],
        latencies=[Latency(**one) for one in kept["latencies"]],
        singles=[Single(**one) for one in kept["singles"]],
        recoveries=[Recovery(**one) for one in kept.get("recoveries", [])],
        queries=[Queries(**one) for one in kept.get("queries", [])],
    )


def _over(old: Iterable[T], new: Iterable[T], what: Callable[[T], object]) -> list[T]:
    return list(({what(one): one for one in old} | {what(one): one for one in new}).values())
