"""Runs a case of the oracle on the Python tasks, and compares record by record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from conformance.oracle_build import build
from conformance.oracle_losses import RULES, Rule, losing, short_retention
from headrace.dsl import Builder
from headrace.plan.nodes import Repartition, StreamJoin, TableFilter, TableGroupBy, TableMapValues
from headrace.task.drops import Reason
from headrace.testing import TopologyTestDriver

Case = dict[str, Any]
Outputs = dict[tuple[str, int], list[tuple[Any, Any, int]]]
"""(key, value, ts) in order, by topic and by the number of the input that caused them."""


@dataclass
class Seen:
    """What a case wrote, and how many records were dropped, as Kafka Streams counts them."""

    outputs: Outputs
    dropped: int


def difference(case: Case, answer: dict[str, Any]) -> str | None:
    """The first input whose outputs differ from Kafka Streams', in words; None if there is none.

    headrace loses by the same rules, where Kafka Streams does: nothing else may differ, the number of drops neither.
    """
    return _difference(case, seen_there(answer), run(case, RULES))


def lost_there(case: Case, answer: dict[str, Any]) -> list[str]:
    """The rules by which Kafka Streams lost something in a case; none if headrace as it is wrote the same."""
    theirs = seen_there(answer).outputs
    if not _other_outputs(case, theirs, run(case, []).outputs):
        return []
    needed = [rule for rule in RULES if _other_outputs(case, theirs, run(case, without(rule)).outputs)]
    return [rule.__name__ for rule in needed] or ["several rules"]


def with_long_retention(case: Case) -> Case | None:
    """The case as Kafka Streams has to be asked to lose no windows; None if it would mean something else by that.

    Sessions that are over, and windows of a cogroup that are, would be found again and grow.
    """
    by_id = {spec["id"]: spec for spec in case["nodes"]}
    nodes = []
    for spec in case["nodes"]:
        windows = by_id[spec["from"][0]] if spec["op"] in ("count", "reduce", "aggregate") else {}
        if windows.get("op") in ("tumbling", "hopping", "sliding", "session") and "retention_ms" not in spec:
            if windows["op"] == "session" or by_id[windows["from"][0]]["op"] == "cogroup":
                return None
            spec = {**spec, "retention_ms": _LONG_MS}
        nodes.append(spec)
    return {**case, "nodes": nodes}


def difference_when_kept(case: Case, answer: dict[str, Any]) -> str | None:
    """What differs between Kafka Streams with a long retention, and headrace with the one of the case itself."""
    return _other_outputs(case, seen_there(answer).outputs, run(case, without(short_retention)).outputs)


def seen_there(answer: dict[str, Any]) -> Seen:
    """An answer of the oracle."""
    outputs: Outputs = defaultdict(list)
    for out in answer["outputs"]:
        outputs[out["topic"], out["by"]].append((out["key"], out["value"], out["ts"]))
    return Seen(outputs, answer["dropped"])


def without(left_out: Rule) -> list[Rule]:
    """All rules but one."""
    return [rule for rule in RULES if rule is not left_out]


def _difference(case: Case, theirs: Seen, ours: Seen) -> str | None:
    found = _other_outputs(case, theirs.outputs, ours.outputs)
    if found is None and theirs.dropped != ours.dropped:
        return f"{case['id']}: Kafka Streams dropped {theirs.dropped}, here it is {ours.dropped}"
    return found


def _other_outputs(case: Case, theirs: Outputs, ours: Outputs) -> str | None:
    for topic, by in sorted({*ours, *theirs}, key=lambda place: (place[1], place[0])):
        mine, wanted = ours[topic, by], theirs[topic, by]
        if mine != wanted:
            return f"{case['id']}: topic {topic}, input {by} {case['inputs'][by]}\n wanted {wanted}\n found  {mine}"
    return None


@contextmanager
def versions_hidden() -> Iterator[None]:
    """The oracle gives every filter and map_values of a table a `Materialized`: versioned semantics end there.

    Without one they go on in Kafka Streams, as they do here: 147 cases that were asked both ways agree.
    """
    with pytest.MonkeyPatch.context() as patch:
        for kind in (TableFilter, TableMapValues):
            patch.setattr(kind, "versioned", False)
        yield


def run(case: Case, rules: list[Rule], restarts: Collection[int] = ()) -> Seen:
    """What the case writes when headrace loses by some rules, with restarts behind the inputs of these numbers."""
    with versions_hidden(), losing(rules) as expired:
        app = Builder("oracle", emit="every")
        build(app, case["nodes"])
        driver = TopologyTestDriver(app)
        loop = driver._loop
        joins = [node for node in loop.plan.of(StreamJoin) if node.one_store]
        expired.of_both_sides += [loop.partitions[0].stores.window_store(f"{node.store}.left", 0) for node in joins]
        topics = [spec["topic"] for spec in case["nodes"] if spec["op"] == "to"]
        found: Outputs = defaultdict(list)
        for number, step in enumerate(case["inputs"]):
            if "topic" in step:
                driver.input(step["topic"]).pipe(step["value"], key=step["key"], ts=step["ts"])
            else:
                driver.advance_wall_clock(timedelta(milliseconds=step["advance_wall_clock_ms"]))
            if number in restarts:
                driver.restart()
            for topic in topics:
                rows = driver.output(topic).read_records()
                found[topic, number] += [(row.key, row.value, row.ts) for row in rows]
        return Seen(found, _counted_there(driver) + expired.puts)


def _counted_there(driver: TopologyTestDriver) -> int:
    """How many of the drops Kafka Streams counts, too."""
    nodes = {node.name: node for node in driver._loop.plan.nodes}
    return sum(
        count for (name, reason), count in driver.dropped.items() if (type(nodes[name]), reason) not in SILENT_THERE
    )


SILENT_THERE = {
    (StreamJoin, Reason.LATE.value),
    (Repartition, Reason.NO_KEY.value),
    (TableGroupBy, Reason.NO_KEY.value),
    (TableGroupBy, Reason.OLDER.value),
}
"""What Kafka Streams drops without a word: no key in front of a repartition, and changes that came too late to be new
where a versioned table is grouped. All else that it counts is counted here, one by one."""

_LONG_MS = 10_000_000_000
