"""Merge rules for the things that operators remember, when the keys of several tasks come to one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import field, fields
from enum import Enum
from typing import Any, TypeVar

T = TypeVar("T")

_RULE = "merge"


class MergeRule(Enum):
    """Rule by which the things of several tasks become one."""

    LATEST = "latest"
    """The latest of all: stream time never goes back, and what was late stays late."""

    EARLIEST = "earliest"
    """The earliest of all: what one task had not done yet is done when time moves next."""

    COUNTED = "counted"
    """Counted anew from the cells that have come to the task."""

    UNITED = "united"
    """The union of sets."""

    BY_FIELD = "by field"
    """Each field of a dataclass by the rule that stands beside it."""

    OF_PARTITIONS = "of partitions"
    """The latest of each partition, in the task of the partition's number."""


def remembered(begin: T, rule: MergeRule) -> T:
    """Field of a dataclass that an operator remembers: what it begins with, and how those of several tasks merge."""
    found: T = field(default=begin, metadata={_RULE: rule})
    return found


def merged(rule: MergeRule, things: Sequence[Any]) -> Any:
    """Merge the things of several tasks; there is at least one."""
    return _RULES[rule](things)


def rules_of(thing: Any) -> dict[str, MergeRule]:
    """Rules of the fields of a dataclass; a field without a rule is left out."""
    return {one.name: one.metadata[_RULE] for one in fields(thing) if _RULE in one.metadata}


def _by_field(things: Sequence[Any]) -> Any:
    made = copy(things[0])
    for name, rule in rules_of(made).items():
        known = [value for one in things if (value := getattr(one, name)) is not None]
        setattr(made, name, merged(rule, known) if known else None)
    return made


_RULES: Mapping[MergeRule, Callable[[Sequence[Any]], Any]] = {
    MergeRule.LATEST: max,
    MergeRule.EARLIEST: min,
    MergeRule.COUNTED: lambda _: 0,
    MergeRule.UNITED: lambda things: set().union(*things),
    MergeRule.BY_FIELD: _by_field,
}
