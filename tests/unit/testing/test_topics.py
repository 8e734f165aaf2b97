"""Piping records in, and reading what came out."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

import headrace as hr
from headrace.errors import CannotPipe, NoRow, NothingToRead, OptionInvalid, OutputUnreadable
from headrace.model.record import Record
from headrace.testing import TopologyTestDriver

HERE = r"test_topics\.py:\d+"


@pytest.fixture
def driver() -> TopologyTestDriver:
    app = hr.App("app")
    app.stream("in", key=hr.STRING, value=hr.STRING).map_values(lambda v: v).to("out")
    return TopologyTestDriver(app)


def times(driver: TopologyTestDriver) -> list[int]:
    return [record.ts for record in driver.output("out").read_records()]


# -- time


def test_without_a_time_records_are_from_1970(driver: TopologyTestDriver) -> None:
    driver.input("in").pipe("a")
    driver.input("in").pipe("b")
    assert times(driver) == [0, 0]


def test_the_time_of_a_topic_moves_on_with_each_record(driver: TopologyTestDriver) -> None:
    topic = driver.input("in", start=100, advance="2s")
    topic.pipe("a")
    topic.pipe("b", ts=7)  # a time of its own leaves the topic's alone
    topic.advance_time("5s")
    topic.pipe("c")
    driver.input("in").pipe("d")  # the same topic
    assert times(driver) == [100, 7, 7_100, 9_100]


def test_moments_are_datetimes_too(driver: TopologyTestDriver) -> None:
    noon = datetime(2026, 1, 31, 12, tzinfo=UTC)
    driver.input("in", start=noon, advance=timedelta(seconds=1)).pipe_values(["a", "b"])
    driver.input("in").pipe("c", ts=noon)
    first = int(noon.timestamp()) * 1000
    assert times(driver) == [first, first + 1000, first]


def test_values_and_records_begin_where_they_are_told(driver: TopologyTestDriver) -> None:
    driver.input("in").pipe_values(["a", "b"], start=10, advance="1ms")
    driver.input("in").pipe_records([("k", "c"), ("k", "d", 3), Record(key="k", value="e", ts=4), ("k", "f")], start=50)
    found = driver.output("out").read_records()
    assert [(record.key, record.value, record.ts) for record in found] == [
        (None, "a", 10),
        (None, "b", 11),
        ("k", "c", 50),
        ("k", "d", 3),
        ("k", "e", 4),
        ("k", "f", 51),
    ]


@pytest.mark.parametrize("ts", [-2, True, 1.5, "1s", datetime(2026, 1, 31)])
def test_what_is_no_time(driver: TopologyTestDriver, ts: object) -> None:
    with pytest.raises(OptionInvalid) as caught:
        driver.input("in").pipe("a", ts=ts)  # type: ignore[arg-type]
    assert re.fullmatch(
        rf"{re.escape(f'ts={ts!r} is not possible')}\n  at: {HERE}\n"
        "  to do: give milliseconds since 1970 as an int, or a datetime with its time zone, not before 1970",
        str(caught.value),
    )
    with pytest.raises(OptionInvalid, match="start="):
        driver.input("in", start=ts)  # type: ignore[arg-type]


def test_what_is_no_span(driver: TopologyTestDriver) -> None:
    with pytest.raises(OptionInvalid, match="advance='soon' is not possible"):
        driver.input("in", advance="soon")
    with pytest.raises(OptionInvalid, match="by=5 is not possible"):
        driver.input("in").advance_time(5)  # type: ignore[arg-type]


# -- records


def test_records_have_times_headers_and_the_place_they_come_from(driver: TopologyTestDriver) -> None:
    driver.input("in").pipe("x")
    driver.input("in").pipe("v", key="k", ts=5, headers=[("h", b"1")])
    found = driver.output("out").read_records()
    assert found == [Record(value="x", ts=0), Record(key="k", value="v", ts=5, headers=(("h", b"1"),))]
    assert [record.origin for record in found] == ["in-0@0", "in-0@1"]


def test_headers_of_records_are_piped(driver: TopologyTestDriver) -> None:
    driver.input("in").pipe_records([Record(value="x", ts=0, headers=(("h", None),))])
    assert driver.output("out").read_records()[0].headers == (("h", None),)


@pytest.mark.parametrize("headers", [{"h": b"1"}, [("h", "1")], ["h"]])
def test_what_is_no_header(driver: TopologyTestDriver, headers: object) -> None:
    with pytest.raises(OptionInvalid) as caught:
        driver.input("in").pipe("x", headers=headers)  # type: ignore[arg-type]
    assert str(caught.value).startswith(f"headers={headers!r} is not possible\n  at: test_topics.py:")
    assert str(caught.value).endswith('to do: give pairs of a name and its bytes or None: [("trace", b"7")]')


@pytest.mark.parametrize("row", ["ab", ("k",), ("k", "v", 1, 2), 3])
def test_what_is_no_record(driver: TopologyTestDriver, row: object) -> None:
    with pytest.raises(OptionInvalid) as caught:
        driver.input("in").pipe_records([row])  # type: ignore[list-item]
    assert re.fullmatch(
        rf"{re.escape(f'record={row!r} is not possible')}\n  at: {HERE}\n"
        r"  to do: give \(key, value\), \(key, value, ts\) or a Record",
        str(caught.value),
    )


@pytest.mark.parametrize(("part", "record"), [("value", ("k", 3)), ("key", (3, "v"))])
def test_a_part_that_does_not_fit_its_serde(driver: TopologyTestDriver, part: str, record: tuple[object, str]) -> None:
    with pytest.raises(CannotPipe) as caught:
        driver.input("in").pipe_records([record])
    assert re.fullmatch(
        rf"the {part} cannot be piped into topic 'in': 3 is a int, str is needed\n  at: {HERE}\n"
        rf"  to do: give what STRING can write, or write it in another way: driver\.input\('in', {part}=\.\.\.\)",
        str(caught.value),
    )


def test_a_record_that_was_refused_takes_no_time(driver: TopologyTestDriver) -> None:
    topic = driver.input("in", start=5, advance="1ms")
    with pytest.raises(CannotPipe):
        topic.pipe(3)
    topic.pipe("a")
    assert times(driver) == [5]


def test_bytes_that_the_application_cannot_read(driver: TopologyTestDriver) -> None:
    with pytest.raises(hr.HeadraceError, match="byte 0xff at 0 is not UTF-8"):
        driver.input("in", value=hr.BYTES).pipe(b"\xff")
    driver.input("in").pipe("fine")
    assert driver.output("out").read() == (None, "fine")


# -- reading


def test_records_are_read_one_by_one_or_all_at_once(driver: TopologyTestDriver) -> None:
    driver.input("in").pipe_values(["a", "b", "c", "d"])
    output = driver.output("out")
    assert (len(output), output.is_empty) == (4, False)
    assert output.read() == (None, "a")
    assert output.read_values() == ["b", "c", "d"]
    assert (len(output), output.is_empty) == (0, True)
    assert output.read_all() == []


def test_what_was_read_is_not_read_again(driver: TopologyTestDriver) -> None:
    output = driver.output("out")
    driver.input("in").pipe("a")
    assert output.read_all() == [*driver.output("out").read_all(), (None, "a")]
    driver.input("in").pipe("b")
    assert output.read_all() == [(None, "b")]


def test_there_is_nothing_to_read(driver: TopologyTestDriver) -> None:
    with pytest.raises(NothingToRead) as caught:
        driver.output("out").read()
    assert str(caught.value) == (
        "topic 'out' has no record to read: nothing was written to it\n  to do: ask for output.is_empty first"
    )
    driver.input("in").pipe_values(["a", "b"])
    driver.output("out").read_all()
    with pytest.raises(NothingToRead, match="has no record to read: all 2 of its records were read before"):
        driver.output("out").read()


def test_a_tombstone_removes_a_row_and_a_record_without_a_key_is_none(driver: TopologyTestDriver) -> None:
    driver.input("in").pipe_records([("a", "1"), ("b", "2"), ("a", None)])
    assert driver.output("out").read_table() == {"b": "2"}
    driver.input("in").pipe("3")
    with pytest.raises(NoRow) as caught:
        driver.output("out").read_table()
    assert str(caught.value) == (
        "a record without a key is no row of a table, its value is '3'\n"
        "  at: topic 'out'\n  to do: read_all() reads records of any kind"
    )


def test_reading_with_other_serdes(driver: TopologyTestDriver) -> None:
    driver.input("in").pipe_records([("k", "12345678"), ("k", "1")])
    output = driver.output("out", key=hr.BYTES, value=hr.INT64)
    assert output.read() == (b"k", int.from_bytes(b"12345678", "big"))
    with pytest.raises(OutputUnreadable) as caught:
        output.read()
    assert str(caught.value) == (
        "the value of a record of topic 'out' cannot be read as INT64: 1 byte, 8 are needed\n"
        "  to do: read it as STRING, with which the application wrote it"
    )


def test_topics_say_what_they_are(driver: TopologyTestDriver) -> None:
    topic = driver.input("in", start=5, advance="1s")
    assert repr(topic) == "<input 'in' (STRING, STRING) at 5 ms, 1s a record>"
    topic.pipe("a")
    topic.pipe("b")
    driver.output("out").read()
    assert repr(driver.output("out")) == "<output 'out', 2 written, 1 unread>"
    assert repr(driver.input("in", value=hr.BYTES)) == "<input 'in' (STRING, BYTES) at 0 ms>"
