"""Joins of two tables with the same keys."""

from __future__ import annotations

from typing import Any

from headrace.model.change import Change
from headrace.model.record import Record
from headrace.plan.nodes import Emit, JoinSide, TableJoin
from headrace.state.keyvalue import Stored
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.operators.base import Way
from headrace.task.operators.tables import KeptRows, TableOperator


class TableJoinOperator(TableOperator[TableJoin]):
    """One task's share of a join: looks up the other side of each change."""

    def __init__(self, node: TableJoin, task: Context) -> None:
        super().__init__(node, task)
        self._joiner = self.computed(node.joiner, "key", "left", "right")
        remembers = node.settles and node.store is None and self.sends_old
        rows = node.kept_rows if node.store is not None or remembers else None
        self._rows = None if rows is None else KeptRows(self, rows, Emit.EVERY if remembers else node.emit)
        self._tells_sent = remembers or node.emit is Emit.SETTLED
        # Which sides a row cannot do without.
        self._needs = {JoinSide.INNER: (True, True), JoinSide.LEFT: (True, False), JoinSide.OUTER: (False, False)}[
            node.side
        ]

    def way(self, position: int) -> Way:
        return self._on_right if position else self.on_record

    def on_record(self, record: Record) -> None:
        self._on(record, 0)

    def get(self, key: Any) -> Stored | None:
        if self._rows is not None:
            return self._rows.get(key)
        return self._of_sides(key, self.table(0).get(key), self.table(1).get(key))

    def sent(self, key: Any) -> Stored | None:
        if self._rows is not None:
            return self._rows.sent(key)
        return self._of_sides(key, self.table(0).sent(key), self.table(1).sent(key))

    def _of_sides(self, key: Any, left: Stored | None, right: Stored | None) -> Stored | None:
        ts = max(side.ts for side in (left, right) if side is not None) if left or right else 0
        record, values = Record(key=key, ts=ts), (left and left.value, right and right.value)
        value = self.attempted(record, lambda: self._row(record, *values), again=True)
        return None if value is None else Stored(value, ts)

    def flush(self) -> None:
        if self._rows is not None:
            self._rows.flush()

    def _on_right(self, record: Record) -> None:
        self._on(record, 1)

    def _on(self, record: Record, position: int) -> None:
        change = record.value
        if not change.is_latest and self.node.inputs[position].versioned:
            return self.drop(Reason.OLDER, record)
        other = self.table(1 - position).sent(record.key)
        if other is None and (self._needs[1 - position] or (change.new is None and change.old is None)):
            return None
        there = other and other.value
        new = self.attempted(record, lambda: self._joined(record, change.new, there, position))
        old = None
        if self.sends_old:
            old = self.attempted(record, lambda: self._joined(record, change.old, there, position), again=True)
        ts = record.ts if other is None else max(record.ts, other.ts)
        if self._rows is not None:
            if self._tells_sent:
                before = self._rows.get(record.key)
                old = before and before.value
            self._rows.put(record, new, ts, old, change.is_latest)
        else:
            self.send_change(record, Change(new, old, change.is_latest), ts)
        return None

    def _joined(self, record: Record, mine: Any, other: Any, position: int) -> Any:
        return self._row(record, *((other, mine) if position else (mine, other)))

    def _row(self, record: Record, left: Any, right: Any) -> Any:
        if (left is None and (self._needs[0] or right is None)) or (right is None and self._needs[1]):
            return None
        return self._joiner(record, record.key, left, right)
