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

Way = Callable[[Record], None]


class Operator(ABC, Generic[N]):
    """One task's share of a node."""

    next: tuple[Operator[Any], ...] = ()
    """Who reads from it, in the order they were declared; twice if it reads twice."""

    upstream: tuple[Operator[Any] | None, ...] = ()
    """Whom it reads from, in the order of its inputs; None for one in another task."""

    _ways: tuple[Way, ...] = ()

    def __init__(self, node: N, task: Context) -> None:
        self.node, self.task = node, task

    def connect(
        self, upstream: tuple[Operator[Any] | None, ...], readers: tuple[tuple[Operator[Any], int], ...]
    ) -> None:
        """Say whom it reads from, and who reads from it by which of their inputs."""
        self.upstream, self.next = upstream, tuple(reader for reader, _ in readers)
        self._ways = tuple(reader.way(position) for reader, position in readers)

    def way(self, position: int) -> Way:  # noqa: ARG002
        """How a record of the input at this position comes in; an operator with several inputs has several ways."""
        return self.on_record

    def start(self) -> None:
        """Everyone is connected, and no record has come yet."""
        return

    def close(self) -> None:
        """No record comes any more."""
        return

    @abstractmethod
    def on_record(self, record: Record) -> None:
        """Handle one record, and send on what comes of it."""

    def flush(self) -> None:
        """The batch is over: send on what was held back, which most operators never do."""
        return

    def forward(self, record: Record) -> None:
        """Send a record to everyone who reads from this node."""
        for way in self._ways:
            way(record)

    def drop(self, reason: Reason, record: Record) -> None:  # noqa: ARG002
        """Leave a record out, and count it."""
        self.task.drops.add(self.node.name, reason)

    def function(self, bound: Bound, never_none: str | None = None) -> Callable[[Record], Any]:
        """The user's expression as a function of a record; what it raises names the node and the record.

        `never_none` says in words what the result has to be where None is not possible.
        """
        compute = self.computed(bound)

        def call(record: Record) -> Any:
            result = compute(record, {"key": record.key, "value": record.value, "timestamp": record.ts})
            if result is None and never_none is not None:
                raise self.failed(record, f"None is not {never_none}")
            return result

        return call

    def computed(self, bound: Bound) -> Callable[[Record, dict[str, Any]], Any]:
        """The user's expression as a function of the record at hand and the values of the expression's symbols."""
        compute = bound.python()

        def call(record: Record, values: dict[str, Any]) -> Any:
            try:
                return compute(values)
            except Exception as exc:
                raise self.failed(record, str(exc)) from exc

        return call

    def failed(self, record: Record, reason: str) -> RecordFailed:
        """The error for a record that this node cannot handle."""
        return RecordFailed(f"{self.node.name} ({self.node.origin})", reason, record.origin)
