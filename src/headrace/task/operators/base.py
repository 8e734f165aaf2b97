"""What every operator has."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from headrace.errors import RecordFailed
from headrace.expr import Bound
from headrace.model.record import Record
from headrace.plan.nodes import Node
from headrace.task.context import Context
from headrace.task.drops import Reason

N = TypeVar("N", bound=Node)


class Operator(ABC, Generic[N]):
    """One task's share of a node."""

    next: tuple[Operator[Any], ...] = ()
    """Who reads from it, in the order they were declared."""

    def __init__(self, node: N, task: Context) -> None:
        self.node, self.task = node, task

    @abstractmethod
    def on_record(self, record: Record) -> None:
        """Handle one record, and send on what comes of it."""

    def flush(self) -> None:
        """The batch is over: send on what was held back, which most operators never do."""
        return

    def forward(self, record: Record) -> None:
        """Send a record to everyone who reads from this node."""
        for operator in self.next:
            operator.on_record(record)

    def drop(self, reason: Reason) -> None:
        """Leave a record out, and count it."""
        self.task.drops.add(self.node.name, reason)

    def function(self, bound: Bound, never_none: str | None = None) -> Callable[[Record], Any]:
        """The user's expression as a function of a record; what it raises names the node and the record.

        `never_none` says in words what the result has to be where None is not possible.
        """
        compute = bound.python()

        def call(record: Record) -> Any:
            try:
                result = compute({"key": record.key, "value": record.value, "timestamp": record.ts})
            except Exception as exc:
                raise self.failed(record, str(exc)) from exc
            if result is None and never_none is not None:
                raise self.failed(record, f"None is not {never_none}")
            return result

        return call

    def failed(self, record: Record, reason: str) -> RecordFailed:
        """The error for a record that this node cannot handle."""
        return RecordFailed(f"{self.node.name} ({self.node.origin})", reason, record.origin)
