"""The parameters of each operator of the kernel.

What is None is left out; a function is told by its number among those of the stage.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NewType

Function = NewType("Function", int)


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """The parameters of an operator that needs none, and what those of all others are."""


@dataclass(frozen=True, kw_only=True)
class Timestamps(Parameters):
    time: Function
    topics: Mapping[int, str]
    """The places of the topics with their names."""
    goes_on: bool
    """Whether a record without a time goes on to where failures are read."""


@dataclass(frozen=True, kw_only=True)
class Filter(Parameters):
    predicate: Function
    keep: bool


@dataclass(frozen=True, kw_only=True)
class Pair(Parameters):
    pair: Function


@dataclass(frozen=True, kw_only=True)
class Value(Parameters):
    value: Function


@dataclass(frozen=True, kw_only=True)
class Values(Parameters):
    values: Function


@dataclass(frozen=True, kw_only=True)
class Key(Parameters):
    key: Function


@dataclass(frozen=True, kw_only=True)
class Peek(Parameters):
    shown: Function


@dataclass(frozen=True, kw_only=True)
class Split(Parameters):
    predicates: tuple[Function, ...]


@dataclass(frozen=True, kw_only=True)
class Versioned(Parameters):
    history_ms: int


@dataclass(frozen=True, kw_only=True)
class DropDuplicates(Parameters):
    within_ms: int
    id: Function | None = None


@dataclass(frozen=True, kw_only=True)
class Reduce(Parameters):
    reducer: Function


@dataclass(frozen=True, kw_only=True)
class Aggregate(Parameters):
    aggregator: Function
    initial: Function


@dataclass(frozen=True, kw_only=True)
class Cogroup(Parameters):
    aggregators: tuple[Function, ...]
    initial: Function


@dataclass(frozen=True, kw_only=True)
class TableFilter(Parameters):
    predicate: Function
    keep: bool
    wants_old: bool
    versioned: bool


@dataclass(frozen=True, kw_only=True)
class TableGroupBy(Parameters):
    pair: Function
    versioned: bool


@dataclass(frozen=True, kw_only=True)
class TableReduce(Parameters):
    adder: Function
    subtractor: Function


@dataclass(frozen=True, kw_only=True)
class TableAggregate(TableReduce):
    initial: Function


@dataclass(frozen=True, kw_only=True)
class StreamJoin(Parameters):
    joiner: Function
    before_ms: int
    after_ms: int
    grace_ms: int
    retention_ms: int
    keeps: tuple[bool, bool]
    """Whether each side keeps what finds no partner."""
    one_store: bool
    one_stream: bool


@dataclass(frozen=True, kw_only=True)
class StreamTableJoin(Parameters):
    joiner: Function
    keep_all: bool
    grace_ms: int | None


@dataclass(frozen=True, kw_only=True)
class StreamGlobalJoin(Parameters):
    on: Function
    joiner: Function
    keep_all: bool


@dataclass(frozen=True, kw_only=True)
class TableJoin(Parameters):
    joiner: Function
    side: str
    named: bool
    settles: bool
    versioned: tuple[bool, bool]


@dataclass(frozen=True, kw_only=True)
class ForeignKeySubscribe(Parameters):
    on: Function
    keep_all: bool
    versioned: bool


@dataclass(frozen=True, kw_only=True)
class ForeignKeyMatch(Parameters):
    versioned: bool


@dataclass(frozen=True, kw_only=True)
class ForeignKeyJoin(Parameters):
    joiner: Function
    keep_all: bool


@dataclass(frozen=True, kw_only=True)
class Repartition(Parameters):
    takes_none: bool
    partitions: Function


@dataclass(frozen=True, kw_only=True)
class To(Parameters):
    key: Function
    value: Function
    topic: Function | None
    """Names the topic of each record, if the user's function chooses it."""
    partitions: Function | None
    headers: Function | None
    """The headers of each record, if the serdes write some."""


@dataclass(frozen=True, kw_only=True)
class WindowedAggregation(Parameters):
    """The fold of a window and how long windows are kept; which functions there are depends on the fold."""

    fold: str
    reducer: Function | None
    initial: Function | None
    aggregator: Function | None
    merger: Function | None
    kept_ms: int
    lateness_ms: int
    final: bool


@dataclass(frozen=True, kw_only=True)
class TimeWindowed(WindowedAggregation):
    size_ms: int
    advance_ms: int
    start_ms: int | None
    """Where the one window begins that has no end."""


@dataclass(frozen=True, kw_only=True)
class SlidingWindowed(WindowedAggregation):
    difference_ms: int


@dataclass(frozen=True, kw_only=True)
class SessionWindowed(WindowedAggregation):
    gap_ms: int


@dataclass(frozen=True, kw_only=True)
class Suppress(Parameters):
    final: bool
    wait_ms: int
    max_records: int | None
    max_bytes: int | None
    fail_when_full: bool
    window_ms: int | None
    """The size of the windows that the keys tell, if all have one."""
    where: Function
