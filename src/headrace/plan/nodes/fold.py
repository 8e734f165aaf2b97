"""Folds: how the records of a group become one value."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.expr import Bound
from headrace.model.types import INT, Type
from headrace.plan.nodes.aggregate import Initial


@dataclass(frozen=True)
class Fold:
    """Fold of records into a value; `describe()` shows it by its name."""

    type: Type
    """Of the value it makes."""

    def __str__(self) -> str:
        raise NotImplementedError(type(self).__name__)


@dataclass(frozen=True)
class Counting(Fold):
    """Count of records."""

    type: Type = INT

    def __str__(self) -> str:
        return "count"


@dataclass(frozen=True)
class Reducing(Fold):
    """The first value, then what the function of `aggregate` and `value` makes of it and the next."""

    reducer: Bound

    def __str__(self) -> str:
        return f"reduce {self.reducer}"


@dataclass(frozen=True)
class Aggregating(Fold):
    """Aggregate: a function of `key`, `value` and `aggregate` takes each record, from an initial value on.

    Two sessions that become one need a function of `key`, `left` and `right` that merges their values.
    """

    initial: Initial
    aggregator: Bound
    merger: Bound | None = None

    def __str__(self) -> str:
        merged = "" if self.merger is None else f", merge {self.merger}"
        return f"aggregate {self.aggregator} from {self.initial}{merged}"
