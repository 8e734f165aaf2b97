"""The driver with several partitions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import headrace as hr
import headrace.functions as F
from headrace.errors import OptionInvalid
from headrace.log.partitioner import partition_of
from headrace.testing import TopologyTestDriver

WORDS = [("a", "x", 1_000), ("b", "x", 20_000), ("c", "y", 30_000), ("a", "y", 2_000), ("d", "x", 3_000)]
"""a and b are in one of four partitions, c and d in two others."""


def words(partitions: int, **options: str) -> TopologyTestDriver:
    app = hr.App("words", **options)  # type: ignore[arg-type]
    stream = app.stream("in", key=hr.STRING, value=hr.STRING)
    stream.group_by(lambda _, word: word).count(store="n").to_stream().to("counts")
    stream.group_by_key().windowed_by(hr.tumbling("10s", grace="0s")).count(store="w").to_stream().to("windows")
    return TopologyTestDriver(app, partitions=partitions)


def test_each_task_has_a_stream_time_and_stores_of_its_own() -> None:
    assert [partition_of(key, 4) for key in (b"a", b"b", b"c", b"d")] == [0, 0, 2, 1]
    one, four = words(1), words(4)
    for driver in (one, four):
        driver.input("in").pipe_records(WORDS)
        assert driver.store("n").all() == {"x": 3, "y": 2}
        assert (driver.store("n").get("x"), driver.store("n").range("y")) == (3, {"y": 2})
    assert (one.dropped, four.dropped) == ({("w", "late"): 2}, {("w", "late"): 1})
    assert one.output("windows").read_table().keys() == {
        hr.Windowed("a", 0, 10_000),
        hr.Windowed("b", 20_000, 30_000),
        hr.Windowed("c", 30_000, 40_000),
    }
    assert list(four.store("w").all()) == [
        hr.Windowed("d", 0, 10_000),
        hr.Windowed("b", 20_000, 30_000),
        hr.Windowed("c", 30_000, 40_000),
    ]
    assert four.store("w").get(hr.Windowed("d", 0, 10_000)) == 1
    parts = [four.store("n", partition=number).all() for number in range(4)]
    assert parts == [{"y": 2}, {}, {"x": 3}, {}]


def test_a_batch_settles_in_all_partitions_when_it_is_over() -> None:
    for emit, wanted in (
        ("settled", [("x", 3), ("y", 2)]),
        ("every", [("x", n) for n in (1, 2, 3)] + [("y", 1), ("y", 2)]),
    ):
        driver = words(4, emit=emit)
        with driver.batch():
            driver.input("in").pipe_records(WORDS)
        assert sorted(driver.output("counts").read_all()) == wanted


def test_state_of_all_partitions_survives_a_restart() -> None:
    driver = words(4)
    driver.input("in").pipe_records(WORDS)
    driver.restart()
    driver.input("in").pipe("x", key="a", ts=1_000)
    assert driver.store("n").all() == {"x": 4, "y": 2}
    assert driver.dropped == {("w", "late"): 2}


def test_records_go_where_they_are_told_or_take_turns() -> None:
    app = hr.App("parts")
    stream = app.stream("in", key=hr.STRING, value=hr.STRING)
    stream.to("chosen", partitioner=lambda _topic, _key, value, partitions: F.integer(value) % partitions)
    again = app.stream("chosen", key=hr.STRING, value=hr.STRING)
    again.process(placed).to("out", key=hr.STRING, value=hr.STRING)
    driver = TopologyTestDriver(app, partitions=3)
    for value in ("5", "4", "3"):
        driver.input("in").pipe(value)
    driver.input("in").pipe("1", key="a", partition=2)
    assert driver.output("out").read_values() == ["2 chosen-2@0", "1 chosen-1@0", "0 chosen-0@0", "1 chosen-1@1"]
    with pytest.raises(OptionInvalid, match=r"partition=3 is not possible(.|\n)*one of the 3 there are"):
        driver.input("in").pipe("1", partition=3)


def placed(record: hr.Record, context: hr.ProcessorContext) -> Iterator[hr.Record]:
    """In which task a record is, and where it comes from."""
    yield record.with_value(f"{context.task_id.partition('_')[2]} {record.origin}")


def test_global_tables_are_in_every_partition() -> None:
    app = hr.App("names")
    names = app.global_table("names", key=hr.STRING, value=hr.STRING, store="names")
    stream = app.stream("in", key=hr.STRING, value=hr.STRING)
    stream.join(names, lambda value, name: value + name, on=lambda _, value: value).to("out")
    driver = TopologyTestDriver(app, partitions=4)
    driver.input("names").pipe("Ann", key="x")
    for key in "abcd":
        driver.input("in").pipe("x", key=key)
    assert driver.output("out").read_table() == dict.fromkeys("abcd", "xAnn")
    assert driver.store("names").all() == {"x": "Ann"}


def test_what_is_no_number_of_partitions() -> None:
    with pytest.raises(OptionInvalid, match=r"partitions=0 is not possible(.|\n)*1 or more"):
        words(0)
    with pytest.raises(OptionInvalid, match="partition=4 is not possible"):
        words(4).store("n", partition=4)
