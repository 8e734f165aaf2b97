"""Sources: nodes that read topics as streams, tables and global stores."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from headrace.build.declared import Declared
from headrace.build.names import ttl_of
from headrace.build.options import Timestamp, check_same, start_of, times_of
from headrace.build.processors import Given
from headrace.build.serdes import read_with
from headrace.build.sources import Topics, same_source, topics_of
from headrace.errors import NameTaken, OptionInvalid, TopicsOverlap
from headrace.model.durations import Duration, duration_ms, duration_text
from headrace.plan.nodes import GlobalStore, GlobalTable, Node, Source, Start, TableSource, Times, VersionedTable
from headrace.plan.stores import Store
from headrace.processor import Processor
from headrace.processor.supplied import supplied
from headrace.serde import Serde


def read_stream(
    declared: Declared,
    topic: Topics,
    *,
    key: Serde[Any],
    value: Serde[Any],
    timestamp: Timestamp | None = None,
    start: str | None = None,
    name: str | None = None,
    here: str,
) -> Source:
    """Source of a stream: a topic, several topics, or all that match a pattern; the same source if read again."""
    topics, pattern = topics_of(topic, here)
    key, value = read_with(topics, key, value, here)
    stamp, first = times_of(timestamp, key, value, here), start_of(start, here)
    again = same_source(declared.nodes, topics, pattern, key, value, here)
    if again is not None:
        check_same(again, here, timestamp=stamp, start=first)
        return again
    path = re.sub(r"[^A-Za-z0-9._-]+", "_", pattern).strip("_") if pattern else "-".join(topics)
    taken = declared.node(path)
    if name is None and taken is not None:  # the checkpoint knows sources by their names: no number will do
        raise NameTaken(path, taken.origin, here)
    source = Source(
        name=declared.unique(name, path, here),
        origin=here,
        topics=topics,
        pattern=pattern,
        key=key,
        value=value,
        timestamp=stamp or Times.FAIL,
        start=first or Start.EARLIEST,
    )
    return declared.add(source)


def read_table(
    declared: Declared,
    topic: str,
    *,
    key: Serde[Any],
    value: Serde[Any],
    store: str | None = None,
    emit: str | None = None,
    timestamp: Timestamp | None = None,
    start: str | None = None,
    ttl: Duration | None = None,
    name: str | None = None,
    here: str,
) -> Node:
    """Source of a table: the last record of each key is its row."""
    given = {"key": key, "value": value, "store": store, "emit": emit, "timestamp": timestamp, "start": start}
    return _table(declared, TableSource, topic, given, name, here, None, {"ttl_ms": ttl_of(ttl, here)})


def read_versioned_table(
    declared: Declared,
    topic: str,
    *,
    key: Serde[Any],
    value: Serde[Any],
    history: Duration,
    store: str | None = None,
    timestamp: Timestamp | None = None,
    start: str | None = None,
    name: str | None = None,
    here: str,
) -> Node:
    """Source of a table that knows what its rows were, as long ago as `history`."""
    given = {"key": key, "value": value, "store": store, "emit": "every", "timestamp": timestamp, "start": start}
    kept = {"history_ms": duration_ms("history", history, here)}
    return _table(declared, VersionedTable, topic, given, name, here, f"{topic}.versioned_table", kept)


def _table(
    declared: Declared,
    kind: type[TableSource],
    topic: str,
    given: Mapping[str, Any],
    name: str | None,
    here: str,
    path: str | None,
    parameters: Mapping[str, Any],
) -> Node:
    topics, _ = topics_of(topic, here)
    (key, value), store = read_with(topics, given["key"], given["value"], here), given["store"]
    stamp, first = times_of(given["timestamp"], key, value, here), start_of(given["start"], here)
    again = same_source(declared.nodes, topics, None, key, value, here, kind)
    if again is not None:
        assert isinstance(again, TableSource)
        if store not in (None, again.store):
            raise OptionInvalid("store", store, f"{again.store!r}, as at {again.origin}, or leave it out", here)
        check_same(again, here, timestamp=stamp, start=first)
        ttl_ms = parameters.get("ttl_ms")
        if ttl_ms not in (None, again.ttl_ms):
            raise OptionInvalid("ttl", duration_text(ttl_ms), f"the one at {again.origin}, or leave it out", here)
        return again
    node = kind(
        name=declared.unique(name, topic, here),
        origin=here,
        topics=topics,
        key=key,
        value=value,
        timestamp=stamp or Times.FAIL,
        start=first or Start.EARLIEST,
        **declared.kept(store, given["emit"], here, path),
        **parameters,
    )
    return declared.add(node)


def read_global_table(
    declared: Declared,
    topic: str,
    *,
    key: Serde[Any],
    value: Serde[Any],
    store: str | None = None,
    timestamp: Timestamp | None = None,
    name: str | None = None,
    here: str,
) -> GlobalTable:
    """Source of a table that every task has in full."""
    topics, _ = topics_of(topic, here)
    key, value = read_with(topics, key, value, here)
    stamp = times_of(timestamp, key, value, here)
    again = same_source(declared.nodes, topics, None, key, value, here, GlobalTable)
    if again is not None:
        assert isinstance(again, GlobalTable)
        check_same(again, here, timestamp=stamp)
        return again
    kept = declared.store_name(store, f"{topic}.global_table", here)
    node = GlobalTable(
        name=declared.unique(name, topic, here),
        origin=here,
        topics=topics,
        key=key,
        value=value,
        timestamp=stamp or Times.FAIL,
        store=kept,
    )
    return declared.add(node)


def read_global_store(
    declared: Declared,
    store: Store[Any],
    topic: str,
    processor: Given,
    *,
    key: Serde[Any],
    value: Serde[Any],
    name: str | None = None,
    here: str,
) -> Node:
    """Source of a store that every task has in full, filled by a processor."""
    topics, _ = topics_of(topic, here)
    key, value = read_with(topics, key, value, here)
    again = same_source(declared.nodes, topics, None, key, value, here, GlobalStore)
    if again is not None:
        raise TopicsOverlap(topics, again.origin, here)
    made = supplied("add_global_store", processor, Processor, here)
    others = [one for one in made.stores if one not in (store, getattr(store, "name", None))]
    if others:
        raise OptionInvalid("stores", others, "none: the processor of a global store reaches that one alone", here)
    declared.take_store(store, here)
    node = GlobalStore(
        name=declared.unique(name, topic, here),
        origin=here,
        topics=topics,
        key=key,
        value=value,
        store=store.name,
        definition=store,
        make=made.make,
        shown=made.shown,
    )
    return declared.add(node)
