"""Folding the records of each key into one value."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from headrace.model.record import Record
from headrace.plan.nodes import Aggregate, Cogroup, Emit, Reduce
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.operators.base import Way
from headrace.task.operators.tables import KeptRows, KeptTable

N = TypeVar("N", bound=Aggregate | Cogroup | Reduce)

_SYMBOLS = ("key", "value", "aggregate")


class Fold(KeptTable[N]):
    """Makes a new value of each record and the value that its key has so far."""

    folds: Sequence[Callable[[Any, Any, Any], Any]]
    """For each input: the new value of a key, of the key, a value and the one so far."""

    def __init__(self, node: N, task: Context) -> None:
        super().__init__(node, task)
        self._rows = KeptRows(self, node.kept_rows, node.emit)

    @abstractmethod
    def begun(self) -> Any:
        """The value of a key that has none yet; as in Kafka Streams, it is also the old value of the first change."""

    def way(self, position: int) -> Way:
        rows, fold, settles = self._rows, self.folds[position], self.node.emit is Emit.SETTLED
        place_of, find, replace = rows.place, rows.find, rows.replace

        def on_record(record: Record) -> None:
            key, value, ts, _, _ = record
            if key is None:
                return self.drop(Reason.NO_KEY, record)
            if value is None:
                return self.drop(Reason.NO_VALUE, record)
            place = place_of(key)
            before = find(place)
            old, since = (self.begun(), ts) if before is None else before
            try:
                new = fold(key, value, old)
            except Exception as exc:
                raise self.failed(record, str(exc)) from exc
            if before is None and settles:
                old = None  # settled changes are those between batches, and before this one there was no row
            return replace(place, before, record, new, ts if ts > since else since, old)

        return on_record

    def on_record(self, record: Record) -> None:
        self.way(0)(record)


class ReduceOperator(Fold[Reduce]):
    """One task's share of a reduce."""

    def __init__(self, node: Reduce, task: Context) -> None:
        super().__init__(node, task)
        reduce = node.reducer.called_with("aggregate", "value")
        self.folds = [lambda _, value, aggregate: value if aggregate is None else reduce(aggregate, value)]

    def begun(self) -> Any:
        return None


class AggregateOperator(Fold[Aggregate]):
    """One task's share of an aggregate."""

    def __init__(self, node: Aggregate, task: Context) -> None:
        super().__init__(node, task)
        self.folds = [node.aggregator.called_with(*_SYMBOLS)]

    def begun(self) -> Any:
        return self.node.initial.make()


class CogroupOperator(Fold[Cogroup]):
    """One task's share of a cogroup."""

    def __init__(self, node: Cogroup, task: Context) -> None:
        super().__init__(node, task)
        self.folds = [aggregator.called_with(*_SYMBOLS) for aggregator in node.aggregators]

    def begun(self) -> Any:
        return self.node.initial.make()
