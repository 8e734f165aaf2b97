"""The smoke test of Kafka Streams: many operators at once, stopped and killed while records come.

Its check passes what is right, and finds one record that was dropped, doubled, swapped or changed. `make test` stops
and kills the application once each, `make chaos` more often: HEADRACE_CHAOS is four times as often.
"""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import count
from pathlib import Path

import pytest

import headrace as hr
from headrace.testing import TopologyTestDriver
from system import smoke
from system.chaos import CHAOS, Fed, Program, Smoke, kafka_streams, long, send
from system.ledger import Wrong
from system.smoke import FLUSH, TOPICS, WINDOWED, Row

KEYS, VALUES, PARTITIONS = 3, 20, 2
Topics = dict[str, list[Row]]


def home(key: str) -> int:
    """The partition of a key, as far as this test goes."""
    return int(key.partition("-")[0]) % PARTITIONS


@cache
def good_run(batch: int) -> tuple[list[Row], Topics]:
    """What the application reads and writes in pure Python, so many records at a time."""
    names: dict[str, object] = {"__name__": "smoke"}
    exec(smoke.PROGRAM.format(source="data", broker="nowhere:1", checkpoint="nowhere"), names)
    app = names["app"]
    assert isinstance(app, hr.App)
    read, written = [], Topics()
    with TopologyTestDriver(app) as driver:
        sent = list(smoke.records(KEYS, VALUES, PARTITIONS, random.Random(7)))
        for begin in range(0, len(sent), batch):
            with driver.batch():
                for one in sent[begin : begin + batch]:
                    key, value = hr.STRING.read(one.key or b""), hr.INT32.read(one.value or b"")
                    partition = home(key) if one.partition is None else one.partition
                    read.append(Row(partition, key, value, one.timestamp_ms or 0))
                    # The driver has one partition: what closes its windows is to come once.
                    if key != FLUSH or partition == 0:
                        driver.input("data").pipe(value, key=key, ts=one.timestamp_ms)
        for name in TOPICS:
            written[name] = []
            for out in driver.output(f"data-{name}").read_records():
                window = out.key if name in WINDOWED else hr.Windowed(out.key, 0, 0)
                row = Row(home(window.key), window.key, out.value, out.ts, window.start)
                written[name].append(row)
    return read, written


def checked(read: list[Row], written: Topics) -> None:
    smoke.check(KEYS, VALUES, read, written.__getitem__)


def found(topic: str, rows: list[Row], batch: int = 1) -> bool:
    """Whether a good run is a bad one with these rows of a topic in place of its own."""
    read, written = good_run(batch)
    try:
        checked(read, {**written, topic: rows})
    except Wrong:
        return True
    return False


@pytest.mark.parametrize("batch", [1, 13, 1_000])
def test_a_good_run_passes_settled_or_not(batch: int) -> None:
    checked(*good_run(batch))


def test_keys_are_what_they_say() -> None:
    pairs = list(smoke.pairs(3, 50, random.Random(1)))
    for low in range(3):
        values = [value for key, value in pairs if key == f"{low}-{low + 49}"]
        assert sorted(values) == list(range(low, low + 50))
        assert values != sorted(values)
    assert len(pairs) == 150


def same(topic: str, one: Row, other: Row) -> bool:
    """Whether the order of two rows tells something."""
    in_order = topic in ("echo", "min-suppressed", "sws-suppressed")
    return one.partition == other.partition if in_order else (one.key, one.start_ms) == (other.key, other.start_ms)


@pytest.mark.parametrize("topic", TOPICS)
def test_a_record_that_was_dropped_is_found(topic: str) -> None:
    rows = good_run(1)[1][topic]
    for number, row in enumerate(rows):
        key = row.key, row.start_ms
        before = [one for one in rows[:number] if (one.key, one.start_ms) == key]
        is_last = key not in {(one.key, one.start_ms) for one in rows[number + 1 :]}
        # Steps in between may be left out; so may a last one that only repeats what was told.
        told = (before[-1].value if before else 0) == row.value if topic == "tagg" else before[-1:] == [row]
        assert found(topic, rows[:number] + rows[number + 1 :]) is (topic == "echo" or (is_last and not told)), row


@pytest.mark.parametrize("topic", TOPICS)
def test_a_record_that_was_doubled_is_found(topic: str) -> None:
    rows = good_run(1)[1][topic]
    for number, row in enumerate(rows):
        # A join may have a result for each change of either side, and a count of counts come to the same again.
        assert found(topic, rows[: number + 1] + rows[number:]) or topic in ("dif", "avg", "tagg"), row


@pytest.mark.parametrize("topic", [topic for topic in TOPICS if topic != "tagg"])
def test_records_that_were_swapped_are_found(topic: str) -> None:
    rows = good_run(1)[1][topic]
    swaps = 0
    for number, one in enumerate(rows):
        after = next((place for place in range(number + 1, len(rows)) if same(topic, one, rows[place])), None)
        # Both sides of a join change at one time, and whichever comes first.
        if after is None or (topic in ("dif", "avg") and one.at_ms == rows[after].at_ms):
            continue
        swapped = list(rows)
        swapped[number], swapped[after] = rows[after], one
        assert found(topic, swapped), (one, rows[after])
        swaps += 1
    assert swaps


@pytest.mark.parametrize("topic", TOPICS)
def test_a_record_that_was_changed_is_found(topic: str) -> None:
    rows = good_run(7)[1][topic]
    last = {row.key: number for number, row in enumerate(rows)}
    for number, row in enumerate(rows):
        changed = [replace(row, key=FLUSH)]
        if topic not in ("dif", "avg", "tagg") or last[row.key] == number:
            changed.append(replace(row, value=row.value + 1))
        if topic != "tagg":
            changed += [replace(row, at_ms=row.at_ms + 1), replace(row, partition=(row.partition + 1) % PARTITIONS)]
        for other in changed:
            assert found(topic, [*rows[:number], other, *rows[number + 1 :]], 7), (row, other)


def test_what_is_missing_as_a_whole_is_found() -> None:
    for topic in TOPICS:
        assert found(topic, [])
        rows = good_run(1)[1][topic]
        assert found(topic, [row for row in rows if row.key not in (f"1-{VALUES}", str(VALUES))])


def test_records_of_the_input_that_are_missing_or_twice_are_found() -> None:
    read, written = good_run(1)
    for number in range(0, len(read) - PARTITIONS, 7):
        for other in (read[:number] + read[number + 1 :], read[: number + 1] + read[number:]):
            with pytest.raises(Wrong, match="the input"):
                checked(other, written)


def crash(program: Program) -> None:
    """Kill the process itself; what it has started has to notice."""
    send(program.process.pid, signal.SIGKILL)
    program.process.wait()


def bother(
    smoke: Smoke,
    start: Callable[[], Program],
    chance: random.Random,
    faults: int,
    each_s: float,
) -> None:
    """Stop the application and kill it in turn while records come, then hold what it wrote against what it read.

    The records last for `each_s` for each fault, longer than it takes; those that are left are sent when all is over.
    """
    programs = []
    try:
        with smoke.load(chance, faults * each_s) as sent:
            for number in range(faults):
                programs.append(start())
                smoke.await_progress(programs[-1])
                time.sleep(chance.uniform(0.0, 3.0))
                assert not sent.is_set(), "all records were sent before the last fault"
                if number % 2:
                    crash(programs[-1])
                else:
                    programs[-1].stop()
        programs.append(start())
        smoke.finish(programs[-1], f"{(faults + 1) // 2} times stopped, {faults // 2} times killed")
    finally:
        for program in programs:
            program.kill()


@pytest.mark.spark
def test_it_is_stopped_and_killed(
    broker: str, topic: Callable[..., str], tmp_path: Path, chance: random.Random
) -> None:
    smoke = Smoke(broker, topic, tmp_path, keys=10, values=100, partitions=2)
    bother(smoke, smoke.running, chance, faults=2, each_s=300)


@long
@pytest.mark.spark
def test_it_is_stopped_and_killed_more_often(
    broker: str, topic: Callable[..., str], tmp_path: Path, chance: random.Random
) -> None:
    smoke = Smoke(broker, topic, tmp_path, keys=20, values=1000, partitions=5)
    bother(smoke, smoke.running, chance, faults=CHAOS // 4, each_s=90)


@long
@pytest.mark.spark
def test_kafka_streams_is_stopped_and_killed(
    broker: str, topic: Callable[..., str], tmp_path: Path, chance: random.Random
) -> None:
    """The check is a fair one: Kafka Streams passes it."""
    smoke = Smoke(broker, topic, tmp_path, keys=20, values=1000, partitions=5)
    command = kafka_streams("smoke", broker, tmp_path, source=smoke.source, target=smoke.source)
    runs = count()

    def start() -> Program:
        return Fed(command, tmp_path / f"streams-{next(runs)}.txt").once_it_says("polling")

    bother(smoke, start, chance, faults=CHAOS // 4, each_s=90)
