"""Restarts of the test driver, and what a failure leaves possible."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import headrace as hr
from headrace.errors import CannotRestart, DriverClosed, DriverFailed, ProcessorFailed, RecordFailed
from headrace.testing import TopologyTestDriver


def counting() -> hr.App:
    app = hr.App("app")
    app.stream("in", key=hr.STRING, value=hr.STRING).group_by_key().count(store="n").to_stream().to("out")
    return app


def test_topics_drops_and_the_clock_stay_and_stores_are_others() -> None:
    driver = TopologyTestDriver(counting(), now_ms=5)
    topic, output, before = driver.input("in", start=10, advance="1s"), driver.output("out"), driver.store("n")
    topic.pipe_records([("a", "x"), (None, "x")])
    driver.restart()
    topic.pipe("x", key="a")
    assert [(one.key, one.value, one.ts) for one in output.read_records()] == [("a", 1, 10), ("a", 2, 2_010)]
    assert driver.dropped == {("n", "no key"): 1}
    assert (driver.store("n").get("a"), before.get("a")) == (2, 1)


def test_records_of_a_batch_that_is_not_over_come_after_the_restart() -> None:
    driver = TopologyTestDriver(counting())
    with driver.batch():
        driver.input("in").pipe("x", key="a")
        driver.restart()
    assert driver.output("out").read_all() == [("a", 1)]


def test_processors_are_closed_and_made_anew() -> None:
    told: list[str] = []

    class Telling(hr.Processor[str, str]):
        def init(self, context: hr.ProcessorContext) -> None:
            super().init(context)
            told.append("init")

        def process(self, record: hr.Record) -> None:
            told.append(record.value)

        def close(self) -> None:
            told.append("close")

    app = hr.App("app")
    app.stream("in", key=hr.STRING, value=hr.STRING).process(Telling)
    with TopologyTestDriver(app) as driver:
        driver.input("in").pipe("1")
        driver.restart()
        driver.input("in").pipe("2")
    assert told == ["init", "1", "close", "init", "2", "close"]


def test_what_is_remembered_beside_stores_prints() -> None:
    app = hr.App("app")
    windows = app.stream("in", key=hr.STRING, value=hr.STRING).group_by_key().windowed_by(hr.tumbling("10ms"))
    windows.emit_strategy(hr.on_window_close()).count(store="n").to_stream().to("out")
    driver = TopologyTestDriver(app)
    driver.input("in").pipe("x", key="a", ts=25)
    assert repr(driver._loop.partitions[0].state.memory) == (
        "Memory({'in': {'stream time of the task': Taken(ms=25), 'partition times': {'in': 25}}, "
        "'n': {'stream time': Seen(ms=25, stood=-1, since=0), 'closed': Closed(up_to=15)}, "
        "'store.n': {'times': Kept(newest=20, gone=10, earliest=20)}})"
    )


def test_a_file_that_is_printed_to_goes_on(tmp_path: Path) -> None:
    app = hr.App("app")
    app.stream("in", key=hr.STRING, value=hr.STRING).print("in", file=tmp_path / "lines")
    driver = TopologyTestDriver(app)
    driver.input("in").pipe("x")
    driver.restart()
    driver.input("in").pipe("y")
    assert (tmp_path / "lines").read_text() == "[in]: None, x\n[in]: None, y\n"


def test_state_that_cannot_be_pickled() -> None:
    @dataclass
    class Here:
        name: str

    app = hr.App("app")
    rows = app.stream("in", key=hr.STRING, value=hr.STRING).map_values(lambda text: Here(text))
    rows.to_table(store="rows").to_stream().map_values(lambda one: one.name).to("out")
    driver = TopologyTestDriver(app)
    driver.input("in").pipe("x", key="a")
    with pytest.raises(CannotRestart) as caught:
        driver.restart()
    assert re.sub(r"Can't pickle .*", "...", str(caught.value)) == (
        "application 'app' cannot be restarted with its state: a testing.test_restart."
        "test_state_that_cannot_be_pickled.<locals>.Here is in it, and cannot be pickled: ...\n"
        "  to do: declare its class at the top of a module, or keep what it is made of"
    )
    driver.input("in").pipe("y", key="a")
    assert driver.output("out").read_values() == ["x", "y"]


def test_a_closed_driver_does_not_restart() -> None:
    driver = TopologyTestDriver(counting())
    driver.close()
    with pytest.raises(DriverClosed, match="closed: a restart is not possible any more"):
        driver.restart()


# -- failures


def test_after_a_failure_nothing_goes_on_but_reading() -> None:
    app = hr.App("app")
    numbers = app.stream("in", key=hr.STRING, value=hr.INT64)
    numbers.group_by_key().count(store="n")
    numbers.map_values(lambda n: 10 // n).to("out")
    driver = TopologyTestDriver(app)
    topic = driver.input("in")
    topic.pipe(5, key="a")
    with pytest.raises(RecordFailed):
        topic.pipe(0, key="a")
    refused: dict[str, Callable[[], object]] = {
        "piping into topic 'in'": lambda: topic.pipe(1, key="a"),
        "advancing the clock": lambda: driver.advance_wall_clock("1s"),
        "a batch": lambda: driver.batch().__enter__(),
        "a restart": driver.restart,
    }
    for what, do in refused.items():
        with pytest.raises(DriverFailed) as caught:
            do()
        assert re.sub(r"test_restart.py:\d+", "FILE", str(caught.value)) == (
            f"application 'app' has stopped at a failure: {what} is not possible any more; "
            "it was in.map_values (FILE) failed on a record: division by zero\n"
            "  to do: go on with a new driver, or send the records that fail to .errors() beside the operator"
        )
        assert isinstance(caught.value.__cause__, RecordFailed)
    assert driver.output("out").read_all() == [("a", 2)]
    assert repr(driver).startswith("<failed driver of 'app'")
    driver.close()


def test_a_processor_that_cannot_begin_again() -> None:
    begun: list[str] = []

    class Once(hr.Processor[str, str]):
        def init(self, context: hr.ProcessorContext) -> None:
            super().init(context)
            if begun:
                raise ValueError("only once")
            begun.append("once")

        def process(self, record: hr.Record) -> None:
            self.context.forward(record)

        def close(self) -> None:
            begun.append("closed")

    app = hr.App("app")
    app.stream("in", key=hr.STRING, value=hr.STRING).process(Once)
    with TopologyTestDriver(app) as driver:
        with pytest.raises(ProcessorFailed, match="only once"):
            driver.restart()
        with pytest.raises(DriverFailed, match=r"it was .* ValueError: only once"):
            driver.input("in").pipe("x")
    assert begun == ["once", "closed"]
