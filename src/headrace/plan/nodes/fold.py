"""How the records of a group become one value."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.expr import Bound
from headrace.model.types import INT, Type
from headrace.plan.nodes.aggregate import Initial


@dataclass(frozen=True)
class Fold:
    """One of the ways below; `describe()` shows it by its name."""

    type: Type
    """Of the value it makes."""

    def __str__(self) -> str:
        raise NotImplementedError(type(self).__name__)


@dataclass(frozen=True)
class Counting(Fold):
    """How many there are."""

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
    """What a function of `key`, `value` and `aggregate` makes of each record, beginning with an initial value.

    Two sessions that become one need a function of `key`, `left` and `right` that merges their values.
    """

    initial: Initial
    aggregator: Bound
    merger: Bound | None = None

    def __str__(self) -> str:
        merged = "" if self.merger is None else f", merge {self.merger}"
        return f"aggregate {self.aggregator} from {self.initial}{merged}"
