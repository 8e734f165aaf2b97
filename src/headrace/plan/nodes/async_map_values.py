"""New values from functions that wait: for a service, a database, a model on another machine."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.expr import Opaque
from headrace.model.durations import duration_text
from headrace.plan.nodes.base import NodeFacts, Unary
from headrace.plan.schema import Schema


@dataclass(frozen=True, kw_only=True, eq=False)
class AsyncMapValues(Unary):
    """A new value for every record, from a function written with `async def`; the key stays, and so does the order.

    Up to `concurrency` calls of a task are under way at once. What comes of them is sent on in the order in which the
    records came, when some of them are gathered and at the end of the batch. A call that fails, or takes longer than
    `timeout_ms`, is made again up to `retries` times: `backoff_ms` later, and twice as long before each one more.
    """

    value: Opaque
    concurrency: int
    timeout_ms: int | None
    retries: int
    backoff_ms: int

    op = "async_map_values"
    facts = NodeFacts(passes=True)

    def output(self) -> Schema:
        return self.upstream.output().with_value(self.value.type)

    def detail(self) -> str:
        limit = "" if self.timeout_ms is None else f", {duration_text(self.timeout_ms)} each"
        again = f", {self.retries} {'retry' if self.retries == 1 else 'retries'}" if self.retries else ""
        return f"{self.value}, {self.concurrency} at once{limit}" + (
            f"{again} after {duration_text(self.backoff_ms)}" if again else ""
        )
