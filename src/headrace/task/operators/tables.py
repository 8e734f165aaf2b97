"""What operators that are tables have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, TypeVar

from headrace.model.change import Change
from headrace.model.record import Record
from headrace.plan.nodes import Emit, Node
from headrace.state.keyvalue import KeyValueStore, Stored
from headrace.task.context import Context
from headrace.task.emission import Emission
from headrace.task.operators.base import Operator

N = TypeVar("N", bound=Node)


class TableOperator(Operator[N]):
    """A table: it can be asked for the value of a key, and sends on the changes."""

    def __init__(self, node: N, task: Context) -> None:
        super().__init__(node, task)
        self.sends_old = node in task.sending_old

    @abstractmethod
    def get(self, key: Any) -> Stored | None:
        """The value of a key now, which may be ahead of the last change that was sent on."""

    def get_as_of(self, key: Any, ts: int) -> Stored | None:  # noqa: ARG002
        """The value of a key as it was at a time, where the table is versioned; else the one now."""
        return self.get(key)

    def table(self, position: int) -> TableOperator[Any]:
        """The table that is the input at this position."""
        return table_of(self, position)

    def send_change(self, record: Record, change: Change, ts: int) -> None:
        """Send on a change of the record's key."""
        self.forward(Record(key=record.key, value=change, ts=ts, headers=record.headers, origin=record.origin))


def table_of(operator: Operator[Any], position: int) -> TableOperator[Any]:
    """The table that an operator reads as the input at this position, in the same task."""
    upstream = operator.upstream[position]
    assert isinstance(upstream, TableOperator), f"{operator.node.name} has no table in its own task"
    return upstream


def silent(_: Record) -> None:
    """The way of a change into an operator that only looks things up: it finds the new row when it asks for it."""


def unnamed_store(node: Node) -> str:
    """What the rows of a table are kept under if nobody named a store: no user's store can be called so."""
    return f"rows of {node.name}"


class Kept:
    """The rows of one table: its store, and which changes of it are sent on."""

    def __init__(self, table: TableOperator[Any], store: str, emit: Emit) -> None:
        self._store: KeyValueStore = table.task.store(store)
        self._key = table.node.output().key.store_serde()
        self._emission = Emission(emit, table.forward, old=table.sends_old)

    def get(self, key: Any) -> Stored | None:
        """What is stored under a key."""
        return None if key is None else self._store.get(self._key.write(key))

    def put(self, record: Record, new: Any, ts: int, old: Any, is_latest: bool = True) -> None:
        """Store the new value of the record's key, None to delete it, and send on the change."""
        key = self._key.write(record.key)
        self._store.put(key, new, ts=ts)
        change = Change(new, old, is_latest)
        self._emission.changed(
            key, Record(key=record.key, value=change, ts=ts, headers=record.headers, origin=record.origin)
        )

    def flush(self) -> None:
        """The batch is over."""
        self._emission.flush()
