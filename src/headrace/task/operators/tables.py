"""Base of operators that are tables."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, TypeVar

from headrace.model.change import Change
from headrace.model.record import Record
from headrace.plan.nodes import Emit, Node, SideOutput
from headrace.plan.state import TableRows
from headrace.state.expiry import Expiry
from headrace.state.keyvalue import Found, KeyValueStore, Stored
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.emission import Emission
from headrace.task.operators.base import Operator

N = TypeVar("N", bound=Node)


class TableOperator(Operator[N]):
    """A table: it can be asked for the value of a key, and sends on the changes."""

    is_logged = False
    """Whether its rows are written to a changelog."""

    def __init__(self, node: N, task: Context) -> None:
        super().__init__(node, task)
        self.sends_old = node in task.sending_old

    def connect(
        self, upstream: tuple[Operator[Any] | None, ...], readers: tuple[tuple[Operator[Any], int], ...]
    ) -> None:
        super().connect(upstream, readers)
        self.is_logged = self.has_side_output(SideOutput.STORED)

    def log(self, key: Any, value: Any, ts: int, origin: str | None) -> None:
        """Write to the changelog what a batch leaves of a row, None if it is gone."""
        record = Record.made(key, value, ts, (), origin)
        for way in self._side_outputs[SideOutput.STORED]:
            way(record)

    @abstractmethod
    def get(self, key: Any) -> Stored | None:
        """The value of a key now, which may be ahead of the last change that was sent on."""

    def sent(self, key: Any) -> Stored | None:
        """The value of a key by the changes that were sent on.

        This is what another table is joined with: a value ahead of its change would be joined twice, and one that is
        deleted before the batch is over would stay in the result.
        """
        return self.get(key)

    def get_as_of(self, key: Any, ts: int) -> Stored | None:  # noqa: ARG002
        """The value of a key as it was at a time, where the table is versioned; else the one now."""
        return self.get(key)

    def table(self, position: int) -> TableOperator[Any]:
        """The table that is the input at this position."""
        return table_of(self, position)

    def send_change(self, record: Record, change: Change, ts: int) -> None:
        """Send on a change of the record's key."""
        self.forward(record.with_row(record.key, change, ts))


def table_of(operator: Operator[Any], position: int) -> TableOperator[Any]:
    """The table that an operator reads as the input at this position, in the same task."""
    upstream = operator.upstream[position]
    assert isinstance(upstream, TableOperator), f"{operator.node.name} has no table in its own task"
    return upstream


def silent(_: Record) -> None:
    """The way of a change into an operator that only looks things up: it finds the new row when it asks for it."""


class KeptRows:
    """The rows of one table: its store, and which changes of it are sent on.

    With a ttl, a row that was not updated for so long by the stream time of the task is deleted before the record
    that makes it so late is handled; the deletion has the time when it was due.
    """

    def __init__(self, table: TableOperator[Any], rows: TableRows, emit: Emit) -> None:
        self._table, self._time = table, table.task.time
        self._expiry: Expiry | None = None
        if rows.ttl_ms is not None:
            self._expiry = Expiry(table.task.state, table.node.name, rows.ttl_ms)
            self._time.before.add(0, 1, self._expire)
        self._store: KeyValueStore = table.task.stores.key_value_store(rows.store_in_python)
        self._key = table.node.output().key.store_serde()
        self.place: Callable[[Any], bytes] = self._key.write
        """Where a key lies."""
        self.find = self._store.find
        """What is stored at a place."""
        self._emission = Emission(emit, table, old=table.sends_old)

    def get(self, key: Any) -> Stored | None:
        """Value and time that are stored under a key."""
        return None if key is None else self._store.get(self._key.write(key))

    def sent(self, key: Any) -> Stored | None:
        """Value of a key by the changes that were sent on."""
        written = self._key.write(key)
        return self._emission.sent(written, self._store.get(written))

    def put(self, record: Record, new: Any, ts: int, old: Any, is_latest: bool = True) -> None:
        """Store the new value of the record's key, None to delete it, and send on the change."""
        place = self.place(record.key)
        self.replace(place, self.find(place), record, new, ts, old, is_latest)

    def replace(
        self, place: bytes, before: Found | None, record: Record, new: Any, ts: int, old: Any, is_latest: bool = True
    ) -> None:
        """Put a row whose place and old value were found before.

        A record whose row would be due for deletion already is dropped as late.
        """
        if self._expiry is not None and new is not None:
            if self._expiry.is_over(ts, self._time.stream_ms):
                return self._table.drop(Reason.LATE, record)
            self._expiry.written(place, ts)
        self._store.put(place, new, ts)
        self._emission.changed(place, before, record, record.key, new, old, ts, is_latest)
        return None

    def _expire(self, now: int) -> None:
        assert self._expiry is not None
        for place, due in self._expiry.over(now, self._written_at):
            gone = self._store.find(place)
            assert gone is not None, "a key that is not there is not due"
            self._store.put(place, None, ts=due)
            self._emission.changed(place, gone, Record(ts=due), self._key.read(place), None, gone[0], due)

    def _written_at(self, key: bytes) -> int | None:
        row = self._store.get(key)
        return None if row is None else row.ts

    def flush(self) -> None:
        """Send on what was held back in the batch, which is over."""
        self._emission.flush()


class KeptTable(TableOperator[N]):
    """A table that keeps all of its rows."""

    _rows: KeptRows

    def get(self, key: Any) -> Stored | None:
        return self._rows.get(key)

    def sent(self, key: Any) -> Stored | None:
        return self._rows.sent(key)

    def flush(self) -> None:
        self._rows.flush()
