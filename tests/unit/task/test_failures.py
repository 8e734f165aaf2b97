"""Records that cannot be handled: the words, the place, and that nothing of their batch is written."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import headrace as hr
from headrace.dsl import Builder, KStream
from headrace.errors import RecordFailed, RecordUndecodable
from headrace.model.clock import SetClock
from headrace.model.record import RawRecord
from headrace.passes.pipeline import rewrite
from headrace.task.loop import Loop

Numbers = KStream[str, int]


def loop_of(topology: Callable[[Numbers], object]) -> Loop:
    app = Builder("app")
    topology(app.stream("in", key=hr.STRING, value=hr.INT64))
    return Loop(rewrite(app.plan()), SetClock())


def number(value: int | None, key: bytes | None = b"k") -> RawRecord:
    return RawRecord(topic="in", key=key, value=hr.INT64.encode(value), ts=1, origin="in-0@7")


@pytest.mark.parametrize(
    ("topology", "value", "words"),
    [
        (
            lambda s: s.map_values(lambda v: 10 // v).to("out"),
            0,
            "in.map_values ... division by zero",
        ),
        (lambda s: s.filter(lambda _, v: v > 1).to("out"), None, "in.filter ... None cannot be used with >"),
        (lambda s: s.filter_not(lambda _, v: v > 1).to("out"), None, "in.filter_not ... None cannot be used with >"),
        (lambda s: s.select_key(hr.value + 1).to("out"), 2**63 - 1, "in.select_key ... does not fit 64 bits"),
        (lambda s: s.map(lambda k, v: (v - 1, k)).to("out"), -(2**63), "in.map ... does not fit 64 bits"),
        (lambda s: s.peek(hr.value * 2).to("out"), None, "in.peek ... None cannot be used with *"),
        (lambda s: s.split().branch(hr.value > 1).default_branch()["0"].to("out"), None, "in.split ... used with >"),
        (lambda s: s.to("out", value=hr.INT32), 2**31, "in.to-out ... 2147483648 does not fit 32 bits"),
        (lambda s: s.to(hr.when(hr.value > 1, "out").otherwise(None)), 1, "in.to ... None is not a topic"),
        (
            lambda s: s.map(hr.when(hr.value > 1, (hr.key, hr.value)).otherwise(None)).to("out"),
            1,
            "in.map ... None is not (key, value)",
        ),
        (
            lambda s: s.flat_map(hr.when(hr.value > 1, [(hr.key, hr.value)]).otherwise(None)).to("out"),
            1,
            "in.flat_map ... None is not a list",
        ),
        (
            lambda s: s.flat_map_values(hr.when(hr.value > 1, [hr.value]).otherwise(None)).to("out"),
            1,
            "in.flat_map_values ... None is not a list",
        ),
        (
            lambda s: s.map(lambda k, v: k if v else v).to("out", key=hr.STRING, value=hr.STRING),
            1,
            "in.map ... 'k' is not (key, value)",
        ),
        (
            lambda s: s.flat_map_values(lambda v: str(v) if v else "").to("out", value=hr.STRING),
            17,
            "in.flat_map_values ... '17' is not a list",
        ),
        (
            lambda s: s.flat_map_values(lambda v: (10 // n for n in [v] if n < 1)).to("out", value=hr.INT64),
            0,
            "in.flat_map_values ... integer division or modulo by zero",
        ),
        (
            lambda s: s.flat_map(lambda k, v: [k] if v else []).to("out", key=hr.STRING, value=hr.STRING),
            1,
            "in.flat_map ... 'k' is not (key, value)",
        ),
    ],
)
def test_a_failing_function_names_node_reason_and_record(
    topology: Callable[[Numbers], object], value: int | None, words: str
) -> None:
    with pytest.raises(RecordFailed) as caught:
        loop_of(topology).run([number(value)])
    node, reason = words.split(" ... ")
    assert re.fullmatch(
        rf"{node} \(test_failures.py:\d+\) failed on a record: .*{re.escape(reason)}", caught.value.what
    )
    assert caught.value.where == "in-0@7"


def test_a_failure_is_chained_to_its_cause() -> None:
    with pytest.raises(RecordFailed) as caught:
        loop_of(lambda s: s.map_values(lambda v: 1 // v).to("out")).run([number(0)])
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (
            RawRecord(topic="in", key=b"\xff", value=None, ts=1, origin="in-0@3"),
            "the key of a record is not STRING: byte 0xff at 0 is not UTF-8",
        ),
        (
            RawRecord(topic="in", key=b"k", value=b"abc", ts=1, origin="in-0@3"),
            "the value of a record is not INT64: 3 bytes, 8 are needed",
        ),
    ],
)
def test_an_undecodable_record_names_part_serde_and_place(raw: RawRecord, words: str) -> None:
    with pytest.raises(RecordUndecodable) as caught:
        loop_of(lambda s: s.to("out")).run([raw])
    assert caught.value.what == words
    assert caught.value.where == "in-0@3"


def test_a_failed_batch_writes_nothing_and_the_next_one_is_whole() -> None:
    loop = loop_of(lambda s: s.repartition().map_values(lambda v: 10 // v).to("out"))
    with pytest.raises(RecordFailed):
        loop.run([number(1), number(0), number(2)])
    assert [raw.value for _, raw in loop.run([number(5)])] == [hr.INT64.encode(2)]


def test_the_place_is_known_behind_a_count() -> None:
    loop = loop_of(
        lambda s: s.group_by(hr.value).count(store="n").to_stream().map_values(lambda n: 1 // (n - n)).to("o")
    )
    with pytest.raises(RecordFailed, match="division by zero") as caught:
        loop.run([number(1)])
    assert caught.value.where == "in-0@7"


def test_drops_are_counted_with_their_reason() -> None:
    def topology(stream: Numbers) -> None:
        stream.group_by_key().count(store="n")
        stream.select_key(lambda k, _: k).group_by_key().count(store="m")

    loop = loop_of(topology)
    loop.run([number(1, key=None), number(None), number(None, key=None), number(1)])
    assert loop.drops.counts() == {
        ("n", "no key"): 2,
        ("n", "no value"): 1,
        ("in.select_key.repartition", "no key"): 2,
        ("m", "no value"): 1,
    }


def test_what_cannot_be_decoded_is_read_as_a_stream_in_its_bytes_and_its_turn() -> None:
    app = Builder("app")
    numbers = app.stream("in", key=hr.STRING, value=hr.INT64)
    numbers.to("out")
    numbers.errors().to("failed")
    loop = Loop(rewrite(app.plan()), SetClock())
    bad = RawRecord(topic="in", key=b"\xff", value=b"12", ts=5, headers=(("h", b"1"),), origin="in-0@8")
    written = loop.run([number(1), bad, number(2)])
    assert [(raw.topic, raw.key) for _, raw in written] == [("out", b"k"), ("failed", b"\xff"), ("out", b"k")]
    node, raw = written[1]
    failure: Any = node.value.decode(raw.value)
    assert (failure.value, failure.node, failure.error, failure.origin) == (b"12", "in", "ValueError", "in-0@8")
    assert failure.message.startswith("the key of a record is not STRING: ")
    assert (raw.ts, raw.headers) == (5, (("h", b"1"),))
    assert loop.drops.counts() == {("in", "failed"): 1}


def test_a_row_that_cannot_be_decoded_leaves_the_table_as_it_is() -> None:
    app = Builder("app")
    table = app.table("in", key=hr.STRING, value=hr.INT64, store="rows")
    table.errors().to("failed")
    loop = Loop(rewrite(app.plan()), SetClock())
    found = loop.run([number(1), RawRecord(topic="in", key=b"k", value=b"12", ts=5)])
    assert [(raw.topic, raw.key) for _, raw in found] == [("failed", b"k"), ("app-rows-changelog", b"k")]
    assert [(key, row.value) for key, row in loop.partitions[0].stores.key_value_store("rows").items()] == [(b"k", 1)]
