"""Folds of records into values, as operators call them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headrace.model.record import Record
from headrace.plan.nodes import Aggregating, Counting, Fold, Reducing
from headrace.task.operators.base import Operator


@dataclass(frozen=True)
class Folding:
    """The Python form of a `Fold`; the record at hand is given to each step, to be named when the step fails."""

    initial: Callable[[], Any]
    add: Callable[[Record, Any], Any]
    merge: Callable[[Record, Any, Any], Any]
    """Of two sessions that become one."""


def folding(operator: Operator[Any], fold: Fold) -> Folding:
    """The steps of a fold for one operator."""
    if isinstance(fold, Counting):
        return Folding(lambda: 0, lambda _, aggregate: aggregate + 1, lambda _, left, right: left + right)
    if isinstance(fold, Reducing):
        return _reducing(operator, fold)
    assert isinstance(fold, Aggregating)
    return _aggregating(operator, fold)


def _reducing(operator: Operator[Any], fold: Reducing) -> Folding:
    compute = operator.computed(fold.reducer, "aggregate", "value")

    def merge(record: Record, left: Any, right: Any) -> Any:
        return right if left is None else compute(record, left, right)

    return Folding(lambda: None, lambda record, aggregate: merge(record, aggregate, record.value), merge)


def _aggregating(operator: Operator[Any], fold: Aggregating) -> Folding:
    added = operator.computed(fold.aggregator, "key", "value", "aggregate")
    merged = None if fold.merger is None else operator.computed(fold.merger, "key", "left", "right")

    def add(record: Record, aggregate: Any) -> Any:
        return added(record, record.key, record.value, aggregate)

    def merge(record: Record, left: Any, right: Any) -> Any:
        assert merged is not None, "only sessions are merged, and they have a merger"
        return merged(record, record.key, left, right)

    return Folding(fold.initial.make, add, merge)
