"""A second front end builds the same plans by `headrace.build` alone, with origins of its own."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import headrace as hr
import headrace.build
import headrace.functions as F
from headrace.build import aggregations, joins, reading, stateless, tables, windowed, windows
from headrace.build.declared import Declared
from headrace.dsl import Builder
from headrace.passes.pipeline import rewrite
from headrace.passes.split_subtopologies import split_subtopologies
from headrace.plan.describe import describe
from headrace.plan.graph import Plan
from headrace.plan.nodes import Emit, JoinSide

HERE = "orders.sql:12:5"


def count_words(app: Builder) -> None:
    words = app.stream("lines", value=hr.STRING).flat_map_values(lambda line: line.lower().split())
    words.group_by(lambda _, word: word).count(store="counts").to_stream().to("counts", value=hr.INT64)


def count_words_by_build(declared: Declared) -> None:
    lines = reading.read_stream(declared, "lines", key=hr.BYTES, value=hr.STRING, here=HERE)
    words = stateless.flat_map_values(declared, lines, hr.value.lower().split(), here=HERE)
    keyed = stateless.select_key(declared, words, hr.value, here=HERE, op="group_by")
    counts = aggregations.count(declared, keyed, store="counts", here=HERE)
    changes = tables.to_stream(declared, counts, None, here=HERE)
    stateless.to_topic(declared, changes, "counts", value=hr.INT64, here=HERE)


def total_by_minute(app: Builder) -> None:
    orders = app.stream("orders", key=hr.STRING, value=hr.INT64).filter(hr.value > 0)
    grouped = orders.group_by_key().windowed_by(hr.tumbling("1m", grace="5s"))
    totals = grouped.aggregate(0, lambda _key, amount, total: total + amount, store="totals")
    totals.suppress(hr.until_window_closes()).to_stream().to("totals")


def total_by_minute_by_build(declared: Declared) -> None:
    orders = reading.read_stream(declared, "orders", key=hr.STRING, value=hr.INT64, here=HERE)
    kept = stateless.filter_records(declared, orders, hr.value > 0, keep=True, here=HERE)
    minutes = windows.tumbling("1m", grace="5s", here=HERE)
    totals = windowed.aggregate_windowed(
        declared,
        kept,
        minutes,
        0,
        lambda _key, amount, total: total + amount,
        final=False,
        store="totals",
        here=HERE,
    )
    final = tables.suppress(declared, totals, hr.until_window_closes(), here=HERE)
    changes = tables.to_stream(declared, final, None, here=HERE)
    stateless.to_topic(declared, changes, "totals", here=HERE)


def enrich(app: Builder) -> None:
    users = app.table("users", key=hr.STRING, value=hr.STRING, store="users")
    views = app.stream("views", key=hr.STRING, value=hr.STRING)
    views.left_join(users, lambda view, user: F.coalesce(user, view)).to("seen")
    users.group_by(lambda _name, city: (city, 1)).count(store="people").to_stream().to("people")


def enrich_by_build(declared: Declared) -> None:
    users = reading.read_table(
        declared,
        "users",
        key=hr.STRING,
        value=hr.STRING,
        store="users",
        here=HERE,
    )
    views = reading.read_stream(declared, "views", key=hr.STRING, value=hr.STRING, here=HERE)
    joiner = lambda view, user: F.coalesce(user, view)  # noqa: E731
    joined = joins.stream_table_join(declared, views, users, joiner, True, None, None, HERE)
    stateless.to_topic(declared, joined, "seen", here=HERE)
    grouped = tables.group_rows(declared, users, lambda _name, city: (city, 1), here=HERE)
    people = aggregations.count_rows(declared, grouped, store="people", here=HERE)
    changes = tables.to_stream(declared, people, None, here=HERE)
    stateless.to_topic(declared, changes, "people", here=HERE)


def join_tables(app: Builder) -> None:
    left, right = (app.table(topic, key=hr.STRING, value=hr.INT64) for topic in ("left", "right"))
    left.outer_join(right, lambda mine, theirs: F.coalesce(mine, theirs), store="both").to_stream().to("both")


def join_tables_by_build(declared: Declared) -> None:
    left, right = (
        reading.read_table(
            declared,
            topic,
            key=hr.STRING,
            value=hr.INT64,
            here=HERE,
        )
        for topic in ("left", "right")
    )
    joiner = lambda mine, theirs: F.coalesce(mine, theirs)  # noqa: E731
    both = joins.table_join(declared, left, right, joiner, JoinSide.OUTER, "both", None, None, HERE)
    stateless.to_topic(
        declared,
        tables.to_stream(declared, both, None, here=HERE),
        "both",
        here=HERE,
    )


def described(plan: Plan) -> str:
    return describe(plan.app, split_subtopologies(rewrite(plan)))


@pytest.mark.parametrize(
    ("fluent", "built"),
    [
        (count_words, count_words_by_build),
        (total_by_minute, total_by_minute_by_build),
        (enrich, enrich_by_build),
        (join_tables, join_tables_by_build),
    ],
)
def test_both_front_ends_build_the_same_plan(
    fluent: Callable[[Builder], None], built: Callable[[Declared], None]
) -> None:
    app, declared = Builder("shop"), Declared("shop", Emit.SETTLED)
    fluent(app)
    built(declared)
    plan = declared.plan()
    assert {node.origin for node in rewrite(plan).nodes} == {HERE}
    there = re.compile(r"(test_second_front_end\.py:\d+|orders\.sql:12:5)")
    assert there.sub("", described(plan)) == there.sub("", described(app.plan()))


def test_building_reads_no_stack_frame_and_knows_no_front_end() -> None:
    for path in Path(headrace.build.__file__).parent.glob("*.py"):
        imported = {node.module for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)}
        assert not {"headrace.plan.origin", "headrace.model.source_lines"} & imported, path.name
        assert not any(name and name.startswith("headrace.dsl") for name in imported), path.name
