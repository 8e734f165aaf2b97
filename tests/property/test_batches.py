"""However the input is split into batches, the result is the same."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import headrace as hr
import headrace.functions as F
from conformance.oracle_build import build
from conformance.oracle_live import recorded
from headrace.dsl import Builder
from headrace.plan.nodes import To
from headrace.testing import TopologyTestDriver


def both(left: str | None, right: str | None) -> str:
    return f"{left}+{right}"


Step = tuple[str, Any, Any, int]
"""Topic, key, value and time."""

STATELESS: dict[str, Callable[[Any], Any]] = {
    "filter": lambda stream: stream.filter(lambda _, v: v != "c"),
    "map_values": lambda stream: stream.map_values(lambda v: v + "x"),
    "flat_map_values": lambda stream: stream.flat_map_values(lambda v: [v, v[:1]]),
    "select_key": lambda stream: stream.select_key(lambda _, v: v[:1]),
    "repartition": lambda stream: stream.repartition(),
}
TABLES: dict[str, Callable[[Any, Any], Any]] = {
    "count": lambda stream, _: stream.group_by_key().count(),
    "reduce": lambda stream, _: stream.group_by_key().reduce(lambda a, v: a + v),
    "tumbling": lambda stream, _: stream.group_by_key().windowed_by(hr.tumbling("10ms", grace="1s")).count(),
    "hopping": lambda stream, _: (
        stream.group_by_key().windowed_by(hr.hopping("10ms", advance="4ms", grace="1s")).count()
    ),
    "sliding": lambda stream, _: stream.group_by_key().windowed_by(hr.sliding("10ms", grace="1s")).count(),
    "session": lambda stream, _: stream.group_by_key().windowed_by(hr.session("5ms", grace="1s")).count(),
    "rows": lambda stream, _: stream.to_table(),
    "join": lambda stream, table: stream.to_table().outer_join(table, both),
    "foreign key join": lambda stream, table: stream.to_table().left_join(table, both, on=lambda v: v[:1]),
    "lookup": lambda stream, table: stream.left_join(table, both).group_by_key().count(),
    "group": lambda stream, _: stream.to_table().group_by(lambda _, v: (v, v)).count(),
}


def run(declare: Callable[[Builder], None], emit: str, batches: list[list[Step]]) -> dict[str, list[Any]]:
    """The records of each topic that is written."""
    app = Builder("app", emit=emit)
    declare(app)
    driver = TopologyTestDriver(app)
    for batch in batches:
        with driver.batch():
            for topic, key, value, ts in batch:
                driver.input(topic).pipe(value, key=key, ts=ts)
    return {
        topic: [(one.key, one.value, one.ts) for one in driver.output(topic).read_records()]
        for topic in sorted({node.topic for node in app.plan().of(To) if isinstance(node.topic, str)})
    }


def split(steps: list[Step], cuts: set[int]) -> list[list[Step]]:
    """The steps in batches that end before the numbers in `cuts`."""
    places = [0, *sorted(cut for cut in cuts if 0 < cut < len(steps)), len(steps)]
    return [steps[first:last] for first, last in pairwise(places)]


@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.sampled_from(sorted(STATELESS)), max_size=3),
    st.sampled_from(sorted(TABLES)),
    st.lists(st.tuples(st.sampled_from(["in", "table"]), st.sampled_from("abc"), st.sampled_from(["a", "b", "ca"]))),
    st.sets(st.integers(0, 30)),
)
def test_settled_tables_are_the_same_in_any_batches(
    before: list[str], made: str, records: list[tuple[str, str, str]], cuts: set[int]
) -> None:
    def declare(app: Builder) -> None:
        stream = app.stream("in", key=hr.STRING, value=hr.STRING)
        for op in before:
            stream = STATELESS[op](stream)
        TABLES[made](stream, app.table("table", key=hr.STRING, value=hr.STRING)).to_stream().to("out")

    steps = [(topic, key, value, 2 * number) for number, (topic, key, value) in enumerate(records)]
    whole, single = run(declare, "settled", [steps]), run(declare, "settled", [[step] for step in steps])
    parts = run(declare, "settled", split(steps, cuts))
    assert _tables(whole) == _tables(single) == _tables(parts)


def _tables(written: dict[str, list[Any]]) -> dict[str, dict[Any, Any]]:
    folded = {topic: {key: value for key, value, _ in rows} for topic, rows in written.items()}
    there = {topic: {key: value for key, value in rows.items() if value is not None} for topic, rows in folded.items()}
    return {topic: rows for topic, rows in there.items() if rows}


GENERATED = [case for case, _ in recorded() if not any("global" in spec["op"] for spec in case["nodes"])]


@pytest.mark.parametrize("first", range(0, len(GENERATED), 20))
@settings(deadline=None, max_examples=15)
@given(data=st.data())
def test_every_change_is_the_same_in_any_batches_when_times_rise(first: int, data: Any) -> None:
    case = data.draw(st.sampled_from(GENERATED[first : first + 20]), label="case")
    cuts = data.draw(st.sets(st.integers(1, len(case["inputs"]))), label="cuts")
    records = [step for step in case["inputs"] if "topic" in step]
    times = sorted({step["ts"] for step in records})
    steps = [
        (step["topic"], step["key"], step["value"], times[min(number, len(times) - 1)] + number)
        for number, step in enumerate(records)
    ]

    def declare(app: Builder) -> None:
        build(app, case["nodes"])

    assert run(declare, "every", split(steps, cuts)) == run(declare, "every", [[step] for step in steps])


WINDOWS: dict[str, Any] = {
    "tumbling": hr.tumbling("10ms"),
    "hopping": hr.hopping("10ms", advance="4ms", grace="3ms"),
    "sliding": hr.sliding("6ms", grace="2ms"),
    "session": hr.session("3ms", grace="2ms"),
}
JOINS: dict[str, Callable[[Any, Any], Any]] = {
    "inner": lambda left, right: left.join(right, lambda a, b: a + b, name="joined"),
    "outer": lambda left, right: left.outer_join(right, both, name="joined"),
    "mapped": lambda left, right: left.map_values(lambda v: v + "!").left_join(right.filter(hr.value != "c"), both),
    "foreign key": lambda left, right: left.left_join(right, both, on=lambda window, _: window, store="joined"),
}


@pytest.mark.parametrize("join", JOINS)
@pytest.mark.parametrize("windows", WINDOWS)
@settings(deadline=None, max_examples=25)
@given(
    records=st.lists(
        st.tuples(st.sampled_from(["in", "other"]), st.sampled_from("ab"), st.sampled_from("cd"), st.integers(0, 30))
    ),
    cuts=st.sets(st.integers(0, 30)),
)
def test_windows_that_close_in_a_batch_are_joined_as_if_each_record_came_alone(
    windows: str, join: str, records: list[tuple[str, str, str, int]], cuts: set[int]
) -> None:
    def declare(app: Builder) -> None:
        left, right = (
            app.stream(topic, key=hr.STRING, value=hr.STRING)
            .group_by_key()
            .windowed_by(WINDOWS[windows])
            .reduce(lambda a, v: a + v, store=topic)
            for topic in ("in", "other")
        )
        JOINS[join](left, right).to_stream().to("out")

    times = accumulate(step for *_, step in records)
    steps = [(topic, key, value, ts) for (topic, key, value, _), ts in zip(records, times, strict=True)]
    whole, single = run(declare, "settled", [steps]), run(declare, "settled", [[step] for step in steps])
    parts = run(declare, "settled", split(steps, cuts))
    assert _tables(whole) == _tables(single) == _tables(parts)


def _lasting(app: Builder, topic: str) -> Any:
    return app.table(topic, key=hr.STRING, value=hr.STRING, store=f"{topic}-rows", ttl="10ms")


SEVERAL: dict[str, Callable[[Any, Any], Any]] = {
    "rows joined": lambda left, right: left.outer_join(right, both),
    "pairs grouped": lambda left, right: (
        left.join(right, both).group_by(lambda _, v: (v, v)).count(store="n").filter(hr.value > 0)
    ),
    "foreign keys": lambda left, right: left.left_join(right, both, on=lambda v: v, store="joined"),
    "own groups": lambda left, _: left.left_join(
        left.group_by(lambda _, v: (v, 1)).count(store="n").filter(hr.value > 0),
        lambda v, n: v + F.text(n),
        on=lambda v: v,
        store="joined",
    ),
}


@pytest.mark.parametrize("made", SEVERAL)
@settings(deadline=None, max_examples=60)
@given(
    lasting=st.tuples(st.booleans(), st.booleans()),
    records=st.lists(
        st.tuples(
            st.sampled_from(["in", "other"]),
            st.sampled_from("ab"),
            st.sampled_from(["a", "b", None]),
            st.integers(1, 9),
        )
    ),
    cuts=st.sets(st.integers(0, 30)),
)
def test_tables_whose_rows_go_settle_to_the_same_in_any_batches(
    made: str, lasting: tuple[bool, bool], records: list[tuple[str, str, str | None, int]], cuts: set[int]
) -> None:
    def declare(app: Builder) -> None:
        # The time by which left rows of a foreign key join go is also that of the answers, of which batches have fewer.
        go = (lasting[0] and made != "foreign keys", lasting[1])
        left, right = (
            _lasting(app, topic) if goes else app.table(topic, key=hr.STRING, value=hr.STRING)
            for topic, goes in zip(("in", "other"), go, strict=True)
        )
        right.to_stream().to("right")
        SEVERAL[made](left, right).to_stream().to("out")

    times = accumulate(step for *_, step in records)
    steps = [(topic, key, value, ts) for (topic, key, value, _), ts in zip(records, times, strict=True)]
    whole, single = run(declare, "settled", [steps]), run(declare, "settled", [[step] for step in steps])
    parts = run(declare, "settled", split(steps, cuts))
    assert _tables(whole) == _tables(single) == _tables(parts)
