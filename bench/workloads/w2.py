"""W2, keyed count: how many records each key has had."""

from __future__ import annotations

import random
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import headrace as hr
from bench.workloads.base import Check, Frames, Input, Output, Topics, Void, Workload, number_of, pool

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class Counts(Check):
    """The counts of a key grow, and the last one is the number of its records; of every change none is missing."""

    def __init__(self, keys: int) -> None:
        self._counts = array("q", bytes(8 * keys))
        self._numbers: dict[int, array[int]] = defaultdict(lambda: array("q"))
        self._told = array("q", bytes(8 * keys))
        self.records = 0

    @property
    def keys(self) -> int:
        """How many there may be."""
        return len(self._counts)

    def count(self, key: int) -> int:
        """How many records of a key were put in."""
        return self._counts[key]

    def put(self, record: Input) -> None:
        assert record.key is not None
        key = number_of(record.key)
        self._counts[key] += 1
        if self.traced:
            self._numbers[key].append(self.records)
        self.records += 1

    def verify(self, outputs: Iterable[Output], *, every: bool) -> None:
        found = array("q", bytes(8 * len(self._counts)))
        for output in outputs:
            key, count = number_of(output.key), number_of(output.value)
            if not 0 <= key < len(found):
                raise Void(f"key {key} was never put in")
            if count <= found[key] or (every and count != found[key] + 1):
                raise Void(f"key {key} is counted {count} behind {found[key]}")
            found[key] = count
        for key, (count, expected) in enumerate(zip(found, self._counts, strict=True)):
            if count != expected:
                raise Void(f"key {key} is counted {count} times instead of {expected}")

    def caused(self, output: Output) -> Sequence[int]:
        key, count = number_of(output.key), number_of(output.value)
        told, self._told[key] = self._told[key], count
        return self._numbers[key][told:count]


class Chain(Workload):
    """Counts of counts: each record goes through so many stages, with a shuffle between them."""

    def __init__(self, stages: int) -> None:
        self.name, self.title = f"stages-{stages}", f"{stages} stages"
        self._stages = stages

    def records(self, count: int, chance: random.Random) -> Iterator[Input]:  # noqa: ARG002
        for number in range(count):
            yield Input(bytes(8), b"", self.at_ms(number))

    def check(self) -> Counts:
        return Counts(1)

    def declare(self, app: hr.App, topics: Topics) -> None:
        counts = app.stream(topics.source, key=hr.INT64).group_by_key().count(store="stage-1").to_stream()
        for number in range(2, self._stages + 1):
            counts = counts.group_by(lambda key, _: key * 1).count(store=f"stage-{number}").to_stream()
        counts.to(topics.target)


class W2(Workload):
    """A count of records by their keys; uniform, or each key in its turn."""

    def __init__(self, name: str, keys: int, *, value: int = 1024, in_turn: bool = False) -> None:
        self.name, self.title = name, f"keyed count, {_short(keys)} keys"
        self._keys, self._value, self._in_turn = keys, value, in_turn

    def records(self, count: int, chance: random.Random) -> Iterator[Input]:
        values, keys = pool(chance, self._value), self._keys
        for number in range(count):
            # A prime that divides no number of keys used here: each comes once before one comes again.
            key = number * 7_919 % keys if self._in_turn else int(chance.random() * keys)
            yield Input(key.to_bytes(4, "big"), next(values), self.at_ms(number))

    def check(self) -> Counts:
        return Counts(self._keys)

    def declare(self, app: hr.App, topics: Topics) -> None:
        app.stream(topics.source, key=hr.INT32).group_by_key().count(store="counts").to_stream().to(topics.target)

    def frame(self, frames: Frames) -> tuple[DataFrame, str]:
        return frames.records.groupBy("key").count().selectExpr("key", f"{long_bytes('`count`')} AS value"), "update"


def long_bytes(number: str) -> str:
    """Kafka's bytes of a long: Spark has no function for them but hexadecimal digits."""
    return f"unhex(lpad(hex({number}), 16, '0'))"


def _short(keys: int) -> str:
    return f"{keys // 1_000_000} M" if keys >= 1_000_000 else f"{keys // 1000} k"
