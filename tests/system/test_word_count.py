"""Word count on a real broker and real Spark: the same table as Python's Counter, through batches and restarts."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import headrace as hr
from headrace.log.records import ConsumedRecord, NewRecord, consume, produce
from waiting import until_read

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


def word_count(app_id: str, broker: str, checkpoint: Path, source: str, target: str, **options: Any) -> hr.App:
    app = hr.App(app_id, broker=broker, checkpoint=checkpoint, **options)
    (
        app.stream(source, value=hr.STRING)
        .flat_map_values(lambda line: line.lower().split())
        .group_by(lambda _, word: word)
        .count(store="counts")
        .to_stream()
        .to(target, key=hr.STRING, value=hr.INT64)
    )
    return app


def text(megabytes: float, seed: int) -> list[str]:
    """Lines of words, some frequent, most of them rare, not all of them ASCII."""
    chance = random.Random(seed)
    stems = ["Fluß", "MILL", "weir", "река", "stone"]
    words = [f"{chance.choice(stems)}{int(chance.paretovariate(0.6))}" for _ in range(5000)]
    lines, size = [], 0
    while size < megabytes * 1_000_000:
        line = " \t".join(chance.choices(words, k=chance.randint(0, 20)))
        lines.append(line)
        size += len(line.encode()) + 1
    return lines


def counter(lines: Sequence[str]) -> Counter[str]:
    return Counter(word for line in lines for word in line.lower().split())


def send(broker: str, topic: str, lines: Sequence[str]) -> None:
    produce(broker, None, topic, (NewRecord(value=line.encode()) for line in lines))


def table(records: Sequence[ConsumedRecord]) -> dict[str | None, int | None]:
    return {hr.STRING.decode(record.key): hr.INT64.decode(record.value) for record in records}


def test_same_table_as_counter_over_batches_and_restarts(
    broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    source, target = topic("lines"), topic("counts")
    lines = text(1.0, seed=3)
    half = len(lines) // 2
    send(broker, source, lines[:half])
    word_count("wc-restart", broker, tmp_path, source, target).run(until="latest")
    assert table(list(consume(broker, None, target))) == counter(lines[:half])

    with word_count("wc-restart", broker, tmp_path, source, target) as app:
        for start in range(half, len(lines), 2000):
            send(broker, source, lines[start : start + 2000])
        until_read(app, len(lines) - half)
        assert app.metrics().batches > 1
    records = list(consume(broker, None, target))
    assert table(records) == counter(lines)
    assert_counts_only_grow(records)


def test_nothing_new_nothing_written(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic("lines"), topic("counts")
    send(broker, source, ["to be or not to be"])
    for _ in range(2):
        word_count("wc-again", broker, tmp_path, source, target).run(until="latest")
    assert len(list(consume(broker, None, target))) == 4


def test_two_applications_on_one_broker(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, first, second = topic("lines"), topic("first"), topic("second")
    lines = text(0.1, seed=5)
    with (
        word_count("wc-first", broker, tmp_path / "first", source, first) as one,
        word_count("wc-second", broker, tmp_path / "second", source, second) as other,
    ):
        send(broker, source, lines)
        until_read(one, len(lines))
        until_read(other, len(lines))
    for target in (first, second):
        assert table(list(consume(broker, None, target))) == counter(lines)


def test_order_of_a_partition_is_kept(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic("numbers", partitions=3), topic("doubled", partitions=3)
    sent = [(f"k{number % 17}", number) for number in range(20_000)]
    produce(broker, None, source, (NewRecord(key=k.encode(), value=hr.INT64.encode(n)) for k, n in sent))
    app = hr.App("order", broker=broker, checkpoint=tmp_path)
    stream = app.stream(source, key=hr.STRING, value=hr.INT64)
    stream.filter(lambda _, n: n % 3 != 0).map_values(lambda n: n * 2).to(target)
    app.run(until="latest")
    got = [
        [hr.INT64.decode(record.value) for record in consume(broker, None, target, partition=partition)]
        for partition in range(3)
    ]
    want = [
        [2 * hr_int(record) for record in consume(broker, None, source, partition=partition) if hr_int(record) % 3]
        for partition in range(3)
    ]
    assert got == want


def test_every_change_is_sent_in_order(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic("lines"), topic("counts")
    send(broker, source, ["a b a", "b a", "a"])
    word_count("wc-every", broker, tmp_path, source, target, emit="every").run(until="latest")
    by_word: dict[str, list[int]] = {}
    for record in consume(broker, None, target):
        by_word.setdefault(str(hr.STRING.decode(record.key)), []).append(hr_int(record))
    assert by_word == {"a": [1, 2, 3, 4], "b": [1, 2]}


def test_closing_under_load_writes_nothing_twice(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic("numbers"), topic("copied")

    def copy() -> hr.App:
        app = hr.App("copy", broker=broker, checkpoint=tmp_path)
        app.stream(source).to(target)
        return app

    numbers = iter(range(1_000_000))
    with Feeder(lambda: produce(broker, None, source, (number(n) for n in islice(numbers, 2_000)))) as feeder:
        for _ in range(2):
            with copy() as app:
                until_read(app, 1)
    copy().run(until="latest")
    copied = Counter(record.value for record in consume(broker, None, target))
    assert len(copied) == 2_000 * feeder.rounds
    assert set(copied.values()) == {1}


def number(n: int) -> NewRecord:
    return NewRecord(key=b"k%d" % n, value=b"%d" % n)


class Feeder:
    """Calls a function again and again beside the test."""

    def __init__(self, feed: Callable[[], object]) -> None:
        self.rounds = 0
        self._feed, self._enough = feed, threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        while not self._enough.is_set():
            self._feed()
            self.rounds += 1

    def __enter__(self) -> Feeder:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._enough.set()
        self._thread.join()


def hr_int(record: ConsumedRecord) -> int:
    number = hr.INT64.decode(record.value)
    assert number is not None
    return number


def assert_counts_only_grow(records: Sequence[ConsumedRecord]) -> None:
    last: dict[str | None, int] = {}
    for record in records:
        word, count = hr.STRING.decode(record.key), hr_int(record)
        assert count > last.get(word, 0), word
        last[word] = count
