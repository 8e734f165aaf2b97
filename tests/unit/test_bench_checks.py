"""The checks of the benchmarks take what a right system writes, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence

import pytest
from bench.workloads import WORKLOADS
from bench.workloads.base import BEGIN_MS, SEED, Input, Output, Topics, Void
from bench.workloads.w5 import EACH, HASHES, RULES

import headrace as hr

COUNT = 400
NAMES = ("W1a", "W1b", "W2", "W2-1M", "W3", "W4", "W5", "stages-1", "stages-3", "soak", "P1", "P2", "P3")
TOPICS = Topics("in", "table", "out")


def inputs(name: str) -> list[Input]:
    """Few records of the workload; of W5 many more would be needed until a rule reports, so they match few rules."""
    if name == "soak":
        return list(WORKLOADS[name].records(40 * COUNT, random.Random(SEED)))
    if name != "W5":
        return list(WORKLOADS[name].records(COUNT, random.Random(SEED)))
    words = [number % 3 * HASHES // RULES + number + 1 for number in range(COUNT)]
    return [Input(None, word.to_bytes(4, "big") * 2, BEGIN_MS + number) for number, word in enumerate(words)]


def written(name: str, records: Iterable[Input], *, every: bool) -> list[Output]:
    """What headrace's test driver writes: each record in a batch of its own, or all in one."""
    app = hr.App("bench", emit="every" if every else "settled")
    WORKLOADS[name].declare(app, TOPICS)
    driver = hr.testing.TopologyTestDriver(app)
    rows = [(TOPICS.table, row) for row in WORKLOADS[name].table()]
    with driver.batch():
        for topic, record in [*rows, *((TOPICS.source, record) for record in records)]:
            driver.input(topic, key=hr.BYTES, value=hr.BYTES).pipe(record.value, key=record.key, ts=record.ts)
    found = driver.output(TOPICS.target, key=hr.BYTES, value=hr.BYTES).read_records()
    return [Output(0, record.key, record.value, number) for number, record in enumerate(found)]


def verify(name: str, records: Iterable[Input], outputs: Iterable[Output], *, every: bool) -> None:
    check = WORKLOADS[name].check()
    for record in records:
        check.put(record)
    check.verify(outputs, every=every)


@pytest.mark.parametrize("every", [True, False], ids=["every", "settled"])
@pytest.mark.parametrize("name", [name for name in NAMES if name != "stages-3"])
def test_what_headrace_writes_is_right(name: str, every: bool) -> None:
    records = inputs(name)
    outputs = written(name, records, every=every)
    assert outputs
    verify(name, records, outputs, every=every)


def test_counts_of_counts_are_right() -> None:
    verify("stages-3", inputs("stages-3"), written("stages-3", inputs("stages-3"), every=True), every=True)


def dropped(outputs: Sequence[Output]) -> list[Output]:
    return [*outputs[:-1]]


def doubled(outputs: Sequence[Output]) -> list[Output]:
    return [*outputs, outputs[-1]]


def of_another(outputs: Sequence[Output]) -> list[Output]:
    """The last output has the key of one with another key."""
    other = next(output for output in outputs if output.key != outputs[-1].key)
    return [*outputs[:-1], outputs[-1]._replace(key=other.key)]


def with_another(outputs: Sequence[Output]) -> list[Output]:
    """The last output has a value that is not its own."""
    wrong = outputs[-1].value[:-1] + bytes([outputs[-1].value[-1] ^ 1])
    return [*outputs[:-1], outputs[-1]._replace(value=wrong)]


@pytest.mark.parametrize("every", [True, False], ids=["every", "settled"])
@pytest.mark.parametrize("spoil", [dropped, doubled, of_another], ids=lambda spoil: spoil.__name__)
@pytest.mark.parametrize("name", NAMES[:7])
def test_a_spoilt_output_is_void(name: str, spoil: Callable[[Sequence[Output]], list[Output]], every: bool) -> None:
    records = inputs(name)
    spoilt = spoil(written(name, records, every=every))
    with pytest.raises(Void):
        verify(name, records, spoilt, every=every)


@pytest.mark.parametrize("name", ["W1a", "W2", "W3", "W4"])
def test_a_wrong_value_is_void(name: str) -> None:
    records = inputs(name)
    with pytest.raises(Void):
        verify(name, records, with_another(written(name, records, every=True)), every=True)


@pytest.mark.parametrize("name", ["W1a", "W1b", "W2", "W4"])
def test_swapped_outputs_are_void(name: str) -> None:
    records = inputs(name)
    outputs = written(name, records, every=True)
    again = [output.key for at, output in enumerate(outputs) if output.key in {one.key for one in outputs[:at]}]
    first, second = [at for at, output in enumerate(outputs) if not again or output.key == again[0]][:2]
    outputs[first], outputs[second] = outputs[second], outputs[first]
    with pytest.raises(Void):
        verify(name, records, outputs, every=True)


def test_a_change_that_is_left_out_is_void_only_where_all_are_wanted() -> None:
    records = [Input(bytes(4), b"", BEGIN_MS)] * 3
    outputs = [Output(0, bytes(4), count.to_bytes(8, "big"), 0) for count in (1, 3)]
    verify("W2", records, outputs, every=False)
    with pytest.raises(Void, match="key 0 is counted 3 behind 1"):
        verify("W2", records, outputs, every=True)


def test_a_record_that_was_to_be_left_out_is_void() -> None:
    records = inputs("W1b")
    outputs = written("W1b", records, every=True)
    kept = {output.key for output in outputs}
    key = next(record.key for record in records if record.key not in kept)
    assert key is not None
    with pytest.raises(Void, match="came out, and should not have"):
        verify("W1b", records, [*outputs, outputs[-1]._replace(key=key)], every=True)


def test_an_output_tells_of_the_records_that_no_output_before_it_told_of() -> None:
    check = WORKLOADS["W2"].check()
    check.traced = True
    for key in (5, 6, 5, 5):
        check.put(Input(key.to_bytes(4, "big"), b"", BEGIN_MS))
    outputs = [
        Output(0, key.to_bytes(4, "big"), count.to_bytes(8, "big"), 0) for key, count in ((5, 1), (6, 1), (5, 3))
    ]
    assert [list(check.caused(output)) for output in outputs] == [[0], [1], [2, 3]]
    assert list(WORKLOADS["W1a"].check().caused(Output(0, (7).to_bytes(8, "big"), b"", 0))) == [7]


@pytest.mark.parametrize("name", NAMES)
def test_a_workload_has_the_same_records_every_time(name: str) -> None:
    made = [list(WORKLOADS[name].records(50, random.Random(SEED))) for _ in range(2)]
    assert made[0] == made[1]


def test_keys_in_turn_all_come_before_one_comes_again() -> None:
    workload = WORKLOADS["turns-1M"]
    keys = [record.key for record in workload.records(1_000, random.Random(SEED))]
    assert len(set(keys)) == 1_000


def test_rules_match_a_fifth_as_often_as_there_are_records() -> None:
    check = WORKLOADS["W5"].check()
    for record in WORKLOADS["W5"].records(5_000, random.Random(SEED)):
        check.put(record)
    assert 900 < check.inner < 1_100
    assert EACH == 10
