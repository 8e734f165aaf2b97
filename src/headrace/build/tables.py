"""Operators of tables: nodes that filter, map, group, hold back and stream rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.build.declared import Declared
from headrace.build.functions import KEY_VALUE, VALUE, Function, bound, exactly, pair_type
from headrace.build.names import ttl_of
from headrace.build.processors import Stores, sent_field
from headrace.build.stateless import select_key
from headrace.build.suppressed import Suppressed, checked
from headrace.errors import VersionsHeldBack
from headrace.model.durations import Duration
from headrace.model.types import BOOL
from headrace.plan.nodes import (
    Node,
    Suppress,
    TableFilter,
    TableGroupBy,
    TableMapValues,
    TableTransformValues,
    ToStream,
    ToTable,
)
from headrace.processor import ValueTransformer
from headrace.processor.supplied import supplied
from headrace.serde import Serde


def to_table(
    declared: Declared,
    node: Node,
    *,
    store: str | None = None,
    emit: str | None = None,
    ttl: Duration | None = None,
    name: str | None = None,
    here: str,
) -> Node:
    """Table of a stream: the last value of each key is its row."""
    node.output().key.store_serde(here)  # raises if the key has no bytes to be found by
    kept = declared.kept(store, emit, here)
    return declared.follow(ToTable, node, "to_table", name, here, **kept, ttl_ms=ttl_of(ttl, here))


def filter_rows(
    declared: Declared,
    node: Node,
    predicate: Function,
    *,
    keep: bool,
    store: str | None = None,
    emit: str | None = None,
    name: str | None = None,
    here: str,
) -> Node:
    """Filter of a table: the rows whose predicate is true, or with `keep=False` those whose predicate is not."""
    op = "filter" if keep else "filter_not"
    condition = bound(op, predicate, (KEY_VALUE,), node, here, exactly(BOOL, "the predicate"))
    kept = declared.kept(store, emit, here)
    return declared.follow(TableFilter, node, op, name, here, **kept, predicate=condition, keep=keep)


def map_rows(
    declared: Declared,
    node: Node,
    mapper: Function,
    *,
    store: str | None = None,
    emit: str | None = None,
    name: str | None = None,
    here: str,
) -> Node:
    """Map of a table to a new value for each row."""
    value = bound("map_values", mapper, (VALUE, KEY_VALUE), node, here)
    kept = declared.kept(store, emit, here)
    return declared.follow(TableMapValues, node, "map_values", name, here, **kept, value=value)


def transform_rows(
    declared: Declared,
    node: Node,
    transformer: Callable[..., Any],
    *,
    stores: Stores,
    value: Serde[Any] | None = None,
    store: str | None = None,
    emit: str | None = None,
    name: str | None = None,
    here: str,
) -> Node:
    """Map of a table to a new value for each row, by a transformer that may use stores."""
    made = supplied("transform_values", transformer, ValueTransformer, here)
    field = sent_field(value, made.sends[0] if made.sends else None)
    kept = declared.kept(store, emit, here)
    table = declared.follow(
        TableTransformValues,
        node,
        "transform_values",
        name,
        here,
        **kept,
        make=made.make,
        shown=made.shown,
        value=field,
    )
    declared.connections.connect(table.name, (*made.stores, *stores), here)
    return table


def group_rows(declared: Declared, node: Node, selector: Function, *, name: str | None = None, here: str) -> Node:
    """Groups of a table: each row gets a new key, and the value to aggregate."""
    pair = bound("group_by", selector, (KEY_VALUE,), node, here, pair_type)
    path = declared.unique(name, f"{node.name}.group_by", here)
    grouped = TableGroupBy(name=path, origin=here, upstream=node, pair=pair)
    grouped.output().key.store_serde(here)  # raises if the key has no bytes to be found by
    return declared.add(grouped)


def suppress(declared: Declared, node: Node, until: Suppressed, *, name: str | None = None, here: str) -> Node:
    """Suppression of a table: changes are held back, and the last of each key is sent on."""
    told = checked(until, here)
    if node.versioned:
        raise VersionsHeldBack(node.name, here)
    held = Suppress(
        name=declared.unique(name, f"{node.name}.suppress", here),
        origin=here,
        upstream=node,
        wait_ms=told.wait_ms(node, here),
        final=told.limit_ms is None,
        max_records=told.max_records,
        fail_when_full=told.fail_when_full,
        emit=declared.emit,
        max_bytes=told.max_bytes,
        idle_ms=told.idle_ms,
    )
    if told.max_bytes is not None:
        held.output().value.default_serde(here)  # raises if values have no bytes to be counted
    return declared.add(held)


def to_stream(declared: Declared, node: Node, mapper: Function | None, *, name: str | None = None, here: str) -> Node:
    """Stream of the changes of a table, with new keys if there is a mapper."""
    changes = declared.follow(ToStream, node, "to_stream", name, here)
    return changes if mapper is None else select_key(declared, changes, mapper, name=None, here=here)
