"""Which processors reach which stores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from headrace.build.names import checked_name
from headrace.errors import NameTaken, OptionInvalid, StoreNotForProcessors, StoreUnknown, StoreUnused
from headrace.plan.graph import Plan
from headrace.plan.nodes import (
    GlobalStore,
    GlobalTable,
    Node,
    Process,
    SessionWindowed,
    StreamJoin,
    TableTransformValues,
    VersionedTable,
    WindowedCogroup,
)
from headrace.plan.nodes.windowed import WindowedAggregation
from headrace.plan.stores import Connection, KeyValue, Session, Store, Versioned, Window
from headrace.serde import TimeWindowedSerde


@dataclass(frozen=True)
class _Added:
    store: Store[Any]
    origin: str
    keeper: str | None
    """The only node that may write it, if it is the copy of a topic."""


class Connections:
    """The stores that were added, and by which names processors asked for them.

    A name may be asked for before its store is declared: only the whole topology tells.
    """

    def __init__(self) -> None:
        self._added: dict[str, _Added] = {}
        self._asked: dict[str, dict[str, str]] = {}
        """By the name of a node, the names of its stores with the lines that name them."""

    def add(self, store: Store[Any], here: str, keeper: str | None = None) -> None:
        """Take in a store. The very same may be added again: by each processor that names it."""
        if not isinstance(store, Store):
            raise OptionInvalid("store", store, "one of hr.stores, such as hr.stores.key_value(...)", here)
        checked_name("a store", store.name, here)
        known = self._added.get(store.name)
        if known is not None and (known.store != store or keeper or known.keeper):
            raise NameTaken(store.name, known.origin, here)
        self._added.setdefault(store.name, _Added(store, here, keeper))

    def origin_of(self, name: str) -> str | None:
        """Where a store of this name was added, None if it was not."""
        return self._added[name].origin if name in self._added else None

    def connect(self, node: str, stores: Iterable[Store[Any] | str], here: str) -> None:
        """Let a node reach some stores; one that is given as declared is added."""
        asked = self._asked.setdefault(node, {})
        for store in stores:
            if not isinstance(store, str):
                self.add(store, here)
            asked.setdefault(store if isinstance(store, str) else store.name, here)

    def connected(self, plan: Plan) -> Plan:
        """The plan with the stores of its processors; raises for one that is not there, or that nobody uses."""
        owners = {store: node for node in plan.nodes for store in _kept(node)}
        everywhere = [_owned(owner, name) for name, owner in owners.items() if owner.facts.everywhere]
        used: set[str] = set()

        def change(node: Node) -> Node:
            if not isinstance(node, Process | TableTransformValues):
                return node
            asked = self._asked.get(node.name, {})
            used.update(asked)
            found = {name: self._found(name, node, owners, here) for name, here in asked.items()}
            found |= {one.store.name: one for one in everywhere if one is not None}
            return replace(node, stores=tuple(found.values())) if found else node

        connected = plan.rewrite(change)
        for name, added in self._added.items():
            if name not in used and name not in owners:
                raise StoreUnused(name, added.origin)
        return connected

    def _found(self, name: str, node: Node, owners: Mapping[str, Node], here: str) -> Connection:
        added = self._added.get(name)
        if name in owners:
            connection = _owned(owners[name], name)
            if connection is None:
                raise StoreNotForProcessors(name, owners[name].op, node.name, here)
            return connection
        if added is None:
            raise StoreUnknown(name, node.name, sorted({*self._added, *owners}), here)
        return Connection(added.store, read_only=added.keeper not in (None, node.name))


def _kept(node: Node) -> tuple[str, ...]:
    store = getattr(node, "store", None)
    return () if store is None else (store,)


def _owned(node: Node, name: str) -> Connection | None:
    """The store that an operator keeps, as processors see it; None if it makes no sense to anybody else."""
    if isinstance(node, GlobalStore):
        return Connection(node.definition, read_only=True, everywhere=True)
    if isinstance(node, StreamJoin) or not node.facts.table:
        return None
    if isinstance(node, WindowedCogroup):
        return _owned(node.parts[0], name)  # they keep one store together
    key = node.output().key.store_serde()
    if isinstance(node, VersionedTable):
        return Connection(Versioned(name=name, key=key, value=None, history_ms=node.history_ms))
    if isinstance(node, SessionWindowed):
        return Connection(Session(name=name, key=node.key_serde(), value=None, retention_ms=node.kept_ms))
    if isinstance(node, WindowedAggregation):
        assert isinstance(key, TimeWindowedSerde), "windows that are no sessions have one size"
        windows: Window[Any] = Window(
            name=name, key=key.inner, value=None, size_ms=key.size_ms, retention_ms=node.kept_ms, timestamped=True
        )
        return Connection(windows)
    everywhere = isinstance(node, GlobalTable)
    rows: KeyValue[Any] = KeyValue(name=name, key=key, value=None, timestamped=True)
    return Connection(rows, read_only=everywhere, everywhere=everywhere)
