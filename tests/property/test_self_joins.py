"""A stream that is joined with itself sends on the same with one store as with two, in the same order."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as hr
from headrace.dsl import Builder
from headrace.model.clock import SetClock
from headrace.model.record import RawRecord
from headrace.passes.self_joins import self_joins
from headrace.plan.graph import Plan
from headrace.task.loop import Loop

EVENTS = st.lists(st.tuples(st.sampled_from([b"a", b"b", None]), st.sampled_from([b"x", None]), st.integers(0, 40)))
SPANS = st.tuples(st.integers(-5, 10), st.integers(5, 10), st.integers(0, 5)).map(
    lambda span: [timedelta(milliseconds=one) for one in span]
)


def both(left: Any, right: Any) -> str:
    return f"{left}+{right}"


def run(plan: Plan, events: list[Any]) -> tuple[list[RawRecord], int]:
    """What is written, and in how many stores the records were kept."""
    loop, found = Loop(plan, SetClock()), []
    for number, (key, value, ts) in enumerate(events):
        told = value and value + b"%d" % number
        found += [raw for _, raw in loop.run([RawRecord(topic="in", key=key, value=told, ts=ts)])]
    return found, len(loop.partitions[0].stores._windows)


@pytest.mark.parametrize("how", ["join", "left_join", "outer_join"])
@settings(max_examples=100, deadline=None)
@given(events=EVENTS, span=SPANS)
def test_one_store_or_two(how: str, events: list[Any], span: list[timedelta]) -> None:
    app = Builder("app")
    stream = app.stream("in", key=hr.STRING, value=hr.STRING)
    windows = hr.join_windows(before=span[0], after=span[1], grace=span[2])
    getattr(stream, how)(stream, both, windows).to("out", value=hr.STRING)
    two, one = run(app.plan(), events), run(self_joins(app.plan()), events)
    assert (two[0], two[1], 1) == (one[0], 2, one[1])
