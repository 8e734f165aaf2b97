"""Connect processors to the stores that they name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from headrace.errors import StoreNotForProcessors, StoreUnknown, StoreUnused
from headrace.plan.graph import Plan
from headrace.plan.nodes import GlobalStore, Node, Process, TableTransformValues
from headrace.plan.state import TableRows, Versions, WindowRows
from headrace.plan.store_requests import StoreRequests
from headrace.plan.stores import KeyValue, Session, Store, StoreConnection, Versioned, Window
from headrace.serde import Serde, SessionWindowedSerde, TimeWindowedSerde


def connect_stores(plan: Plan) -> Plan:
    """Give each processor its stores; refuse a store that is not there, or that nobody uses."""
    requests = plan.requests
    if requests is None:
        return plan
    owners = {store: node for node in plan.nodes for store in _kept(node)}
    everywhere = [_owned(owner, name) for name, owner in owners.items() if owner.facts.everywhere]
    used: set[str] = set()

    def change(node: Node) -> Node:
        if not isinstance(node, Process | TableTransformValues):
            return node
        asked = requests.asked.get(node.name, {})
        used.update(asked)
        found = {name: _found(requests, name, node, owners, here) for name, here in asked.items()}
        found |= {one.store.name: one for one in everywhere if one is not None}
        return replace(node, connections=tuple(found.values())) if found else node

    connected = plan.rewrite(change)
    for name, added in requests.added.items():
        if name not in used and name not in owners:
            raise StoreUnused(name, added.origin)
    return replace(connected, requests=None)


def _found(requests: StoreRequests, name: str, node: Node, owners: Mapping[str, Node], here: str) -> StoreConnection:
    added = requests.added.get(name)
    if name in owners:
        connection = _owned(owners[name], name)
        if connection is None:
            raise StoreNotForProcessors(name, owners[name].op, node.name, here)
        return connection
    if added is None:
        raise StoreUnknown(name, node.name, sorted({*requests.added, *owners}), here)
    return StoreConnection(added.store, read_only=added.keeper not in (None, node.name))


def _kept(node: Node) -> tuple[str, ...]:
    store = getattr(node, "store", None)
    return () if store is None else (store,)


def _owned(node: Node, name: str) -> StoreConnection | None:
    """The store that an operator keeps, as processors see it; None if it makes no sense to anybody else."""
    if isinstance(node, GlobalStore):
        return StoreConnection(node.definition, read_only=True, everywhere=True)
    schema = node.output()
    for state in node.state if node.facts.table else ():
        match state:
            case Versions(store=store) if store == name:
                key = schema.key.store_serde()
                return StoreConnection(Versioned(name=name, key=key, value=None, history_ms=state.history_ms))
            case WindowRows(store=store) if store == name:
                return StoreConnection(_windows(state, schema.key.serde))
            case TableRows(store=store) if store == name:
                rows: KeyValue[Any] = KeyValue(name=name, key=schema.key.store_serde(), value=None, timestamped=True)
                return StoreConnection(rows, read_only=node.facts.everywhere, everywhere=node.facts.everywhere)
    return None


def _windows(state: WindowRows, key: Serde[Any] | None) -> Store[Any]:
    """The windows of a table, whose keys have them behind."""
    if isinstance(key, SessionWindowedSerde):
        return Session(name=state.store, key=key.inner, value=None, retention_ms=state.kept_ms)
    assert isinstance(key, TimeWindowedSerde), "windows that are no sessions have one size"
    return Window(
        name=state.store, key=key.inner, value=None, size_ms=key.size_ms, retention_ms=state.kept_ms, timestamped=True
    )
