"""Tables that are read, or made of streams as they are."""

from __future__ import annotations

from typing import Any

from headrace.model.change import Change
from headrace.model.record import Record
from headrace.plan.nodes import TableSource, ToTable, VersionedTable
from headrace.state.keyvalue import Stored
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.operators.tables import KeptRows, KeptTable, TableOperator


class TableSourceOperator(KeptTable[TableSource | ToTable]):
    """Keeps the last value of each key, and sends on the changes."""

    def __init__(self, node: TableSource | ToTable, task: Context) -> None:
        super().__init__(node, task)
        self._rows = KeptRows(self, node.kept_rows, node.emit)

    def on_record(self, record: Record) -> None:
        if record.key is None:
            return self.drop(Reason.NO_KEY, record)
        place = self._rows.place(record.key)
        before = self._rows.find(place)
        self._rows.replace(place, before, record, record.value, record.ts, before and before[0])
        return None


class VersionedTableOperator(TableOperator[VersionedTable]):
    """Keeps the versions of each key, and sends on the changes with whether they are the newest."""

    def __init__(self, node: VersionedTable, task: Context) -> None:
        super().__init__(node, task)
        self._versions = task.stores.versioned_store(node.kept_versions.store, node.history_ms)
        self._key = node.output().key.store_serde()
        self._newest: dict[bytes, Record] = {}
        """Of the keys with a new version that no other is newer than, in the order of these."""

    def on_record(self, record: Record) -> None:
        if record.key is None:
            return self.drop(Reason.NO_KEY, record)
        key = self._key.write(record.key)
        before = self._versions.get(key)
        newest = self._versions.put(key, record.value, ts=record.ts)
        if newest is None:
            return self.drop(Reason.LATE, record)
        if newest and self.is_logged:
            self._newest.pop(key, None)
            self._newest[key] = record
        old = before and before.value if self.sends_old else None
        return self.send_change(record, Change(record.value, old, newest), record.ts)

    def flush(self) -> None:
        newest, self._newest = self._newest, {}
        for record in newest.values():
            self.log(record.key, record.value, record.ts, record.origin)

    def get(self, key: Any) -> Stored | None:
        return self._versions.get(self._key.write(key))

    def get_as_of(self, key: Any, ts: int) -> Stored | None:
        return self._versions.get(self._key.write(key), ts)
