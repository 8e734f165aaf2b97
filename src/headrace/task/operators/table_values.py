"""Tables computed row by row from one other table."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, TypeVar

from headrace.model.change import Change
from headrace.model.record import Record
from headrace.plan.nodes import TableFilter, TableMapValues, TableTransformValues
from headrace.state.keyvalue import Stored
from headrace.task.context import Context
from headrace.task.operators.tables import KeptRows, TableOperator

N = TypeVar("N", bound=TableFilter | TableMapValues | TableTransformValues)


class RowByRow(TableOperator[N]):
    """Computes each row from the row of the same key upstream, and keeps it if a store was asked for."""

    def __init__(self, node: N, task: Context) -> None:
        super().__init__(node, task)
        self._rows = None if node.kept_rows is None else KeptRows(self, node.kept_rows, node.emit)

    @abstractmethod
    def row(self, record: Record, value: Any) -> Any:
        """The value of a row whose value upstream is not None."""

    def on_record(self, record: Record) -> None:
        change = record.value
        new = None if change.new is None else self.attempted(record, lambda: self.row(record, change.new))
        if self._rows is not None:
            before = self._rows.get(record.key)
            old = before and before.value
        else:
            old = self._row_again(record, change.old) if self.sends_old and change.old is not None else None
        if self.is_news(record, new, old):
            if self._rows is not None:
                self._rows.put(record, new, record.ts, old, change.is_latest)
            else:
                self.send_change(record, Change(new, old, change.is_latest), record.ts)

    def is_news(self, record: Record, new: Any, old: Any) -> bool:  # noqa: ARG002
        """Whether a change is sent on."""
        return True

    def get(self, key: Any) -> Stored | None:
        return self._row_of(key, self.table(0).get(key)) if self._rows is None else self._rows.get(key)

    def sent(self, key: Any) -> Stored | None:
        return self._row_of(key, self.table(0).sent(key)) if self._rows is None else self._rows.sent(key)

    def get_as_of(self, key: Any, ts: int) -> Stored | None:
        return self._row_of(key, self.table(0).get_as_of(key, ts)) if self._rows is None else self._rows.get(key)

    def _row_of(self, key: Any, upstream: Stored | None) -> Stored | None:
        if upstream is None:
            return None
        value = self._row_again(Record(key=key, ts=upstream.ts), upstream.value)
        return None if value is None else Stored(value, upstream.ts)

    def _row_again(self, record: Record, value: Any) -> Any:
        """A row that was computed before, when it was new."""
        return self.attempted(record, lambda: self.row(record, value), again=True)

    def flush(self) -> None:
        if self._rows is not None:
            self._rows.flush()


class TableFilterOperator(RowByRow[TableFilter]):
    """Keeps the rows whose predicate is true; None is not."""

    def __init__(self, node: TableFilter, task: Context) -> None:
        super().__init__(node, task)
        self._predicate = self.function(node.predicate)
        self._knows_old = self.sends_old or node.wants_old(0)

    def row(self, record: Record, value: Any) -> Any:
        return value if bool(self._predicate(record.with_value(value))) is self.node.keep else None

    def is_news(self, record: Record, new: Any, old: Any) -> bool:
        if new is not None or not self._knows_old or self.node.upstream.versioned:
            return True
        if not self.sends_old and self._rows is None:
            before = record.value.old  # nobody behind wants old values: it was not computed yet
            old = None if before is None else self._row_again(record, before)
        return old is not None


class TableMapValuesOperator(RowByRow[TableMapValues]):
    """Gives every row a new value."""

    def __init__(self, node: TableMapValues, task: Context) -> None:
        super().__init__(node, task)
        self._value = self.function(node.value)

    def row(self, record: Record, value: Any) -> Any:
        return self._value(record.with_value(value))
