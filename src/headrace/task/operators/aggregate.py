"""Folding the records of each key into one value."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial
from typing import Any, TypeVar

from headrace.model.record import Record
from headrace.plan.nodes import Aggregate, Cogroup, Emit, Reduce
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.operators.base import Way
from headrace.task.operators.tables import Kept, KeptTable

N = TypeVar("N", bound=Aggregate | Cogroup | Reduce)

_SYMBOLS = ("key", "value", "aggregate")


class Fold(KeptTable[N]):
    """Makes a new value of each record and the value that its key has so far."""

    def __init__(self, node: N, task: Context) -> None:
        super().__init__(node, task)
        self._rows = Kept(self, node.store, node.emit, node.ttl_ms)

    @abstractmethod
    def begun(self) -> Any:
        """The value of a key that has none yet; as in Kafka Streams, it is also the old value of the first change."""

    @abstractmethod
    def folded(self, record: Record, aggregate: Any, position: int) -> Any:
        """The new value of a key."""

    def way(self, position: int) -> Way:
        return partial(self._on, position)

    def on_record(self, record: Record) -> None:
        self._on(0, record)

    def _on(self, position: int, record: Record) -> None:
        if record.key is None:
            return self.drop(Reason.NO_KEY, record)
        if record.value is None:
            return self.drop(Reason.NO_VALUE, record)
        place, before = self._rows.find(record.key)
        old = self.begun() if before is None else before.value
        new = self.folded(record, old, position)
        ts = record.ts if before is None else max(record.ts, before.ts)
        if before is None and self.node.emit is Emit.SETTLED:
            old = None  # settled changes are those between batches, and before this one there was no row
        self._rows.replace(place, before, record, new, ts, old)
        return None


class ReduceOperator(Fold[Reduce]):
    """One task's share of a reduce."""

    def __init__(self, node: Reduce, task: Context) -> None:
        super().__init__(node, task)
        self._reducer = self.computed(node.reducer, "aggregate", "value")

    def begun(self) -> Any:
        return None

    def folded(self, record: Record, aggregate: Any, position: int) -> Any:  # noqa: ARG002
        if aggregate is None:
            return record.value
        return self._reducer(record, aggregate, record.value)


class AggregateOperator(Fold[Aggregate]):
    """One task's share of an aggregate."""

    def __init__(self, node: Aggregate, task: Context) -> None:
        super().__init__(node, task)
        self._aggregator = self.computed(node.aggregator, *_SYMBOLS)

    def begun(self) -> Any:
        return self.node.initial.make()

    def folded(self, record: Record, aggregate: Any, position: int) -> Any:  # noqa: ARG002
        return self._aggregator(record, record.key, record.value, aggregate)


class CogroupOperator(Fold[Cogroup]):
    """One task's share of a cogroup."""

    def __init__(self, node: Cogroup, task: Context) -> None:
        super().__init__(node, task)
        self._aggregators = [self.computed(aggregator, *_SYMBOLS) for aggregator in node.aggregators]

    def begun(self) -> Any:
        return self.node.initial.make()

    def folded(self, record: Record, aggregate: Any, position: int) -> Any:
        return self._aggregators[position](record, record.key, record.value, aggregate)
