"""Operators that handle several records at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TypeVar

from headrace.model.record import Record
from headrace.plan.nodes import Node
from headrace.task.context import Context
from headrace.task.operators.base import Operator

N = TypeVar("N", bound=Node)


class Gathering(Operator[N]):
    """Gathers records until there are `most`, or the batch ends: nothing is held back from one batch to the next."""

    def __init__(self, node: N, task: Context, most: int) -> None:
        super().__init__(node, task)
        self._most = most
        self._gathered: list[Record] = []
        self.reads_failures = node in task.reading_failures

    def on_record(self, record: Record) -> None:
        self._gathered.append(record)
        if len(self._gathered) >= self._most:
            self.flush()

    def on_time(self, ms: int) -> None:
        self.flush()  # time does not overtake the records in front of it
        super().on_time(ms)

    def flush(self) -> None:
        gathered, self._gathered = self._gathered, []
        if gathered:
            self.handle(gathered)

    @abstractmethod
    def handle(self, records: Sequence[Record]) -> None:
        """Handle records, of which there is at least one, and send on what comes of them in their order."""

    def refuse(self, record: Record, reason: str, cause: BaseException) -> None:
        """A record failed: it goes to where failures are read, or stops the application."""
        exc = self.failed(record, reason)
        exc.__cause__ = cause
        self.fail(record, exc)
