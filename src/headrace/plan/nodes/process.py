"""Processors: the user's own code between streams, with stores and timers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from headrace.plan.nodes.base import Node, NodeFacts
from headrace.plan.nodes.materialized import RowByRow, kept
from headrace.plan.nodes.source import Source
from headrace.plan.schema import Field, Schema
from headrace.plan.state import Prefetched, StateDescriptor
from headrace.plan.stores import KeyValue, Store, StoreConnection


@dataclass(frozen=True, kw_only=True, eq=False)
class Process(Node):
    """Every record through a processor, which sends on what it likes, when it likes, with keys of its own.

    No repartition is put in front of it: it takes records in the task that they are in. Processors that share a store
    run in one task.
    """

    parents: tuple[Node, ...]
    make: Callable[[], Any]
    """A new processor, one for each task."""

    shown: str
    key: Field
    value: Field
    connections: tuple[StoreConnection, ...] = ()

    op = "process"
    facts = NodeFacts(stateful=True, rekeys=True, ends=True, anywhere=True)

    @property
    def prefetched(self) -> tuple[Prefetched, ...]:
        stores = (one.store for one in self.connections)
        return tuple(Prefetched(store.name, store.key) for store in stores if isinstance(store, KeyValue))

    def output(self) -> Schema:
        return Schema(self.key, self.value)

    @property
    def shared_stores(self) -> tuple[str, ...]:
        return own(self.connections)

    @property
    def read_everywhere(self) -> tuple[str, ...]:
        return of_all_tasks(self.connections)

    def detail(self) -> str:
        return self.shown + listed(self.connections)


@dataclass(frozen=True, kw_only=True, eq=False)
class ProcessValues(Process):
    """Every record through a processor that leaves the keys alone."""

    op = "process_values"
    facts = NodeFacts(stateful=True, ends=True, anywhere=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class GlobalStore(Source):
    """A topic whose records a processor puts into a store that every task has in full, before all other records."""

    store: str
    definition: Store[Any]
    make: Callable[[], Any]
    shown: str

    op = "global_store"
    facts = NodeFacts(stateful=True, ends=True, everywhere=True)

    @property
    def state(self) -> tuple[StateDescriptor, ...]:
        return (*super().state, self.definition.state)

    def detail(self) -> str:
        return f"{super().detail()}, {self.shown}, store {self.store}"


@dataclass(frozen=True, kw_only=True, eq=False)
class TableTransformValues(RowByRow):
    """A new value for every row, from a transformer that may remember things; it is asked about deletions, too."""

    make: Callable[[], Any]
    shown: str
    value: Field
    connections: tuple[StoreConnection, ...] = ()

    op = "table_transform_values"
    facts = NodeFacts(stateful=True, ends=True, table=True)

    @property
    def shared_stores(self) -> tuple[str, ...]:
        return (*super().shared_stores, *own(self.connections))

    @property
    def read_everywhere(self) -> tuple[str, ...]:
        return of_all_tasks(self.connections)

    def output(self) -> Schema:
        return Schema(self.upstream.output().key, self.value)

    def detail(self) -> str:
        return self.shown + listed(self.connections) + kept(self.store, self.emit)


def own(stores: tuple[StoreConnection, ...]) -> tuple[str, ...]:
    """The names of the stores that are held by the task of a processor."""
    return tuple(one.store.name for one in stores if not one.everywhere)


def of_all_tasks(stores: tuple[StoreConnection, ...]) -> tuple[str, ...]:
    """The names of the stores that every task has in full."""
    return tuple(one.store.name for one in stores if one.everywhere)


def listed(stores: tuple[StoreConnection, ...]) -> str:
    """Stores of a processor, as `describe()` shows them."""
    names = own(stores)
    return f", {'store' if len(names) == 1 else 'stores'} {', '.join(names)}" if names else ""
