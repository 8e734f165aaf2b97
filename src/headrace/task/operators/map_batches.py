"""New values from functions of many records at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.errors import HeadraceError
from headrace.model.record import Record
from headrace.plan.nodes import MapBatches
from headrace.task.context import Context
from headrace.task.operators.gathering import Gathering


class MapBatchesOperator(Gathering[MapBatches]):
    """Gives many records at once the values that the function finds for them."""

    def __init__(self, node: MapBatches, task: Context) -> None:
        super().__init__(node, task, node.size)
        from headrace.task.arrow import ArrowRows, ArrowValues  # pyarrow is there only for those who use it

        self._rows, self._values = ArrowRows(node.upstream.output()), ArrowValues(node.value.type)

    def handle(self, records: Sequence[Record]) -> None:
        failure: Exception | None = None
        try:
            values = self._computed(records)
        except Exception as exc:
            failure = exc
        if failure is None:
            for record, value in zip(records, values, strict=True):
                self.forward(record.with_value(value))
        elif self.reads_failures and len(records) > 1:
            for record in records:
                self.handle((record,))
        else:
            self.refuse(records[0], _reason(failure, len(records)), failure)

    def _computed(self, records: Sequence[Record]) -> list[Any]:
        table = self._rows.table(records)
        return self._values.found(table, self.node.function(table))


def _reason(failure: Exception, size: int) -> str:
    said = f"{failure.what}: {failure.fix}" if isinstance(failure, HeadraceError) else str(failure)
    batch = f" (in a batch of {size}, of which this is the first)" if size > 1 else ""
    return (said or type(failure).__name__) + batch
