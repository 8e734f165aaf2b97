"""New values from functions that wait."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.expr.opaque import fitting
from headrace.model.record import Record
from headrace.plan.nodes import AsyncMapValues
from headrace.task.calls import CallLimits, Calls
from headrace.task.context import Context
from headrace.task.operators.gathering import Gathering

# So many records are gathered for each call that may be under way: few wait for the slowest one of them.
_EACH = 16


class AsyncMapValuesOperator(Gathering[AsyncMapValues]):
    """Gives every record the value that a call ends with, in the order in which the records came."""

    def __init__(self, node: AsyncMapValues, task: Context) -> None:
        super().__init__(node, task, node.concurrency * _EACH)
        self._begin = node.value.begun()
        self._calls = Calls(self._value, CallLimits(node.concurrency, node.timeout_ms, node.retries, node.backoff_ms))

    def close(self) -> None:
        self._calls.close()

    def handle(self, records: Sequence[Record]) -> None:
        outcomes = self._calls.outcomes(records, stop=not self.reads_failures)
        for record, outcome in zip(records, outcomes, strict=False):  # fewer if one of them stops the application
            if outcome.error is None:
                self.forward(record.with_value(outcome.value))
            else:
                self.refuse(record, outcome.reason, outcome.error)

    async def _value(self, record: Record) -> Any:
        return fitting(await self._begin({"key": record.key, "value": record.value}))
