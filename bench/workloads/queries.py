"""Queries: a store of counts that is asked while records come."""

from __future__ import annotations

import random
from collections.abc import Iterator

from bench.workloads.base import Input, pool
from bench.workloads.w2 import W2

ENTRIES, HOT, VALUE = 2_000_000, 1_000, 100
"""So many keys there are at the most, and so many of them, the first, have all records that come later."""


class Queries(W2):
    """A count that has every key once, and then some of them again and again."""

    def __init__(self) -> None:
        super().__init__("queries", ENTRIES, value=VALUE)
        self.title = "counts that are asked"

    def records(self, count: int, chance: random.Random) -> Iterator[Input]:
        values = pool(chance, VALUE)
        for number in range(count):
            # A prime that divides no count used here: each key comes once.
            yield Input((number * 7_919 % count).to_bytes(4, "big"), next(values), self.at_ms(number))


def mixed(entries: int, chance: random.Random) -> Iterator[int]:
    """Keys to ask for, without end: in turn one of those that change, and one of all."""
    while True:
        yield int(chance.random() * HOT)
        yield int(chance.random() * entries)
