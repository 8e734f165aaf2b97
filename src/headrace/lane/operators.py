"""Operators of the Python lane alone: entries, exits, and copies of tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from headrace.lane.nodes import Leave, LeaveExpired, LeaveFailed, LeaveLate
from headrace.lane.outbox import Outbox
from headrace.model.change import Change
from headrace.model.record import Record
from headrace.plan.nodes import Emit, Node
from headrace.plan.placement_nodes import Copy, Through, VersionedCopy
from headrace.state.keyvalue import Stored
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.operators import OPERATORS, Operator
from headrace.task.operators.stateless import PassOperator
from headrace.task.operators.tables import KeptRows, KeptTable, TableOperator


@dataclass(frozen=True)
class LaneContext(Context):
    """Task context of the lane: what its operators reach beside that of any task."""

    outbox: Outbox = field(default_factory=Outbox)


class LeaveOperator(Operator[Leave]):
    """Puts every record into the outbox, in bytes."""

    def __init__(self, node: Leave, task: Context) -> None:
        super().__init__(node, task)
        assert isinstance(task, LaneContext)
        self._add = task.outbox.add
        self._key, self._value = node.key.write, node.value.write

    def on_record(self, record: Record) -> None:
        key, value, ts, headers, _ = record
        old, latest = None, True
        if type(value) is Change:
            value, old, latest = value
        try:
            self._add(
                self.node.tag,
                ts,
                None if key is None else self._key(key),
                None if value is None else self._value(value),
                None if old is None or not self.node.changes else self._value(old),
                headers,
                None,
                latest,
            )
        except ValueError as exc:
            raise self.failed(record, str(exc)) from exc


class CopyOperator(KeptTable[Copy]):
    """Keeps the rows that another stage tells of, and sends on the changes."""

    def __init__(self, node: Copy, task: Context) -> None:
        super().__init__(node, task)
        self._rows = KeptRows(self, node.kept_rows, Emit.EVERY)

    def on_record(self, record: Record) -> None:
        change = record.value
        self._rows.put(record, change.new, record.ts, change.old, change.is_latest)


class VersionedCopyOperator(TableOperator[VersionedCopy]):
    """Copy of a versioned table, with earlier versions of its rows."""

    def __init__(self, node: VersionedCopy, task: Context) -> None:
        super().__init__(node, task)
        self._versions = task.stores.versioned_store(node.kept_versions.store_in_python, node.history_ms)
        self._key = node.output().key.store_serde()

    def on_record(self, record: Record) -> None:
        if self._versions.put(self._key.write(record.key), record.value.new, ts=record.ts) is None:
            return self.drop(Reason.LATE, record)
        return self.forward(record)

    def get(self, key: Any) -> Stored | None:
        return self._versions.get(self._key.write(key))

    def get_as_of(self, key: Any, ts: int) -> Stored | None:
        return self._versions.get(self._key.write(key), ts)


LANE_OPERATORS: dict[type[Node], type[Operator[Any]]] = {
    **OPERATORS,
    Copy: CopyOperator,
    Leave: LeaveOperator,
    LeaveExpired: LeaveOperator,
    LeaveFailed: LeaveOperator,
    LeaveLate: LeaveOperator,
    Through: PassOperator,
    VersionedCopy: VersionedCopyOperator,
}
