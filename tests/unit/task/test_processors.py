"""The life of processors in tasks: one each, begun and ended; the clock; where records lie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import headrace as hr
import headrace.functions as F
from headrace.dsl import Builder
from headrace.errors import RecordFailed
from headrace.model.clock import SetClock
from headrace.model.record import RawRecord
from headrace.passes.pipeline import rewrite
from headrace.passes.split_subtopologies import split_subtopologies
from headrace.task.loop import Loop
from headrace.testing import TopologyTestDriver


class Noting(hr.Processor[str, str]):
    """Writes down what happens to it."""

    def __init__(self, notes: list[Any]) -> None:
        self.notes = notes

    def init(self, context: hr.ProcessorContext) -> None:
        super().init(context)
        self.notes.append("init")
        self.timer = context.schedule("10ms", self.tick, by="wall")

    def tick(self, now: int) -> None:
        self.notes.append((now, self.context.now_ms, self.context.metadata))
        self.context.commit()
        if now >= 40:
            self.timer.cancel()

    def process(self, record: hr.Record) -> None:
        assert record.origin is not None
        self.notes.append(self.context.metadata)

    def close(self) -> None:
        self.notes.append("close")


def test_a_processor_begins_handles_and_ends() -> None:
    notes: list[Any] = []
    app = Builder("app")
    app.stream("day-1").process(lambda: Noting(notes))
    loop = Loop(rewrite(app.plan()), SetClock())
    loop.run([RawRecord(topic="day-1", ts=1, origin="day-1-0@7")])
    loop.close()
    assert notes == ["init", ("day-1", 0, 7), "close"]


def test_the_wall_clock_calls_after_one_interval_and_once_for_missed_times() -> None:
    notes: list[Any] = []
    app = Builder("app")
    app.stream("in").process(lambda: Noting(notes))
    driver = TopologyTestDriver(app, now_ms=5)
    driver.input("in").pipe(b"x", ts=1_000)  # stream time does not matter
    notes.clear()
    for by in ("9ms", "1ms", "25ms", "4ms", "1ms", "100ms"):
        driver.advance_wall_clock(by)
    assert notes == [(15, 15, None), (40, 40, None)]


def test_each_sub_topology_has_its_own_time_and_timers() -> None:
    def stamped(record: hr.Record, context: hr.ProcessorContext) -> Iterator[hr.Record]:
        yield record.with_value(f"{context.task_id} {context.stream_time_ms}")

    app = Builder("app")
    for topic in ("a", "b"):
        app.stream(topic).process(stamped, value=hr.STRING, key=hr.BYTES).to("out")
    driver = TopologyTestDriver(app)
    driver.input("a").pipe(b"", ts=9)
    driver.input("b").pipe(b"", ts=3)
    driver.input("a").pipe(b"", ts=4)
    assert [value for _, value in driver.output("out").read_all()] == ["0_0 9", "1_0 3", "0_0 9"]


def test_a_record_made_anew_has_the_place_of_the_one_at_hand() -> None:
    app = Builder("app")
    made = app.stream("in").process(lambda _: hr.Record(key="a", value="x", ts=5), key=hr.STRING, value=hr.STRING)
    made.map_values(lambda v: 1 // (F.length(v) - 1)).to("out")
    with pytest.raises(RecordFailed) as caught:
        TopologyTestDriver(app).input("in").pipe(b"")
    assert caught.value.where == "in-0@0"


def test_a_shared_store_joins_sub_topologies_and_a_global_one_does_not() -> None:
    shared = hr.stores.key_value("shared", key=hr.STRING, value=hr.STRING)
    everywhere = hr.stores.key_value("everywhere", key=hr.STRING, value=hr.STRING)

    def nothing(record: hr.Record) -> None:
        pass

    app = Builder("app")
    app.stream("a").process(nothing, stores=(shared,))
    app.stream("b").process(nothing)
    app.stream("c").process(nothing, stores=("shared",))
    app.table("t", key=hr.STRING, store="rows")
    app.stream("d").process(nothing, stores=("rows",))
    app.add_global_store(everywhere, "e", nothing)
    parts = [[node.name for node in part.nodes] for part in split_subtopologies(rewrite(app.plan()))]
    assert parts == [
        ["a", "a.process", "c", "c.process"],
        ["b", "b.process"],
        ["t", "d", "d.process", "t.changelog"],
        ["e"],
    ]


def test_behind_a_changed_key_nothing_moves_before_a_processor_and_all_before_a_count() -> None:
    app = Builder("app")
    moved: hr.KStream[str, str] = app.stream("in", key=hr.STRING, value=hr.STRING).select_key(hr.value)
    moved.process_values(lambda record: record, value=hr.STRING).group_by_key().count(store="n")
    assert [node.op for node in rewrite(app.plan()).nodes] == [
        "stream",
        "select_key",
        "process_values",
        "repartition",
        "count",
        "changelog",
    ]
