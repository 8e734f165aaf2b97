"""Records at the edges: no key, an empty key, no value, extreme times and numbers, whatever a topic may hold."""

from __future__ import annotations

from typing import Any

import pytest

import headrace as hr
import headrace.functions as F
from headrace.dsl import Builder, KStream
from headrace.errors import RecordFailed, RecordUndecodable
from headrace.model.windows import Windows
from headrace.testing import TopologyTestDriver


def texts(app: Builder, topic: str = "in") -> KStream[str, str]:
    return app.stream(topic, key=hr.STRING, value=hr.STRING)


def test_an_empty_key_is_a_key_and_none_is_not() -> None:
    app = Builder("app")
    texts(app).group_by_key().count(store="n")
    driver = TopologyTestDriver(app)
    driver.input("in").pipe("v", key="")
    driver.input("in").pipe("", key="")
    driver.input("in").pipe("v", key=None)
    assert driver.store("n").all() == {"": 2}
    assert driver.dropped == {("n", "no key"): 1}


def test_no_value_in_every_place() -> None:
    app = Builder("app")
    stream = texts(app)
    stream.to("stream")
    stream.to_table(store="table")
    stream.group_by_key().reduce(lambda _, new: new, store="reduced")
    rows = app.table("rows", key=hr.STRING, value=hr.STRING, store="rows")
    stream.left_join(rows, lambda left, right: left + F.text(right)).to("joined")
    driver = TopologyTestDriver(app)
    driver.input("rows").pipe("r", key="k")
    driver.input("in").pipe("v", key="k")
    driver.input("rows").pipe(None, key="k")
    driver.input("in").pipe(None, key="k")
    assert driver.output("stream").read_all() == [("k", "v"), ("k", None)]
    assert driver.store("table").all() == {}
    assert driver.store("reduced").all() == {"k": "v"}
    assert driver.output("joined").read_all() == [("k", "vr")]
    assert driver.dropped == {("reduced", "no value"): 1, ("in.left_join", "no value"): 1}


@pytest.mark.parametrize("ts", [0, 1, 253_402_300_799_999, 2**63 - 1])
@pytest.mark.parametrize(
    "windows",
    [hr.tumbling("10s"), hr.hopping("10s", advance="3s"), hr.sliding("10s"), hr.session("10s")],
    ids=str,
)
def test_extreme_times(windows: Windows, ts: int) -> None:
    app = Builder("app")
    texts(app).group_by_key().windowed_by(windows).count(store="n").to_stream().to("out")
    driver = TopologyTestDriver(app)
    driver.input("in").pipe("v", key="k", ts=ts)
    counts = driver.output("out").read_all()
    assert counts
    assert all(key.start <= ts <= key.end and n == 1 for key, n in counts)


def test_one_record_of_the_future_makes_the_others_late_and_they_are_counted() -> None:
    app = Builder("app")
    texts(app).group_by_key().windowed_by(hr.tumbling("10s")).count(store="n")
    driver = TopologyTestDriver(app)
    for ts in (1_000, 4_102_444_800_000, 2_000):
        driver.input("in").pipe("v", key="k", ts=ts)
    assert driver.dropped == {("n", "late"): 1}


def total(app: Builder) -> None:
    numbers = app.stream("in", key=hr.STRING, value=hr.INT64)
    numbers.group_by_key().reduce(lambda sum_, number: sum_ + number, store="total")


def total_in_python(app: Builder) -> None:
    def added(_: str, number: int, sum_: int) -> int:
        return sum_ if number is None else sum_ + number

    app.stream("in", key=hr.STRING, value=hr.INT64).group_by_key().aggregate(0, added, store="total")


@pytest.mark.parametrize("topology", [total, total_in_python])
def test_a_sum_past_64_bits(topology: Any) -> None:
    app = Builder("app")
    topology(app)
    driver = TopologyTestDriver(app)
    driver.input("in").pipe(2**63 - 1, key="k")
    with pytest.raises(
        RecordFailed, match=r"total \(test_bad_records.py:\d+\) failed on a record: .* 64 bits"
    ) as caught:
        driver.input("in").pipe(1, key="k")
    assert caught.value.where == "in-0@1"
    assert driver.store("total").get("k") == 2**63 - 1


def test_zero_and_minus_zero_are_two_keys_as_their_bytes_are() -> None:
    app = Builder("app")
    app.stream("in", key=hr.DOUBLE, value=hr.STRING).group_by_key().count(store="n").to_stream().to("out")
    driver = TopologyTestDriver(app)
    driver.input("in").pipe("v", key=0.0)
    driver.input("in").pipe("v", key=-0.0)
    assert [n for _, n in driver.output("out").read_all()] == [1, 1]


def test_a_large_key_and_many_headers() -> None:
    app = Builder("app")
    texts(app).group_by_key().count(store="n").to_stream().to("out")
    driver = TopologyTestDriver(app)
    headers = [("h", None), ("h", b"")] * 10_000
    driver.input("in").pipe("v", key="k" * 1_000_000, headers=headers)
    assert driver.output("out").read_records()[0].headers == tuple(headers)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"[" * 100_000, "it is nested too deeply"),
        (b"NaN", "NaN is not JSON"),
        (b"-Infinity", "-Infinity is not JSON"),
        (b"[1e400]", "1e400 is too large a number"),
        (b"\xff", "byte 0xff at 0 is not UTF-8"),
        (b'"\\ud800"', "is half a letter"),
        (b"", "not JSON at 0"),
        (b"{} x", "not JSON at 3"),
    ],
)
def test_json_that_is_none(data: bytes, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        hr.json().decode(data)
    assert words in str(caught.value)


def test_undecodable_bytes_name_their_place() -> None:
    app = Builder("app")
    app.stream("raw").to("in")
    app.stream("in", value=hr.json()).to("out")
    driver = TopologyTestDriver(app)
    with pytest.raises(RecordUndecodable, match="not JSON at 0") as caught:
        driver.input("raw").pipe(b"nope")
    assert caught.value.where == "in-0@0"
