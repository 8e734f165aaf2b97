"""Deduplication of streams: the node that keeps what it sent on for a time."""

from __future__ import annotations

from headrace.build.declared import Declared
from headrace.build.functions import KEY_VALUE, Function, bound
from headrace.model.durations import Duration, duration_ms
from headrace.plan.nodes import DropDuplicates, Node
from headrace.serde import serde_of


def drop_duplicates(
    declared: Declared,
    node: Node,
    *,
    key: Function | None = None,
    within: Duration,
    store: str | None = None,
    name: str | None = None,
    here: str,
) -> Node:
    """Deduplication of a stream by key, and by what a function finds in the record."""
    within_ms = duration_ms("within", within, here, least=1)
    node.output().key.store_serde(here)  # raises if the key has no bytes to be found by
    found = None if key is None else bound("drop_duplicates", key, (KEY_VALUE,), node, here)
    if found is not None:
        serde_of(found.type, here)  # raises if the id has no bytes to be found by
    kept = declared.store_name(store, name or f"{node.name}.drop_duplicates", here)
    return declared.follow(
        DropDuplicates, node, "drop_duplicates", name, here, id=found, within_ms=within_ms, store=kept
    )
