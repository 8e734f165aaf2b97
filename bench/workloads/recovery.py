"""Recovery: each key has its count and its last value, a gigabyte in all."""

from __future__ import annotations

from dataclasses import dataclass

import headrace as hr
from bench.workloads.base import Topics
from bench.workloads.w2 import W2

KEYS, VALUE = 3_400_000, 300


@dataclass
class Held:
    """What is known of a key."""

    count: int
    last: bytes


class Recovery(W2):
    """A count that keeps the last value too, and writes the count alone."""

    def __init__(self) -> None:
        super().__init__("recovery", KEYS, value=VALUE, in_turn=True)
        self.title = "count and last value by key"

    def declare(self, app: hr.App, topics: Topics) -> None:
        records = app.stream(topics.source, key=hr.INT32, value=hr.BYTES).group_by_key()
        held: hr.KTable[int, Held] = records.aggregate(
            lambda: Held(0, b""), lambda _, value, held: Held(held.count + 1, value), store="held"
        )
        held.to_stream().map_values(lambda held: held.count).to(topics.target, value=hr.INT64)
