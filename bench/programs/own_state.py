"""The keyed count with Spark's own state in Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle


class Counting(StatefulProcessor):
    """One get and one put for each key in a batch: less than the others do."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._count = handle.getValueState("count", "count long")

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[Any]:  # noqa: ARG002
        import pandas as pd

        found = self._count.get()
        count = (found[0] if found else 0) + sum(len(part) for part in rows)
        self._count.update((count,))
        yield pd.DataFrame({"key": [key[0]], "count": [count]})

    def close(self) -> None:
        pass


def counted(records: DataFrame) -> DataFrame:
    """Keys with their counts."""
    return (
        records.select("key")
        .groupBy("key")
        .transformWithStateInPandas(Counting(), "key binary, count long", "Update", "None")
    )
