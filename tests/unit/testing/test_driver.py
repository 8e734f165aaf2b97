"""The test driver, as users use it."""

from __future__ import annotations

import doctest

import pytest

import headrace as hr
from headrace.errors import NotInTopology
from headrace.model.record import Record
from headrace.testing import driver as driver_module


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


def test_what_was_read_is_not_read_again(word_count: hr.testing.TopologyTestDriver) -> None:
    word_count.input("lines").pipe("a")
    output = word_count.output("counts")
    assert output.read_all() == [("a", 1)]
    assert output.read_all() == []
    word_count.input("lines").pipe("a")
    assert output.read_all() == [("a", 2)]


def test_records_have_times_headers_and_the_place_they_come_from() -> None:
    app = hr.App("app")
    app.stream("in", key=hr.STRING, value=hr.STRING).map_values(lambda v: v + "!").to("out")
    driver = hr.testing.TopologyTestDriver(app)
    driver.input("in").pipe("x")
    driver.input("in").pipe("v", key="k", ts=5, headers=[("h", b"1")])
    assert driver.output("out").read_records() == [
        Record(key=None, value="x!", ts=0, origin="in-0@0"),
        Record(key="k", value="v!", ts=5, headers=(("h", b"1"),), origin="in-0@1"),
    ]


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


def test_a_tombstone_removes_a_row_and_a_record_without_a_key_is_none() -> None:
    app = hr.App("app")
    app.stream("in", key=hr.STRING, value=hr.STRING).to("out")
    driver = hr.testing.TopologyTestDriver(app)
    for key, value in [("a", "1"), ("b", "2"), ("a", None)]:
        driver.input("in").pipe(value, key=key)
    assert driver.output("out").read_table() == {"b": "2"}
    driver.input("in").pipe("3")
    with pytest.raises(ValueError, match="a record without a key is no row of a table, its value is '3'"):
        driver.output("out").read_table()


def test_peek_prints(capsys: pytest.CaptureFixture[str]) -> None:
    app = hr.App("app")
    app.stream("in", key=hr.STRING, value=hr.INT64).peek(hr.text(hr.key) + " is " + hr.text(hr.value))
    driver = hr.testing.TopologyTestDriver(app)
    driver.input("in").pipe(3, key="k")
    driver.input("in").pipe()
    assert capsys.readouterr().out == "k is 3\nNone is None\n"


def test_a_value_of_another_type_is_refused_by_its_serde(word_count: hr.testing.TopologyTestDriver) -> None:
    with pytest.raises(ValueError, match="3 is a int, str is needed"):
        word_count.input("lines").pipe(3)


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


def test_the_example_of_the_docstring_runs() -> None:
    found = doctest.testmod(driver_module)
    assert (found.failed, found.attempted > 0) == (0, True)
