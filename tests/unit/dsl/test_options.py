"""Options of sources, sinks and branches: what they do in this process, and their errors by their words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import headrace as hr
import headrace.functions as F
from headrace.dsl import Builder, KStream
from headrace.errors import OptionInvalid, RecordFailed, TimestampInvalid, WrongParameters, WrongType
from headrace.expr import Opaque
from headrace.plan.nodes import Peek, Source, Start, Times
from headrace.testing import TopologyTestDriver


def texts(app: Builder, **options: Any) -> KStream[str, str]:
    return app.stream("in", key=hr.STRING, value=hr.STRING, **options)


# -- times


def test_a_negative_time_stops_the_application_unless_told_otherwise() -> None:
    app = Builder("app")
    texts(app).to("out")
    with pytest.raises(TimestampInvalid) as caught:
        TopologyTestDriver(app).input("in").pipe("v", ts=-1)
    assert caught.value.what == "a record has the time -1, which is before 1970"
    assert caught.value.where == "in-0@0"
    assert str(caught.value.fix).startswith('say with timestamp= of its stream or table what to do: "skip", ')


def test_the_first_record_of_a_partition_needs_a_time() -> None:
    app = Builder("app")
    texts(app, timestamp="partition_time").to("out")
    with pytest.raises(TimestampInvalid, match="the time -1, and no record of its partition before it had a time"):
        TopologyTestDriver(app).input("in").pipe("v", ts=-1)


def test_the_time_of_day_is_the_time_of_all_records() -> None:
    app = Builder("app")
    texts(app, timestamp="wall_clock").to("out")
    driver = TopologyTestDriver(app, now_ms=50)
    driver.input("in").pipe("v", ts=7)
    driver.advance_wall_clock("1s")
    driver.input("in").pipe("w", ts=8)
    assert [record.ts for record in driver.output("out").read_records()] == [50, 1_050]


def test_records_without_a_time_are_counted() -> None:
    app = Builder("app")
    texts(app, timestamp=lambda _, value: F.integer(value)).to("out")
    driver = TopologyTestDriver(app)
    for value in ("5", "-1", "-2"):
        driver.input("in").pipe(value)
    assert driver.dropped == {("in", "no time"): 2}


def test_a_function_of_the_time_that_fails_or_gives_none() -> None:
    def maybe(_: str, value: str) -> int | None:
        return int(value) if value else None

    app = Builder("app")
    texts(app, timestamp=maybe).to("out")
    with pytest.raises(
        RecordFailed, match=r"in \(test_options.py:\d+\) failed on a record: 'x' is not an int"
    ) as caught:
        TopologyTestDriver(app).input("in").pipe("x")
    assert caught.value.where == "in-0@0"
    with pytest.raises(RecordFailed, match="None is not a time in whole milliseconds"):
        TopologyTestDriver(app).input("in").pipe("")


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"timestamp": "never"}, OptionInvalid, "timestamp='never' is not possible"),
        ({"timestamp": "never"}, OptionInvalid, 'give "fail", "skip", "partition_time", "wall_clock" or a function'),
        ({"timestamp": lambda _, value: value}, WrongType, "the time is str, int is needed"),
        ({"timestamp": lambda: 1}, WrongParameters, "called with 2 arguments: key, value"),
        ({"start": "yesterday"}, OptionInvalid, "start='yesterday' is not possible"),
        ({"start": "yesterday"}, OptionInvalid, 'give "earliest" or "latest"'),
    ],
)
def test_options_that_are_none(options: dict[str, Any], error: type[Exception], words: str) -> None:
    for declare in (texts, _table):
        with pytest.raises(error) as caught:
            declare(Builder("app"), **options)
        assert words in str(caught.value)
        assert "at: test_options.py:" in str(caught.value)


def _table(app: Builder, **options: Any) -> object:
    return app.table("in", key=hr.STRING, value=hr.STRING, **options)


def test_a_source_that_is_read_again_keeps_what_it_was_told() -> None:
    app = Builder("app")
    texts(app, timestamp="skip", start="latest").to("out")
    texts(app).to("other")
    source = app.plan().of(Source)[0]
    assert (source.timestamp, source.start) == (Times.SKIP, Start.LATEST)
    assert source.detail() == "topic in (STRING, STRING), time skip, from the latest"
    for options, words in (
        ({"timestamp": "fail"}, "timestamp='fail' is not possible"),
        ({"start": "earliest"}, "start='earliest' is not possible"),
    ):
        with pytest.raises(OptionInvalid) as caught:
            texts(app, **options)
        assert words in str(caught.value)
        assert "as at test_options.py:" in str(caught.value)


# -- partitions


def test_a_record_for_no_partition_is_counted_as_dropped() -> None:
    app = Builder("app")
    texts(app).to("out", partitioner=lambda _k, _v, _n: [])
    driver = TopologyTestDriver(app)
    driver.input("in").pipe("v")
    assert driver.output("out").read_all() == []
    assert driver.dropped == {("in.to-out", "no partition"): 1}


@pytest.mark.parametrize(
    ("partitioner", "words"),
    [
        (lambda _k, _v, _n: 1, "1 is none of the partitions of out, 0 to 0"),
        (lambda _k, _v, _n: [0, -1], "-1 is none of the partitions of out, 0 to 0"),
        (lambda _k, v, _n: {v}, "'v' is none of the partitions of out, 0 to 0"),
        (lambda _k, v, _n: 1.5 if v else 2, "1.5 is neither a partition nor a list of them"),
    ],
)
def test_a_partition_that_is_not_there(partitioner: Any, words: str) -> None:
    app = Builder("app")
    texts(app).to("out", partitioner=partitioner)
    with pytest.raises(RecordFailed) as caught:
        TopologyTestDriver(app).input("in").pipe("v")
    assert words in caught.value.what
    assert "in.to-out (test_options.py:" in caught.value.what
    assert caught.value.where == "in-0@0"


def test_a_partition_is_a_number() -> None:
    with pytest.raises(WrongType, match="the partition is str, int or a list of int is needed"):
        texts(Builder("app")).to("out", partitioner=lambda key, _v, _n: key)


# -- functions for what they do


def test_peek_calls_a_function_that_does_something(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[tuple[str, str]] = []
    app = Builder("app")
    stream = texts(app)
    stream.peek(lambda key, value: seen.append((key, value))).to("out")
    stream.peek(lambda key, value: key + " -> " + value)
    stream.peek(lambda key, value: f"{key}: {value}" if len(value) > 1 else None)
    assert seen == []  # not even once, with symbols
    driver = TopologyTestDriver(app)
    driver.input("in").pipe("v", key="k")
    driver.input("in").pipe("long", key="k")
    assert seen == [("k", "v"), ("k", "long")]
    assert sorted(capsys.readouterr().out.splitlines()) == ["k -> long", "k -> v", "k: long"]
    assert [isinstance(peek.shown, Opaque) for peek in app.plan().of(Peek)] == [True, False, True]


def test_foreach_calls_a_function_and_sends_nothing_on() -> None:
    seen: list[object] = []
    app = Builder("app")
    assert texts(app).foreach(lambda key, value: seen.append((key, value)), name="noted") is None  # type: ignore[func-returns-value]
    driver = TopologyTestDriver(app)
    driver.input("in").pipe("v", key="k")
    driver.input("in").pipe(None)
    assert seen == [("k", "v"), (None, None)]


def test_foreach_wants_a_function() -> None:
    with pytest.raises(OptionInvalid, match="action=7 is not possible"):
        texts(Builder("app")).foreach(7)  # type: ignore[arg-type]
    with pytest.raises(WrongParameters, match="the function of foreach takes 1 argument"):
        texts(Builder("app")).foreach(lambda _value: None)  # type: ignore[arg-type,misc]


def test_print_writes_lines_to_the_console(capsys: pytest.CaptureFixture[str]) -> None:
    app = Builder("app")
    texts(app).print()
    texts(app).print("shop", mapper=lambda key, value: key + "=" + value)
    TopologyTestDriver(app).input("in").pipe("v", key="k")
    assert capsys.readouterr().out.splitlines() == ["[in]: k, v", "[shop]: k=v"]


def test_print_writes_lines_to_a_file_that_begins_empty(tmp_path: Path) -> None:
    file = tmp_path / "lines.txt"
    file.write_text("of an earlier run")
    app = Builder("app")
    texts(app).print("in", file=file)
    driver = TopologyTestDriver(app)
    driver.input("in").pipe("v", key="k")
    driver.input("in").pipe(None)
    assert file.read_text() == "[in]: k, v\n[in]: None, None\n"


def test_print_to_a_directory_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OptionInvalid, match="give a file in a directory that is there"):
        texts(Builder("app")).print(file=tmp_path / "none" / "lines.txt")


# -- names


def test_tables_tell_the_names_of_their_stores() -> None:
    app = Builder("app")
    assert texts(app).group_by_key().count(store="n").queryable_store_name == "n"
    assert texts(app).group_by_key().reduce(lambda a, _: a).queryable_store_name == "in.reduce"
    users = app.table("users", key=hr.STRING, value=hr.STRING)
    assert users.queryable_store_name is None
    assert users.filter(hr.value != "", store="some").queryable_store_name == "some"
    everywhere = app.global_table("products", key=hr.STRING, value=hr.STRING, store="products")
    assert everywhere.queryable_store_name == "products"


def test_a_merge_with_nothing() -> None:
    with pytest.raises(OptionInvalid, match=r"others=\(\) is not possible"):
        texts(Builder("app")).merge()


def test_windowed_keys_are_read_again() -> None:
    app = Builder("app")
    texts(app).group_by_key().windowed_by(hr.tumbling("10s")).count(store="n").to_stream().to("counts")
    counts = app.stream("counts", key=hr.time_windowed(hr.STRING, size="10s"), value=hr.INT64)
    counts.select_key(lambda key, _: key.key).to("out")
    driver = TopologyTestDriver(app)
    driver.input("in").pipe("v", key="k", ts=12_000)
    assert driver.output("out").read_all() == [("k", 1)]
    with pytest.raises(OptionInvalid, match="size='0s' is not possible"):
        hr.time_windowed(hr.STRING, size="0s")


def test_keys_of_sessions_are_read_again() -> None:
    serde = hr.session_windowed(hr.STRING)
    assert serde.read(serde.write(hr.Windowed("k", 1, 5))) == hr.Windowed("k", 1, 5)
