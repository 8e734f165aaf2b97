"""P1 to P3, the user's own Python: an aggregator, a map and a processor that cannot be traced."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import headrace as hr
from bench.workloads.base import Frames, Topics
from bench.workloads.w1 import W1a
from bench.workloads.w2 import W2, long_bytes

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_KEYS = 10_000
_COUNTS = hr.stores.key_value("counts", key=hr.INT64, value=hr.INT64)


def add(_key: int, value: bytes, aggregate: int) -> int:
    """A count that nobody can look into."""
    if isinstance(value, bytes):
        return aggregate + 1
    return aggregate


def encoded(value: bytes) -> bytes:
    """What a library makes of a value."""
    return base64.b64encode(value)


class Counting(hr.Processor[int, int]):
    """One get and one put for each record."""

    stores = (_COUNTS,)

    def init(self, context: hr.ProcessorContext) -> None:
        super().init(context)
        self._counts = context.store(_COUNTS)

    def process(self, record: hr.Record) -> None:
        count = (self._counts.get(record.key) or 0) + 1
        self._counts.put(record.key, count)
        self.context.forward(record.with_value(count))


class P1(W2):
    """The keyed count with an aggregator of the user's own."""

    def __init__(self) -> None:
        super().__init__("P1", _KEYS, value=100)
        self.title = "keyed count, own aggregator"

    def declare(self, app: hr.App, topics: Topics) -> None:
        records = app.stream(topics.source, key=hr.INT32, value=hr.BYTES).group_by_key()
        records.aggregate(0, add, store="counts").to_stream().to(topics.target, value=hr.INT64)

    def frame(self, frames: Frames) -> tuple[DataFrame, str]:
        from bench.programs.own_state import counted

        counts = counted(frames.records)
        return counts.selectExpr("key", f"{long_bytes('`count`')} AS value"), "update"


class P2(W1a):
    """The base64 of 100 bytes with a function of a library.

    Of 1200 bytes, as in W1a, the broker and the copying of bytes take most of the time, whoever does the work.
    """

    name, title = "P2", "stateless, own function"
    size = 100

    def declare(self, app: hr.App, topics: Topics) -> None:
        app.stream(topics.source, value=hr.BYTES).map_values(encoded).to(topics.target, value=hr.BYTES)

    def frame(self, frames: Frames) -> tuple[DataFrame, str]:
        from pyspark.sql import functions as F

        own = F.udf(lambda value: base64.b64encode(bytes(value)), "binary")
        return frames.records.select("key", own("value").alias("value")), "append"


class P3(P1):
    """The keyed count in a processor: one get and one put for each record."""

    def __init__(self) -> None:
        super().__init__()
        self.name, self.title = "P3", "processor, one get and one put"

    def declare(self, app: hr.App, topics: Topics) -> None:
        app.stream(topics.source, key=hr.INT32, value=hr.BYTES).process(Counting).to(
            topics.target, key=hr.INT32, value=hr.INT64
        )
