"""Side outputs: where there is none, by the words; what failures hold; that everything is counted."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import headrace as hr
import headrace.functions as F
from headrace.dsl import Builder, KStream
from headrace.errors import NothingBeside, RecordFailed
from headrace.testing import TopologyTestDriver


def texts(app: Builder | None = None) -> KStream[str, str]:
    return (app or Builder("app")).stream("in", key=hr.STRING, value=hr.STRING)


@pytest.mark.parametrize(
    ("declare", "what", "fix"),
    [
        (
            lambda s: s.map_values(lambda v: v + "!").late(),
            "in.map_values has no .late(): it drops no records because they are late",
            "use it right behind a windowed aggregation, a join of two streams, a versioned table, ttl= or drop_dup",
        ),
        (lambda s: s.group_by_key().count(store="n").late(), "n has no .late()", "ttl="),
        (
            lambda s: s.group_by_key().count(store="n").errors(),
            "n has no .errors(): it has no function that could fail",
            "use it right behind the operator with the function; of group_by, write select_key(...) and group_by_key()",
        ),
        (
            lambda s: s.to_table().group_by(lambda _, v: (v, v)).reduce(lambda a, b: a + b, lambda a, _: a).errors(),
            "has no .errors(): it would take out of a group later what it could not add",
            "compute what may fail in map_values(...) of the table, in front of group_by, and use errors() there",
        ),
        (lambda s: s.repartition().errors(), "in.repartition has no .errors()", "right behind the operator"),
        (lambda s: s.drop_duplicates(within="1s").errors(), "in.drop_duplicates has no .errors()", "right behind"),
        (
            lambda s: s.group_by_key().count(store="n").expired(),
            "n has no .expired(): it has no windows",
            "use it right behind windowed_by(...) and its aggregation",
        ),
    ],
)
def test_there_is_no_such_side_output(declare: Callable[[KStream[str, str]], Any], what: str, fix: str) -> None:
    with pytest.raises(NothingBeside) as caught:
        declare(texts())
    assert what in str(caught.value)
    assert fix in str(caught.value)
    assert re.search(r"  at: test_side_outputs\.py:\d+", str(caught.value))


def test_a_failure_holds_the_value_and_what_failed_and_is_json_by_itself() -> None:
    app = Builder("app")
    numbers = app.stream("in", key=hr.STRING, value=hr.INT64).map_values(lambda v: 10 // v)
    numbers.to("out")
    numbers.errors().to("failed")
    driver = TopologyTestDriver(app)
    for value in (5, 0, None):
        driver.input("in").pipe(value, key="k", ts=7)
    assert driver.output("out").read_all() == [("k", 2)]
    first, second = driver.output("failed").read_records()
    assert (first.key, first.ts) == ("k", 7)
    assert first.value == hr.Failure(0, "in.map_values", "ZeroDivisionError", "division by zero", "in-0@1")
    assert (second.value.value, second.value.origin) == (None, "in-0@2")
    assert driver.dropped == {("in.map_values", "failed"): 2}


def test_a_python_function_that_fails_and_a_result_that_is_none() -> None:
    app = Builder("app")

    def parts(_: str, text: str) -> list[tuple[str, str]]:
        if text == "none":
            return None  # type: ignore[return-value]
        return [(text[0], text)]

    pairs = texts(app).flat_map(parts)
    pairs.to("out")
    pairs.errors().map_values(lambda f: f.error + ": " + f.message).to("failed")
    driver = TopologyTestDriver(app)
    for text in ("ab", "", "none"):
        driver.input("in").pipe(text, key="k")
    assert driver.output("out").read_all() == [("a", "ab")]
    assert driver.output("failed").read_all() == [
        ("k", "IndexError: string index out of range"),
        ("k", "RecordFailed: None is not a list"),
    ]


def test_what_fails_further_on_stops_the_application_as_before() -> None:
    app = Builder("app")
    first = texts(app).map_values(lambda v: F.integer(v))
    first.errors().to("failed")
    first.map_values(lambda n: 10 // n).to("out")
    driver = TopologyTestDriver(app)
    driver.input("in").pipe("no", key="k")
    with pytest.raises(RecordFailed, match=r"in\.map_values\.map_values"):
        driver.input("in").pipe("0", key="k")


def test_what_fails_in_the_stream_of_failures_stops_the_application() -> None:
    app = Builder("app")
    first = texts(app).map_values(lambda v: F.integer(v))
    first.errors().map_values(lambda f: F.integer(f.value)).to("failed")
    driver = TopologyTestDriver(app)
    with pytest.raises(RecordFailed, match=r"in\.map_values\.errors\.map_values"):
        driver.input("in").pipe("no", key="k")


def test_late_records_of_a_join_of_two_types_are_for_python() -> None:
    app = Builder("app")
    left = texts(app)
    right = app.stream("numbers", key=hr.STRING, value=hr.INT64)
    pairs = left.join(right, lambda a, b: a + F.text(b), hr.join_windows("10ms"))
    pairs.late().map_values(lambda v: repr(v)).to("late", value=hr.STRING)
    driver = TopologyTestDriver(app)
    driver.input("in").pipe("x", key="a", ts=100)
    driver.input("numbers").pipe(5, key="a", ts=89)
    driver.input("in").pipe("y", key="b", ts=89)
    assert driver.output("late").read_all() == [("a", "5"), ("b", "'y'")]
    assert driver.dropped == {("in.join", "late"): 2}


def test_rows_that_belong_to_no_group_are_counted() -> None:
    app = Builder("app")
    table = app.table("in", key=hr.STRING, value=hr.STRING, store="rows")
    table.group_by(lambda _, v: (hr.when(v == "", None).otherwise(v), 1), name="by-value").count(store="n")
    driver = TopologyTestDriver(app)
    for value in ("x", "", None):
        driver.input("in").pipe(value, key="a")
    assert driver.dropped == {("by-value", "no key"): 1}


def test_side_outputs_are_described() -> None:
    app = hr.App("app")
    counts = texts(app).group_by_key().windowed_by(hr.tumbling("1m")).count(store="n")
    counts.late().to("late")
    counts.expired(name="old").to("old")
    lines = [line.split() for line in app.describe().splitlines()]
    assert ["n.late", "late", "<-", "n"] in [line[:4] for line in lines]
    assert ["old", "expired", "<-", "n"] in [line[:4] for line in lines]


def test_what_an_application_does_with_failures_is_also_for_tables() -> None:
    app = Builder("app", on_error="skip")
    numbers = app.stream("in", key=hr.STRING, value=hr.INT64)
    numbers.group_by_key().reduce(lambda a, b: a + b, store="sum").to_stream().to("sums")
    numbers.to_table().map_values(lambda value: 100 // value, name="share").to_stream().to("shares")
    app.table("rows", key=hr.STRING, value=hr.INT64, store="rows").to_stream().to("copies")
    driver = TopologyTestDriver(app)
    driver.input("in").pipe_records([("a", 2**63 - 1), ("a", 1), ("a", -1), ("b", 0)])
    driver.input("rows", value=hr.STRING).pipe("one", key="a")
    assert driver.output("sums").read_all() == [("a", 2**63 - 1), ("a", 2**63 - 2), ("b", 0)]
    assert driver.dropped == {("sum", "failed"): 1, ("share", "failed"): 1, ("rows", "failed"): 1}
