"""New values from functions of many records at once: models, and code that works on columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headrace.plan.nodes.base import NodeFacts, Unary
from headrace.plan.schema import Field, Schema


@dataclass(frozen=True, kw_only=True, eq=False)
class MapBatches(Unary):
    """New values for up to `size` records at once, from a function of a `pyarrow.Table`; keys, times and order stay.

    The table has a row for each record: `key`, `timestamp`, and `value`, or a column for each field of records. The
    function gives a table with the same rows, whose other columns are the new values. It is called when `size` records
    are gathered and at the end of the batch. Where failures are read, rows that fail together are tried one by one.
    """

    function: Callable[[Any], Any]
    shown: str
    value: Field
    size: int

    op = "map_batches"
    facts = NodeFacts(passes=True)

    def output(self) -> Schema:
        return Schema(self.upstream.output().key, self.value)

    def detail(self) -> str:
        return f"{self.shown}, {self.size} at once"
