"""The test driver, as users use it."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest

import headrace as hr
import headrace.functions as F
from headrace.errors import DriverClosed, NotInTopology


@pytest.fixture
def word_count() -> hr.testing.TopologyTestDriver:
    app = hr.App("word-count")
    lines = app.stream("lines", value=hr.STRING)
    words = lines.flat_map_values(lambda line: line.lower().split()).group_by(lambda _, word: word)
    words.count(store="counts").to_stream().to("counts", value=hr.INT64)
    return hr.testing.TopologyTestDriver(app)


def test_word_count(word_count: hr.testing.TopologyTestDriver) -> None:
    word_count.input("lines").pipe(value="to be or not to be", ts=0)
    assert word_count.output("counts").read_table() == {"to": 2, "be": 2, "or": 1, "not": 1}
    assert word_count.store("counts").get("be") == 2
    assert word_count.store("counts").get("was") is None
    assert word_count.store("counts").all() == {"be": 2, "not": 1, "or": 1, "to": 2}


def test_every_piped_record_is_a_batch_of_its_own(word_count: hr.testing.TopologyTestDriver) -> None:
    word_count.input("lines").pipe("a b")
    word_count.input("lines").pipe("a")
    assert word_count.output("counts").read_all() == [("a", 1), ("b", 1), ("a", 2)]


def test_records_piped_in_a_batch_settle_together(word_count: hr.testing.TopologyTestDriver) -> None:
    with word_count.batch():
        word_count.input("lines").pipe("a b")
        word_count.input("lines").pipe("a")
        assert word_count.output("counts").read_all() == []
    assert word_count.output("counts").read_all() == [("b", 1), ("a", 2)]


def test_a_batch_that_the_test_gives_up_is_not_run(word_count: hr.testing.TopologyTestDriver) -> None:
    with pytest.raises(KeyError), word_count.batch():
        word_count.input("lines").pipe("a b")
        raise KeyError
    assert word_count.store("counts").all() == {}


def test_drops_are_counted() -> None:
    app = hr.App("app")
    app.stream("in", key=hr.STRING, value=hr.STRING).group_by_key().count(store="n")
    driver = hr.testing.TopologyTestDriver(app)
    driver.input("in").pipe("v")
    driver.input("in").pipe(key="k")
    driver.input("in").pipe("v")
    assert driver.dropped == {("n", "no key"): 2, ("n", "no value"): 1}


def test_a_topic_that_is_written_and_read_comes_back() -> None:
    app = hr.App("app")
    numbers = app.stream("numbers", key=hr.STRING, value=hr.INT64)
    numbers.filter(lambda _, n: n > 0).map_values(lambda n: n - 1).to("numbers")
    numbers.to("seen")
    driver = hr.testing.TopologyTestDriver(app)
    driver.input("numbers").pipe(3, key="k", ts=9)
    assert driver.output("seen").read_all() == [("k", 3), ("k", 2), ("k", 1), ("k", 0)]
    assert driver.output("numbers").read_all() == [("k", 2), ("k", 1), ("k", 0)]


def test_a_topic_chosen_for_each_record_is_read_by_its_name() -> None:
    app = hr.App("app")
    app.stream("in", key=hr.INT64, value=hr.STRING).to(lambda _, v: "to-" + v)
    driver = hr.testing.TopologyTestDriver(app)
    driver.input("in").pipe("a", key=1)
    assert driver.output("to-a").read_all() == [(1, "a")]
    assert driver.output("to-b").read_all() == []


def test_peek_prints(capsys: pytest.CaptureFixture[str]) -> None:
    app = hr.App("app")
    app.stream("in", key=hr.STRING, value=hr.INT64).peek(F.text(hr.key) + " is " + F.text(hr.value))
    driver = hr.testing.TopologyTestDriver(app)
    driver.input("in").pipe(3, key="k")
    driver.input("in").pipe()
    assert capsys.readouterr().out == "k is 3\nNone is None\n"


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda d: d.input("counts"), "'word-count' does not read topic 'counts'\n  to do: it reads lines"),
        (lambda d: d.output("lines"), "'word-count' does not write topic 'lines'\n  to do: it writes counts"),
        (lambda d: d.store("words"), "'word-count' does not have a store 'words'\n  to do: it has counts"),
    ],
)
def test_what_the_application_does_not_have(word_count: hr.testing.TopologyTestDriver, ask: object, words: str) -> None:
    assert callable(ask)
    with pytest.raises(NotInTopology) as caught:
        ask(word_count)
    assert str(caught.value) == f"application {words}"


def test_stores_and_topics_are_listed(word_count: hr.testing.TopologyTestDriver) -> None:
    assert word_count.stores == ["counts"]
    assert word_count.topics_written == []
    word_count.input("lines").pipe("a b")
    assert word_count.topics_written == ["counts"]


def test_a_batch_inside_another_is_a_part_of_it(word_count: hr.testing.TopologyTestDriver) -> None:
    with word_count.batch():
        with word_count.batch():
            word_count.input("lines").pipe("a")
        word_count.input("lines").pipe("a")
        assert word_count.output("counts").is_empty
    assert word_count.output("counts").read_all() == [("a", 2)]


def test_after_close_only_reading_goes_on() -> None:
    app = hr.App("app")
    app.table("in", key=hr.STRING, value=hr.STRING, store="rows").to_stream().to("out")
    with hr.testing.TopologyTestDriver(app) as driver:
        topic = driver.input("in")
        topic.pipe("v", key="k")
    refused: dict[str, Callable[[], object]] = {
        "piping into topic 'in'": lambda: topic.pipe("w", key="k"),
        "advancing the clock": lambda: driver.advance_wall_clock("1s"),
        "a batch": lambda: driver.batch().__enter__(),
    }
    for what, do in refused.items():
        with pytest.raises(DriverClosed) as caught:
            do()
        assert str(caught.value) == (
            f"the driver of application 'app' is closed: {what} is not possible any more\n"
            "  to do: do it before close(), or inside the `with`"
        )
    assert driver.output("out").read() == ("k", "v")
    assert driver.store("rows").all() == {"k": "v"}


def test_a_driver_says_what_went_through_it() -> None:
    app = hr.App("app")
    app.stream("in", key=hr.STRING, value=hr.STRING).group_by_key().count(store="n").to_stream().to("out")
    driver = hr.testing.TopologyTestDriver(app)
    driver.input("in").pipe_records([("a", "x"), ("a", "x"), (None, "x")])
    driver.output("out").read()
    driver.output("out")
    shown = "driver of 'app', reads in\n  out: 2 written, 1 unread\n  n: 1 dropped, no key>"
    assert repr(driver) == f"<{shown}"
    driver.close()
    assert repr(driver) == f"<closed {shown}"


def test_no_garbage_is_collected_in_a_batch_and_all_windows_are_there() -> None:
    app = hr.App("app")
    grouped = app.stream("in", key=hr.STRING, value=hr.STRING).group_by_key()
    grouped.windowed_by(hr.hopping("1d", advance="10s", grace="1h")).count(store="n").to_stream().to("out")
    driver = hr.testing.TopologyTestDriver(app)
    collected: list[str] = []
    gc.callbacks.append(lambda phase, _: collected.append(phase))
    try:
        driver.input("in").pipe("x", key="ann", ts=86_400_000)
        driver.input("in").pipe("x", key="ann", ts=86_400_000 + 10_000)
        during = list(collected)
    finally:
        gc.callbacks.pop()
    assert len(during) <= 8, "a collection for each 700 things that a batch makes"
    assert gc.isenabled()
    counts = driver.store("n").all()
    assert (len(counts), sum(counts.values())) == (8_641, 2 * 8_640)
    assert driver.output("out").read_table() == counts
