"""Python processes beside Spark: what user code may do to them, and what comes of it."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import headrace as hr
from headrace.errors import NotShippable, NotTraceable, PythonNeeded, RecordFailed, RecordUndecodable, WorkerLost
from headrace.log.records import ConsumedRecord, NewRecord, consume, produce
from waiting import until

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

Make = Callable[..., hr.App]


@pytest.fixture
def app(broker: str, tmp_path: Path) -> Make:
    """An application, always on the same checkpoint."""

    def make(**options: Any) -> hr.App:
        return hr.App("workers", broker=broker, checkpoint=tmp_path / "checkpoint", **options)

    return make


@pytest.fixture
def words(broker: str, topic: Callable[..., str]) -> str:
    """A topic with words."""
    name = topic("words", partitions=1)
    put(broker, name, "a", "b", "bad", "c")
    return name


@pytest.fixture
def out(topic: Callable[..., str]) -> str:
    """A topic to write to."""
    return topic("out", partitions=1)


def put(broker: str, topic: str, *values: str) -> None:
    records = [NewRecord(key=one.encode(), value=one.encode(), timestamp_ms=ts) for ts, one in enumerate(values, 1)]
    produce(broker, None, topic, records)


def values(broker: str, topic: str) -> list[str]:
    return [(record.value or b"").decode() for record in read(broker, topic)]


def read(broker: str, topic: str) -> list[ConsumedRecord]:
    return list(consume(broker, None, topic, from_beginning=True, follow=False))


def once(path: Path) -> bool:
    """Whether nobody asked for this file before: processes that take one another's place remember nothing."""
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def test_a_function_that_cannot_be_traced_runs_in_python(broker: str, app: Make, words: str, out: str) -> None:
    running = app()

    def shout(word: str) -> str:
        return {"bad": "good"}.get(word, word).upper()

    running.stream(words, value=hr.STRING).map_values(shout).to(out)
    explained = running.explain()
    assert "python" in explained
    assert "test_workers.py" in explained
    running.run(until="latest")
    assert sorted(values(broker, out)) == ["A", "B", "C", "GOOD"]


def test_where_only_spark_is_wanted_it_is_refused(app: Make, words: str, out: str) -> None:
    running = app(strict_native=True)
    running.stream(words, value=hr.STRING).map_values(lambda word: "".join(reversed(word))).to(out, value=hr.STRING)
    with pytest.raises(NotTraceable, match="can only run in Python"):
        running.explain()
    running = app(strict_native=True)
    running.stream(words, value=hr.STRING).foreach(lambda _, value: Path(value).touch())
    with pytest.raises((NotTraceable, PythonNeeded), match="can only run in Python"):
        running.run(until="latest")


def test_an_exception_comes_with_the_lines_it_came_from(app: Make, words: str, out: str) -> None:
    def fragile(word: str) -> str:
        return f"{1 // (len([*word]) - 3)}"  # fails on bad

    def outer(word: str) -> str:
        if word:
            return fragile(word)
        return ""

    running = app()
    running.stream(words, value=hr.STRING).map_values(outer, name="risky").to(out)
    with pytest.raises(RecordFailed) as caught:
        running.run(until="latest")
    assert "risky" in str(caught.value)
    assert f"{words}-0@2" in str(caught.value)
    assert 'return f"{1 // (len([*word]) - 3)}"' in "\n".join(caught.value.__notes__)


def test_a_record_that_fails_goes_to_where_failures_are_read(
    broker: str, app: Make, words: str, out: str, topic: Any
) -> None:
    failed = topic("failed")

    def fragile(word: str) -> str:
        if word == "bad":
            raise KeyError(word)
        return word

    running = app()
    mapped = running.stream(words, value=hr.STRING).map_values(fragile)
    mapped.to(out)
    mapped.errors().map_values(lambda failure: failure.error).to(failed)
    running.run(until="latest")
    assert values(broker, out) == ["a", "b", "c"]
    assert values(broker, failed) == ["KeyError"]


def test_a_killed_worker_is_replaced_and_nothing_is_lost(
    broker: str, app: Make, words: str, out: str, tmp_path: Path
) -> None:
    mark = tmp_path / "killed"

    def deadly(aggregate: int, word: str) -> int:
        if word == "bad" and once(mark):
            os.kill(os.getpid(), signal.SIGKILL)
        return aggregate + 1

    running = app(emit="every")
    counts = running.stream(words, value=hr.STRING).group_by(lambda *_: "all")
    counts.aggregate(lambda: 0, lambda _, word, aggregate: deadly(aggregate, word), store="n").to_stream().to(
        out, value=hr.INT64
    )
    running.run(until="latest")
    assert [int.from_bytes(record.value or b"", "big") for record in read(broker, out)][-1] == 4
    assert mark.exists()


@pytest.mark.parametrize("on_error", ["fail", "skip"])
def test_a_record_that_was_alone_when_a_worker_was_lost_comes_through(
    broker: str, app: Make, topic: Any, out: str, tmp_path: Path, on_error: str
) -> None:
    """Once may have been for a reason outside, as when the machine is short of memory."""
    words, mark = topic("words", partitions=1), tmp_path / "killed"
    put(broker, words, "unlucky")

    def killed(word: str) -> str:
        if once(mark):
            os.kill(os.getpid(), signal.SIGKILL)
        return word

    running = app(on_error=on_error)
    running.stream(words, value=hr.STRING).map_values(killed).to(out)
    running.run(until="latest")
    assert values(broker, out) == ["unlucky"]
    assert mark.exists()


def test_several_records_of_a_batch_that_no_worker_survives_are_all_found(
    broker: str, app: Make, topic: Any, out: str, tmp_path: Path
) -> None:
    """A task has four tries: the query is begun again, and goes on with what is known."""
    words, deaths = topic("words", partitions=1), tmp_path / "deaths"
    put(broker, words, "a", "bad", "b", "worse", "c", "worst", "d")

    def deadly(word: str) -> str:
        if len(word) > 1:
            with deaths.open("a") as file:
                file.write(f"{word}\n")
            os._exit(3)
        return word

    running = app(on_error="skip")
    running.stream(words, value=hr.STRING).map_values(deadly).to(out)
    running.run(until="latest")
    assert values(broker, out) == ["a", "b", "c", "d"]
    assert deaths.read_text().split() == ["bad", *["bad"] * 2, *["worse"] * 2, *["worst"] * 2]


def test_a_record_that_no_worker_survives_goes_to_where_failures_are_read(
    broker: str, app: Make, words: str, out: str, topic: Any
) -> None:
    failed = topic("failed")

    def deadly(word: str) -> str:
        if word == "bad":
            os.kill(os.getpid(), signal.SIGKILL)
        return word

    running = app()
    mapped = running.stream(words, value=hr.STRING).map_values(deadly)
    mapped.to(out)
    mapped.errors().map_values(lambda failure: failure.message).to(failed)
    running.run(until="latest")
    assert sorted(set(values(broker, out))) == ["a", "b", "c"]
    assert ["signal 9 ended it" in message for message in values(broker, failed)] == [True]


def test_a_record_that_no_worker_survives_stops_the_application_otherwise(app: Make, words: str, out: str) -> None:
    def deadly(word: str) -> str:
        if word == "bad":
            os._exit(3)
        return word

    running = app()
    running.stream(words, value=hr.STRING).map_values(deadly).to(out)
    with pytest.raises(RecordFailed, match="did not survive it: it ended with 3") as caught:
        running.run(until="latest")
    assert f"{words}-0@2" in str(caught.value)


def test_one_that_sleeps_forever_is_ended_and_its_line_is_told(app: Make, words: str, out: str) -> None:
    def sleepy(word: str) -> str:
        if word == "bad":
            time.sleep(1_000)
        return word

    running = app(worker_timeout="10s")
    running.stream(words, value=hr.STRING).map_values(sleepy).to(out)
    with pytest.raises(RecordFailed, match="it took longer than 10s") as caught:
        running.run(until="latest")
    assert f"{words}-0@2" in str(caught.value)


def test_one_that_takes_all_memory_fails_on_its_record(app: Make, words: str, out: str) -> None:
    def greedy(word: str) -> str:  # it looks its word up, so nobody reads it: it takes memory where it runs
        return "x" * {"bad": 1 << 32}.get(word, 1)

    running = app(worker_memory_mb=512)
    running.stream(words, value=hr.STRING).map_values(greedy, name="greedy").to(out)
    with pytest.raises(RecordFailed, match="greedy"):
        running.run(until="latest")


def test_what_is_printed_does_not_disturb(broker: str, app: Make, words: str, out: str) -> None:

    def loud(word: str) -> str:
        print(word)
        os.write(1, word.encode())
        return word

    running = app()
    running.stream(words, value=hr.STRING).map_values(loud).to(out)
    running.run(until="latest")
    assert sorted(values(broker, out)) == ["a", "b", "bad", "c"]


def test_a_result_of_another_type_than_annotated_fails_on_its_record(app: Make, words: str, out: str) -> None:
    def wrong(word: str) -> int:
        return word if word == "bad" else len(word)  # type: ignore[return-value]

    running = app()
    running.stream(words, value=hr.STRING).map_values(wrong, name="wrong").to(out, value=hr.INT64)
    with pytest.raises(RecordFailed, match="wrong"):
        running.run(until="latest")


def test_bytes_that_do_not_fit_are_told_as_anywhere(broker: str, app: Make, topic: Any) -> None:
    numbers = topic("numbers", partitions=1)
    produce(broker, None, numbers, [NewRecord(key=b"k", value=b"four", timestamp_ms=1)])
    running = app()
    running.stream(numbers, value=hr.INT64).foreach(lambda *_: os.getpid())
    with pytest.raises(RecordUndecodable, match="4 bytes, 8 are needed"):
        running.run(until="latest")


def test_what_cannot_be_sent_is_refused_at_the_start(app: Make, words: str) -> None:
    lock = threading.Lock()
    running = app()
    running.stream(words, value=hr.STRING).foreach(lambda *_: lock.locked(), name="writer")
    with pytest.raises(NotShippable, match="writer cannot be sent to a Python process"):
        running.run(until="latest")


class Totals(hr.Processor[str, str]):
    """Counts in a store, and tells the total by the clock."""

    COUNTS = hr.stores.key_value("totals", key=hr.STRING, value=hr.INT64)
    stores = (COUNTS,)

    def init(self, context: hr.ProcessorContext) -> None:
        super().init(context)
        context.schedule("1s", self.tell, by="wall")

    def process(self, _: hr.Record) -> None:
        counts = self.context.store(self.COUNTS)
        counts.put("all", (counts.get("all") or 0) + 1)

    def tell(self, now: int) -> None:
        total = self.context.store(self.COUNTS).get("all")
        if total:
            self.context.forward(hr.Record(key="all", value=str(total), ts=now))


def test_a_processor_goes_on_with_its_store_and_ticks_on_a_quiet_stream(
    broker: str, app: Make, words: str, out: str
) -> None:
    for expected in (4, 5):
        running = app()
        running.stream(words, value=hr.STRING).process(Totals).to(out, key=hr.STRING, value=hr.STRING)
        with running:
            until(lambda told=str(expected): told in values(broker, out), f"a total of {expected}")  # type: ignore[misc]
        assert values(broker, out)[-1] == str(expected)
        put(broker, words, "d")


def test_chance_and_clock_are_the_same_when_a_batch_is_run_again(
    app: Make, words: str, out: str, tmp_path: Path
) -> None:
    mark = tmp_path / "again"

    def drawn(record: hr.Record, context: hr.ProcessorContext) -> Any:
        drawn = f"{random.random()} {context.now_ms}"
        with (tmp_path / "drawn").open("a") as file:
            file.write(f"{record.value} {drawn}\n")
        if record.value == "c" and once(mark):
            os.kill(os.getpid(), signal.SIGKILL)
        yield record.with_value(drawn)

    running = app()
    running.stream(words, key=hr.STRING, value=hr.STRING).process(drawn, key=hr.STRING, value=hr.STRING).to(out)
    running.run(until="latest")
    lines = (tmp_path / "drawn").read_text().splitlines()
    assert len(lines) > len(set(lines)) == 4


def test_times_and_partitions_by_functions_in_python(broker: str, app: Make, topic: Any) -> None:
    events, out = topic("events", partitions=1), topic("spread", partitions=3)
    put(broker, events, "5", "1", "7")

    def when(_: str, value: str) -> int:
        return int("".join([*value])) * 1000

    def where(_topic: str, _key: str, value: str, partitions: int) -> int:
        assert partitions == 3
        return int(value) % 3 if value else 0

    running = app()
    stream = running.stream(events, key=hr.STRING, value=hr.STRING, timestamp=when)
    stream.to(out, partitioner=where)
    running.run(until="latest")
    found = {(record.partition, (record.value or b"").decode(), record.timestamp_ms) for record in read(broker, out)}
    assert found == {(2, "5", 5_000), (1, "1", 1_000), (1, "7", 7_000)}


def test_a_worker_that_cannot_even_begin_is_told(app: Make, words: str) -> None:
    class Broken(hr.Processor[str, str]):
        def init(self, _: hr.ProcessorContext) -> None:
            os._exit(7)

        def process(self, _: hr.Record) -> None:
            raise AssertionError

    running = app(retry_for="0s")
    running.stream(words, value=hr.STRING).process(Broken)
    with pytest.raises(WorkerLost, match="it ended with 7"):
        running.run(until="latest")
