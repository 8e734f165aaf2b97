"""W3, event time: bids of each auction in hopping windows, one final result each."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import headrace as hr
from bench.workloads.base import PARTITIONS, Check, Frames, Input, Output, Topics, Void, Workload, number_of, same
from bench.workloads.w1 import bid
from bench.workloads.w2 import long_bytes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

SIZE_MS, ADVANCE_MS, GRACE_MS, DELAY_MS = 10_000, 2_000, 4_000, 3_000
_IN_FLIGHT, _HOT = 100, 100


class Windows(Check):
    """Each window of each auction comes out once, with the number of its bids. Those of the last records, which push
    time on and have negative keys, stay open."""

    def __init__(self) -> None:
        self._slices: Counter[tuple[int, int]] = Counter()

    def put(self, record: Input) -> None:
        assert record.key is not None
        auction = number_of(record.key)
        if auction >= 0:
            self._slices[auction, record.ts // ADVANCE_MS] += 1

    def verify(self, outputs: Iterable[Output], *, every: bool) -> None:  # noqa: ARG002
        left = self._expected()
        for output in outputs:
            auction, start = number_of(output.key[:8]), number_of(output.key[8:])
            expected = left.pop((auction, start), None)
            if expected is None:
                raise Void(f"the window of auction {auction} from {start} came out, and should not have, or twice")
            same(f"bids of auction {auction} from {start}", number_of(output.value), expected)
        same("windows that did not come out", len(left), 0)

    def _expected(self) -> dict[tuple[int, int], int]:
        windows: Counter[tuple[int, int]] = Counter()
        for (auction, part), count in self._slices.items():
            for back in range(SIZE_MS // ADVANCE_MS):
                windows[auction, (part - back) * ADVANCE_MS] += count
        return windows


class W3(Workload):
    """Bids by auction, half of them on a hot one, a tenth up to 3 s late."""

    name, title = "W3", "hopping windows, final only"

    def records(self, count: int, chance: random.Random) -> Iterator[Input]:
        for number in range(count):
            newest = number // 46 * 3 + 2
            hot = chance.random() < 0.5
            auction = newest // _HOT * _HOT if hot else max(0, newest - int(chance.random() * _IN_FLIGHT))
            delay = int(chance.random() * DELAY_MS) if chance.random() < 0.1 else 0
            yield Input(auction.to_bytes(8, "big"), bid(auction, number, chance, "x" * 30), self.at_ms(number) - delay)
        end = self.at_ms(count) + 60_000
        for partition in range(PARTITIONS):
            yield Input((-1 - partition).to_bytes(8, "big", signed=True), b"", end, partition)

    def check(self) -> Check:
        return Windows()

    def declare(self, app: hr.App, topics: Topics) -> None:
        windows = hr.hopping(f"{SIZE_MS}ms", advance=f"{ADVANCE_MS}ms", grace=f"{GRACE_MS}ms")
        bids = app.stream(topics.source, key=hr.INT64).group_by_key().windowed_by(windows)
        bids.emit_strategy(hr.on_window_close()).count(store="bids").to_stream().to(topics.target)

    def frame(self, frames: Frames) -> tuple[DataFrame, str]:
        from pyspark.sql import functions as F

        timed = frames.records.select("key", "timestamp").withWatermark("timestamp", f"{GRACE_MS} milliseconds")
        window = F.window("timestamp", f"{SIZE_MS} milliseconds", f"{ADVANCE_MS} milliseconds")
        counts = timed.groupBy("key", window).count()
        start = long_bytes("unix_millis(window.start)")
        return counts.selectExpr(f"concat(key, {start}) AS key", f"{long_bytes('`count`')} AS value"), "append"
