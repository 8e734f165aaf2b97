"""A pass changes no answer."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import reduce
from typing import Any

import pytest

import headrace as hr
from cases.all import all_cases
from cases.table import Case
from conformance.oracle_build import build
from conformance.oracle_live import recorded
from headrace.dsl import Builder
from headrace.model.clock import SetClock
from headrace.model.record import RawRecord
from headrace.model.types import OBJECT, STR, Type
from headrace.passes.pipeline import LOGICAL, rewrite
from headrace.passes.place_repartitions import place_repartitions
from headrace.plan.graph import Plan
from headrace.plan.nodes import Changelog
from headrace.task.loop import Loop


@pytest.mark.parametrize("case", all_cases(), ids=str)
def test_a_rewritten_plan_writes_the_same(case: Case) -> None:
    plan = case.plan()
    assert written(case, rewrite(plan)) == written(case, plan)


PAIRS = [pytest.param(case, id=case["id"]) for case, _ in recorded()]


@pytest.mark.parametrize("case", PAIRS)
def test_generated_topologies_write_the_same(case: dict[str, Any]) -> None:
    app = Builder("oracle", emit="every")
    build(app, case["nodes"])
    plan = replace(app.plan(), named=frozenset())  # changelogs are no answers
    whole, placed = answers(case, rewrite(plan)), answers(case, place_repartitions(plan))
    for left_out in LOGICAL[
        LOGICAL.index(place_repartitions) + 1 :
    ]:  # without the ones before, it means something else
        some = reduce(lambda so_far, one: so_far if one is left_out else one(so_far), LOGICAL, plan)
        assert same(case, answers(case, some), whole), left_out.__name__
    assert same(case, placed, whole)


def answers(case: dict[str, Any], plan: Plan) -> list[dict[str, list[RawRecord]]]:
    """What is written to each topic for each record of the input."""
    loop, found = Loop(plan, SetClock()), []
    for record in case["inputs"]:
        if "topic" not in record:
            continue
        key, value = (None if part is None else part.encode() for part in (record["key"], record["value"]))
        topics: dict[str, list[RawRecord]] = {}
        for _, raw in loop.run([RawRecord(topic=record["topic"], key=key, value=value, ts=record["ts"])]):
            topics.setdefault(raw.topic, []).append(raw)
        found.append(topics)
    return found


def same(case: dict[str, Any], first: list[dict[str, Any]], second: list[dict[str, Any]]) -> bool:
    """Whether two answers are alike; where a record takes two ways to one node, no order is promised."""
    if "diamond" not in case.get("tags", ()):
        return first == second
    return [{topic: Counter(rows) for topic, rows in one.items()} for one in first] == [
        {topic: Counter(rows) for topic, rows in one.items()} for one in second
    ]


def test_what_leads_nowhere_is_not_in_the_plan() -> None:
    app = Builder("app")
    stream = app.stream("in", key=hr.STRING, value=hr.STRING)
    stream.select_key(lambda _, v: v).filter(hr.value > "a")
    stream.to("out")
    assert [node.name for node in rewrite(app.plan()).nodes] == ["in", "in.to-out"]


def test_only_what_the_user_named_and_bytes_are_known_of_has_a_changelog() -> None:
    app = Builder("app")
    stream = app.stream("in", key=hr.STRING, value=hr.STRING)
    stream.group_by_key().count()
    app.versioned_table("prices", key=hr.STRING, value=hr.DOUBLE, history="1h")
    app.global_table("products", key=hr.STRING, value=hr.STRING, store="everywhere")
    stream.join(stream, lambda a, b: a + b, hr.join_windows("1s"), store="sides").to("out")
    stream.group_by_key().aggregate(list, lambda _, v, found: [*found, v], store="objects")
    stream.group_by_key().count(store="n" * 240)
    assert rewrite(app.plan()).of(Changelog) == ()
    stream.group_by_key().count(store="named")
    (found,) = rewrite(app.plan()).of(Changelog)
    assert (found.table, found.topic, found.name) == ("named", "app-named-changelog", "named.changelog")


def test_a_changelog_of_windows_says_how_long_they_are_kept() -> None:
    app = Builder("app")
    grouped = app.stream("in", key=hr.STRING, value=hr.STRING).group_by_key()
    grouped.windowed_by(hr.tumbling("10s")).count(store="short")
    grouped.windowed_by(hr.tumbling("10s")).count(store="long", retention="1h")
    grouped.windowed_by(hr.unlimited()).count(store="endless")
    kept = {node.table: node.retention_ms for node in rewrite(app.plan()).of(Changelog)}
    assert kept == {"short": 10_000, "long": 3_600_000, "endless": None}


def test_a_serde_of_the_users_own_has_no_say_where_the_type_is_known() -> None:
    app = Builder("app")
    app.table("in", key=hr.INT32, value=Shouted(), store="n")
    app.table("other", key=hr.STRING, value=Shouted(OBJECT), store="objects")
    found = {node.table: (node.key, node.value) for node in rewrite(app.plan()).of(Changelog)}
    assert found["n"] == (hr.INT64, hr.STRING)
    assert str(found["objects"][1]) == "SHOUTED"


class Shouted(hr.Serde[str]):
    """Texts in capitals."""

    name = "shouted"

    def __init__(self, type_: Type = STR) -> None:
        self.type = type_

    def write(self, value: str) -> bytes:
        return value.upper().encode()

    def read(self, data: bytes) -> str:
        return data.decode()


def written(case: Case, plan: Plan) -> list[Counter[RawRecord]]:
    """What the plan writes, batch by batch; nothing is promised about the order between topics and keys."""
    clock = SetClock()
    loop = Loop(plan, clock, show=lambda _: None)
    found = []
    for number, batch in enumerate(case.batches):
        clock.set(clock.now_ms() + batch.clock_ms)
        found.append(Counter(raw for _, raw in loop.run(_input(loop, case, number))))
    return found


def _input(loop: Loop, case: Case, number: int) -> list[RawRecord]:
    records = []
    for put in case.batches[number].puts:
        source = loop.source_of(put.topic)
        for record in put.records:
            records.append(
                RawRecord(
                    topic=put.topic,
                    key=source.key.encode(record.key),
                    value=source.value.encode(record.value),
                    ts=record.ts,
                    headers=record.headers,
                )
            )
    return records
