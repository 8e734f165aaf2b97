"""W5, shuffle and custom state: records go to the rules that they match, which report every tenth time."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import headrace as hr
from bench.workloads.base import BEGIN_MS, Check, Input, Output, Topics, Void, Workload, number_of, pool, same

RULES, EACH = 1000, 10
HASHES = 1 << 32
MATCHING = HASHES // 10
"""A record has two hashes, its first two words. One matches rule `hash * RULES // HASHES` if the rest of that division
is below this: with both, a fifth as many matches as records."""


def matches(value: bytes) -> list[tuple[int, int]]:
    """The rules that a record matches, each with the hash that it matches by."""
    found = []
    for word in (value[:4], value[4:8]):
        rule, rest = divmod(int.from_bytes(word, "big") * RULES, HASHES)
        if rest < MATCHING:
            found.append((rule, int.from_bytes(word, "big")))
    return found


class Reports(Check):
    """Each rule reports every tenth of its matches, with ten in it; of their sum no more is told than there is."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self._sums: Counter[int] = Counter()
        self._latest = 0

    def put(self, record: Input) -> None:
        self._latest = max(self._latest, record.ts)
        for rule, word in matches(record.value):
            self._counts[rule] += 1
            self._sums[rule] += word
            self.inner += 1

    def verify(self, outputs: Iterable[Output], *, every: bool) -> None:  # noqa: ARG002
        reports: Counter[int] = Counter()
        sums: Counter[int] = Counter()
        for output in outputs:
            rule, told = number_of(output.key), json.loads(output.value)
            same(f"matches in a report of rule {rule}", told["count"], EACH)
            if not all(BEGIN_MS <= told[time] <= self._latest for time in ("first_ms", "last_ms")):
                raise Void(f"a report of rule {rule} is of another time: {told}")
            low, high = rule * HASHES // RULES * EACH, (rule + 1) * HASHES // RULES * EACH
            if not low <= told["total"] <= high:
                raise Void(f"a report of rule {rule} has hashes of others: {told}")
            reports[rule] += 1
            sums[rule] += told["total"]
        for rule in reports | self._counts:
            same(f"reports of rule {rule}", reports[rule], self._counts[rule] // EACH)
            rest = self._counts[rule] % EACH
            if sums[rule] > self._sums[rule] or (rest == 0 and sums[rule] != self._sums[rule]):
                raise Void(f"rule {rule} told a sum of {sums[rule]}, there is {self._sums[rule]}")


@dataclass
class Hit:
    """A match on its way to its rule."""

    word: int
    ts: int


@dataclass
class Told:
    """What a rule has had since its last report."""

    count: int
    total: int
    first_ms: int
    last_ms: int


class W5(Workload):
    """1024 bytes without a key, 1000 rules."""

    name, title = "W5", "shuffle and custom state"

    def records(self, count: int, chance: random.Random) -> Iterator[Input]:
        values = pool(chance, 1016)
        for number in range(count):
            yield Input(None, chance.randbytes(8) + next(values), self.at_ms(number))

    def check(self) -> Check:
        return Reports()

    def declare(self, app: hr.App, topics: Topics) -> None:
        hashes = app.stream(topics.source).flat_map_values(lambda value: [_word(value, 0), _word(value, 4)])
        found = hashes.filter(lambda _, word: word * RULES % HASHES < MATCHING)
        # An aggregation does not see times, so they go along.
        hits = found.map_values(_hit)
        rules = hits.group_by(lambda _, hit: hit.word * RULES // HASHES)
        told: hr.KTable[int, Told] = rules.aggregate(
            lambda: Told(0, 0, 0, 0), lambda _, hit, told: _with(told, hit), store="told", emit="every"
        )
        told.to_stream().filter(lambda _, told: told.count == EACH).to(topics.target, value=hr.json(Told))


def _word(value: bytes, at: int) -> int:
    return ((value[at] * 256 + value[at + 1]) * 256 + value[at + 2]) * 256 + value[at + 3]


def _hit(word: int) -> Any:
    ts: Any = hr.timestamp
    return Hit(word, ts)


def _with(told: Told, hit: Hit) -> Told:
    fresh = Told(1, hit.word, hit.ts, hit.ts)
    more = Told(told.count + 1, told.total + hit.word, told.first_ms, hit.ts)
    return hr.when((told.count == 0) | (told.count == EACH), fresh).otherwise(more)
