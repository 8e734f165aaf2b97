"""Runs a case of the oracle on the Python tasks, and compares record by record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from conformance.oracle_build import build
from headrace.dsl import Builder
from headrace.plan.nodes import TableFilter, TableMapValues
from headrace.task.operators.foreign_key_join import ForeignKeyMatchOperator
from headrace.testing import TopologyTestDriver

Outputs = dict[tuple[str, int], list[tuple[Any, Any, int]]]
"""(key, value, ts) in order, by topic and by the number of the input that caused them."""


def difference(case: dict[str, Any], answer: dict[str, Any]) -> str | None:
    """The first input whose outputs differ from Kafka Streams', in words; None if there is none."""
    theirs: Outputs = defaultdict(list)
    for out in answer["outputs"]:
        theirs[out["topic"], out["by"]].append((out["key"], out["value"], out["ts"]))
    found = _difference(case, theirs, run(case))
    if found and any("_fk_" in spec["op"] for spec in case["nodes"]):
        with empty_rows_lost():
            return _difference(case, theirs, run(case))
    return found


def _difference(case: dict[str, Any], theirs: Outputs, ours: Outputs) -> str | None:
    # Where one input takes two ways to one node, nothing is promised about the order.
    order: Any = (lambda rows: sorted(rows, key=repr)) if "diamond" in case.get("tags", ()) else list
    for topic, by in sorted({*ours, *theirs}, key=lambda place: (place[1], place[0])):
        mine, wanted = order(ours[topic, by]), order(theirs[topic, by])
        if mine != wanted:
            return f"{case['id']}: topic {topic}, input {by} {case['inputs'][by]}\n wanted {wanted}\n found  {mine}"
    return None


@contextmanager
def empty_rows_lost() -> Iterator[None]:
    """Kafka Streams takes an empty text on the right of a foreign key join for no row: it has no bytes on the way.

    headrace joins it as any other (docs/reference/differences.md), so for a comparison it is made to lose it as well.
    """
    kept = ForeignKeyMatchOperator._answer

    def lossy(self: Any, record: Any, subscription: Any, row: Any, ts: int) -> None:
        kept(self, record, subscription, None if row == "" else row, ts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ForeignKeyMatchOperator, "_answer", lossy)
        yield


@contextmanager
def versions_hidden() -> Iterator[None]:
    """The oracle gives every filter and map_values of a table a `Materialized`: versioned semantics end there."""
    with pytest.MonkeyPatch.context() as patch:
        for kind in (TableFilter, TableMapValues):
            patch.setattr(kind, "versioned", False)
        yield


def run(case: dict[str, Any]) -> Outputs:
    """What the case writes."""
    with versions_hidden():
        return _run(case)


def _run(case: dict[str, Any]) -> Outputs:
    app = Builder("oracle", emit="every")
    build(app, case["nodes"])
    driver = TopologyTestDriver(app)
    topics = [spec["topic"] for spec in case["nodes"] if spec["op"] == "to"]
    found: Outputs = defaultdict(list)
    for number, record in enumerate(case["inputs"]):
        if "topic" not in record:
            continue  # a step of the wall clock, which nothing here looks at
        driver.input(record["topic"]).pipe(record["value"], key=record["key"], ts=record["ts"])
        for topic in topics:
            rows = driver.output(topic).read_records()
            found[topic, number] += [(row.key, row.value, row.ts) for row in rows]
    return found
