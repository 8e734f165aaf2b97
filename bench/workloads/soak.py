"""Soak: keys that come for two seconds and never again, counted in windows and joined."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator

import headrace as hr
from bench.workloads.base import Check, Input, Output, Topics, Void, Workload, number_of, same

_KEYS, _EACH = 1_000, 4
_SIZE_MS, _GRACE_MS, _WITHIN_MS = 5_000, 1_000, 2_000
_OPEN_MS = 15_000
"""Windows that end so long before the last record have come out in every partition."""


class Soaked(Check):
    """Each window of each key comes out once with its count, and each pair of records once."""

    def __init__(self) -> None:
        self._windows: Counter[tuple[int, int]] = Counter()
        self._pairs: dict[int, set[int]] = {}
        self._last = 0

    def put(self, record: Input) -> None:
        assert record.key is not None
        key, number = number_of(record.key), number_of(record.value)
        self._windows[key, record.ts // _SIZE_MS * _SIZE_MS] += 1
        self._pairs.setdefault(key, set()).add(number)
        self._last = max(self._last, record.ts)

    def verify(self, outputs: Iterable[Output], *, every: bool) -> None:  # noqa: ARG002
        windows, pairs = dict(self._windows), self._expected()
        for output in outputs:
            if len(output.key) == 8:
                pair = number_of(output.key), number_of(output.value)
                if pair not in pairs:
                    raise Void(f"the pair {pair} came out, and should not have, or twice")
                pairs.remove(pair)
                continue
            window = number_of(output.key[:8]), number_of(output.key[8:])
            same(f"records of key {window[0]} from {window[1]}", number_of(output.value), windows.pop(window, None))
        closed = [window for window in windows if window[1] + _OPEN_MS < self._last]
        same("windows that did not come out", len(closed), 0)
        same("pairs that did not come out", len(pairs), 0)

    def _expected(self) -> set[tuple[int, int]]:
        return {
            (key, left * _EACH + right)
            for key, numbers in self._pairs.items()
            for left in numbers
            for right in numbers
            if left % 2 == 0 and right % 2 == 1
        }


class Soak(Workload):
    """Every key has four records half a second apart, at 2,000 records a second."""

    name, title = "soak", "churning keys in windows and a join"
    records_a_second = 2_000

    def records(self, count: int, chance: random.Random) -> Iterator[Input]:  # noqa: ARG002
        for number in range(count):
            block, place = divmod(number, _KEYS * _EACH)
            key, value = block * _KEYS + place % _KEYS, place // _KEYS
            yield Input(key.to_bytes(8, "big"), value.to_bytes(4, "big"), self.at_ms(number))

    def check(self) -> Check:
        return Soaked()

    def declare(self, app: hr.App, topics: Topics) -> None:
        events = app.stream(topics.source, key=hr.INT64, value=hr.INT32)
        windows = hr.tumbling(f"{_SIZE_MS}ms", grace=f"{_GRACE_MS}ms")
        counts = events.group_by_key().windowed_by(windows).emit_strategy(hr.on_window_close()).count(store="counts")
        counts.to_stream().to(topics.target)
        lefts = events.filter(lambda _, number: number % 2 == 0, name="lefts")
        rights = events.filter(lambda _, number: number % 2 == 1, name="rights")
        within = hr.join_windows(f"{_WITHIN_MS}ms", grace=f"{_GRACE_MS}ms")
        lefts.join(rights, lambda left, right: left * 4 + right, within, store="pairs").to(topics.target, key=hr.INT64)
