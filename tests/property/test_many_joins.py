"""A join of several in one call equals the chain of joins of two with tuples between."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as hr
from headrace.dsl import Builder
from headrace.testing import TopologyTestDriver

WITHIN = hr.join_windows("5ms", grace="3ms")
EVENTS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "y", None]), st.sampled_from(["", "1", "2", None]))
    | st.tuples(st.sampled_from("abc"), st.just("x"), st.just("3")),
    max_size=12,
)


def shown(*values: Any) -> str:
    return "/".join(f"{value}" for value in values)


def of_three(a: Any, b: Any, c: Any) -> str:
    return shown(a, b, c)


def gathered(a: Any, b: Any) -> Any:
    return a, b


def spread(ab: Any, c: Any) -> str:
    a, b = ab or (None, None)
    return shown(a, b, c)


def results(how: str, tables: bool, at_once: bool, events: list[Any]) -> list[Any]:
    app = Builder("app", emit="every")
    read: Any = app.table if tables else app.stream
    a, b, c = (read(topic, key=hr.STRING, value=hr.STRING) for topic in "abc")
    windows = () if tables else (WITHIN,)
    if at_once:
        joined = getattr(a, how)([b, c], of_three, *windows)
    else:
        joined = getattr(getattr(a, how)(b, gathered, *windows), how)(c, spread, *windows)
    (joined.to_stream() if tables else joined).to("out", value=hr.STRING)
    driver = TopologyTestDriver(app)
    for at, (topic, key, value) in enumerate(events):
        driver.input(topic).pipe(value, key=key, ts=at * 7 % 20)
    return [(row.key, row.value, row.ts) for row in driver.output("out").read_records()]


@pytest.mark.parametrize("tables", [False, True], ids=["streams", "tables"])
@pytest.mark.parametrize("how", ["join", "left_join", "outer_join"])
@settings(max_examples=40, deadline=None)
@given(events=EVENTS)
def test_at_once_is_one_after_the_other(how: str, tables: bool, events: list[Any]) -> None:
    assert results(how, tables, True, events) == results(how, tables, False, events)
