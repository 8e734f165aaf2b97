"""Joins equal what comes of trying all pairs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import headrace as hr
from headrace.dsl import Builder
from headrace.model.windows import JoinWindows
from headrace.testing import TopologyTestDriver

Events = list[tuple[bool, str, int]]
"""Whether it is of the left, key and time; not the first moments of 1970, where Kafka Streams cuts negative bounds."""

EVENTS = st.lists(st.tuples(st.booleans(), st.sampled_from("ab"), st.integers(20, 80)), max_size=20)
BOUND = st.integers(-6, 12)
END = 1_000_000

Rows = dict[Any, Any]
CHANGES = st.lists(st.tuples(st.booleans(), st.sampled_from("abc"), st.sampled_from(["ax", "by", "cz", "", None])))
"""Whether it is of the left, key, and the new value."""


def both(left: str | None, right: str | None) -> str:
    return f"{'-' if left is None else left}+{'-' if right is None else right}"


def join(how: str, left: Any, right: Any, *options: Any, **named: Any) -> Any:
    return {"inner": left.join, "left": left.left_join, "outer": left.outer_join}[how](right, both, *options, **named)


def streamed(how: str, windows: JoinWindows, events: Events) -> Counter[tuple[str, str, int]]:
    """What a join of streams writes; each value is the number of its event."""
    app = Builder("app")
    left, right = (app.stream(topic, key=hr.STRING, value=hr.STRING) for topic in ("left", "right"))
    join(how, left, right, windows).to("out", value=hr.STRING)
    driver = TopologyTestDriver(app)
    for number, (is_left, key, ts) in enumerate([*events, (True, "end", END), (False, "end", END)]):
        driver.input("left" if is_left else "right").pipe(str(number), key=key, ts=ts)
    return Counter((one.key, one.value, one.ts) for one in driver.output("out").read_records() if one.key != "end")


def pairs(before: int, after: int, events: Events) -> list[tuple[int, int]]:
    """The numbers of the events that meet, left and right."""
    return [
        (n, m)
        for n, (is_left, key, ts) in enumerate(events)
        for m, (also_left, same, other) in enumerate(events)
        if is_left and not also_left and key == same and ts - before <= other <= ts + after
    ]


def rows(events: Events, met: list[tuple[int, int]]) -> Counter[tuple[str, str, int]]:
    return Counter((events[n][1], f"{n}+{m}", max(events[n][2], events[m][2])) for n, m in met)


def newest(events: Events, number: int) -> int:
    """Stream time when an event has come."""
    return max(ts for _, _, ts in events[: number + 1])


@pytest.mark.parametrize("how", ["inner", "left", "outer"])
@settings(deadline=None, max_examples=60)
@given(events=EVENTS, before=BOUND, after=BOUND)
def test_a_join_of_streams_equals_all_pairs(how: str, events: Events, before: int, after: int) -> None:
    assume(before + after >= 0)
    met = pairs(before, after, events)
    wanted = rows(events, met)
    for n, (is_left, key, ts) in enumerate(events):
        kept = how == "outer" or (how == "left" and is_left)
        # One that comes when time has passed by its window does not wait for partners that may still come.
        waits = ts + (after if is_left else before) >= newest(events, n)
        if kept and not any(n in pair and (waits or max(pair) == n) for pair in met):
            wanted[key, f"{n}+-" if is_left else f"-+{n}", ts] += 1
    assert streamed(how, JoinWindows(before_ms=before, after_ms=after, grace_ms=1_000), events) == wanted


@settings(deadline=None, max_examples=100)
@given(EVENTS, BOUND, BOUND, st.integers(0, 5))
def test_no_pair_within_the_grace_is_lost(events: Events, before: int, after: int, grace: int) -> None:
    assume(before + after >= 0)
    in_time = [ts >= newest(events, n) - grace for n, (_, _, ts) in enumerate(events)]
    wanted = rows(events, [pair for pair in pairs(before, after, events) if in_time[max(pair)]])
    found = streamed("inner", JoinWindows(before_ms=before, after_ms=after, grace_ms=grace), events)
    assert not wanted - found
    assert not found - rows(events, pairs(before, after, events))


def tabled(how: str, changes: list[tuple[bool, str, str | None]], **options: Any) -> tuple[Rows, Rows, Rows]:
    """The left table, the right one, and what their join comes to."""
    app = Builder("app", emit="every")
    left, right = (app.table(topic, key=hr.STRING, value=hr.STRING) for topic in ("left", "right"))
    join(how, left, right, **options).to_stream().to("out", value=hr.STRING)
    driver = TopologyTestDriver(app)
    sides: tuple[Rows, Rows] = ({}, {})
    for ts, (is_left, key, value) in enumerate(changes):
        driver.input("left" if is_left else "right").pipe(value, key=key, ts=ts)
        sides[not is_left][key] = value
    there = [{key: value for key, value in side.items() if value is not None} for side in sides]
    return there[0], there[1], dict(driver.output("out").read_table())


@pytest.mark.parametrize("how", ["inner", "left", "outer"])
@settings(deadline=None, max_examples=60)
@given(changes=CHANGES)
def test_a_join_of_tables_equals_that_of_their_rows(how: str, changes: list[tuple[bool, str, str | None]]) -> None:
    left, right, found = tabled(how, changes)
    keys = {"inner": left.keys() & right.keys(), "left": left.keys(), "outer": left.keys() | right.keys()}[how]
    assert found == {key: both(left.get(key), right.get(key)) for key in keys}


@pytest.mark.parametrize("how", ["inner", "left"])
@settings(deadline=None, max_examples=60)
@given(changes=CHANGES)
def test_a_foreign_key_join_equals_that_of_the_rows(how: str, changes: list[tuple[bool, str, str | None]]) -> None:
    left, right, found = tabled(how, changes, on=lambda value: value[:1])
    kept = {key: value for key, value in left.items() if how == "left" or value[:1] in right}
    assert found == {key: both(value, right.get(value[:1])) for key, value in kept.items()}
