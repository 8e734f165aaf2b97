"""Aggregates of tables: rows come, change and go."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, TypeVar

from headrace.model.change import Change
from headrace.model.record import Record
from headrace.plan.nodes import TableAggregate, TableGroupBy, TableReduce
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.operators.base import Operator
from headrace.task.operators.results import pair_function
from headrace.task.operators.tables import KeptRows, KeptTable

N = TypeVar("N", bound=TableAggregate | TableReduce)

_SYMBOLS = ("key", "value", "aggregate")


class TableGroupByOperator(Operator[TableGroupBy]):
    """Sends each change of a row to the groups that the row leaves and enters."""

    def __init__(self, node: TableGroupBy, task: Context) -> None:
        super().__init__(node, task)
        self._pair = pair_function(self, node.pair)
        self._key = node.output().key.store_serde()

    def on_record(self, record: Record) -> None:
        if not record.value.is_latest and self.node.upstream.versioned:
            return self.drop(Reason.OLDER, record)
        old, new = self._grouped(record, record.value.old), self._grouped(record, record.value.new)
        if new is None and record.value.new is not None:
            self.task.drops.add(self.node.name, Reason.NO_KEY)
        if old is not None and new is not None and self._same(old[0], new[0]):
            return self.forward(record.with_pair(old[0], Change(new[1], old[1])))
        if old is not None:
            self.forward(record.with_pair(old[0], Change(None, old[1])))
        if new is not None:
            self.forward(record.with_pair(new[0], Change(new[1], None)))
        return None

    def _same(self, old: Any, new: Any) -> bool:
        # As in stores, by their bytes: 0.0 is another group than -0.0, and nan is one.
        return old is new or self._key.write(old) == self._key.write(new)

    def _grouped(self, record: Record, value: Any) -> tuple[Any, Any] | None:
        if value is None:
            return None
        key, value = self._pair(record.with_value(value))
        return None if key is None or value is None else (key, value)


class TableFold(KeptTable[N]):
    """Takes the old value of a row out of the value of its group, then puts the new one in."""

    def __init__(self, node: N, task: Context) -> None:
        super().__init__(node, task)
        self._rows = KeptRows(self, node.kept_rows, node.emit)
        self._adder, self._subtractor = (self.computed(one, *_SYMBOLS) for one in (node.adder, node.subtractor))

    @abstractmethod
    def begun(self, record: Record, value: Any) -> Any:
        """The value of a group with its first row."""

    def on_record(self, record: Record) -> None:
        change, before = record.value, self._rows.get(record.key)
        value, ts = before and before.value, record.ts
        if change.old is not None and before is not None:
            value, ts = self._subtractor(record, record.key, change.old, value), max(ts, before.ts)
        if change.new is not None:
            if value is None:
                value = self.begun(record, change.new)
            else:
                value = self._adder(record, record.key, change.new, value)
            if before is not None:
                ts = max(ts, before.ts)
        self._rows.put(record, value, ts, before and before.value)


class TableReduceOperator(TableFold[TableReduce]):
    """One task's share of a reduce of a table."""

    def begun(self, record: Record, value: Any) -> Any:  # noqa: ARG002
        return value


class TableAggregateOperator(TableFold[TableAggregate]):
    """One task's share of an aggregate of a table."""

    def begun(self, record: Record, value: Any) -> Any:
        return self._adder(record, record.key, value, self.node.initial.make())
