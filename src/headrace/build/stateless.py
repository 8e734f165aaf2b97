"""Stateless operators of streams: nodes that map, filter, merge and show records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from headrace.build.async_calls import called_with, check_not_given
from headrace.build.declared import Declared
from headrace.build.functions import (
    KEY_VALUE,
    VALUE,
    Function,
    acting,
    awaited,
    bound,
    exactly,
    list_of_pairs,
    list_type,
    pair_type,
    waits,
)
from headrace.build.names import checked_name
from headrace.build.options import Partitioner, partitioner_of
from headrace.build.serdes import written_with
from headrace.errors import OptionInvalid, TypesDiffer
from headrace.expr import Bound
from headrace.model.types import BOOL, STR
from headrace.plan.nodes import (
    AsyncMapValues,
    Filter,
    FlatMap,
    FlatMapValues,
    Foreach,
    Map,
    MapValues,
    Merge,
    Node,
    Peek,
    Print,
    Repartition,
    SelectKey,
    To,
)
from headrace.serde import Serde


def filter_records(
    declared: Declared, node: Node, predicate: Function, *, keep: bool, name: str | None = None, here: str
) -> Node:
    """Filter of a stream: the records whose predicate is true, or with `keep=False` those whose predicate is not."""
    op = "filter" if keep else "filter_not"
    condition = bound(op, predicate, (KEY_VALUE,), node, here, exactly(BOOL, "the predicate"))
    return declared.follow(Filter, node, op, name, here, predicate=condition, keep=keep)


def map_records(declared: Declared, node: Node, mapper: Function, *, name: str | None = None, here: str) -> Node:
    """Map of a stream to a new key and value for each record."""
    pair = bound("map", mapper, (KEY_VALUE,), node, here, pair_type)
    return declared.follow(Map, node, "map", name, here, pair=pair)


def map_values(
    declared: Declared,
    node: Node,
    mapper: Function,
    *,
    name: str | None = None,
    here: str,
    calls: Mapping[str, Any] | None = None,
) -> Node:
    """Map of a stream to a new value for each record; `calls` are the options of a function that waits."""
    options = calls or {}
    if callable(mapper) and waits(mapper):
        waiting = awaited("map_values", mapper, (VALUE, KEY_VALUE), here)
        return declared.follow(
            AsyncMapValues, node, "map_values", name, here, value=waiting, **called_with(options, here)
        )
    check_not_given(options, here)
    value = bound("map_values", mapper, (VALUE, KEY_VALUE), node, here)
    return declared.follow(MapValues, node, "map_values", name, here, value=value)


def flat_map(declared: Declared, node: Node, mapper: Function, *, name: str | None = None, here: str) -> Node:
    """Map of a stream to any number of records for each record."""
    pairs = bound("flat_map", mapper, (KEY_VALUE,), node, here, list_of_pairs)
    return declared.follow(FlatMap, node, "flat_map", name, here, pairs=pairs)


def flat_map_values(declared: Declared, node: Node, mapper: Function, *, name: str | None = None, here: str) -> Node:
    """Map of a stream to any number of values for each record."""
    values = bound("flat_map_values", mapper, (VALUE, KEY_VALUE), node, here, list_type)
    return declared.follow(FlatMapValues, node, "flat_map_values", name, here, values=values)


def select_key(
    declared: Declared, node: Node, mapper: Function, *, name: str | None = None, here: str, op: str = "select_key"
) -> Node:
    """Map of a stream to a new key for each record."""
    key = bound(op, mapper, (KEY_VALUE,), node, here)
    return declared.follow(SelectKey, node, op, name, here, key=key)


def peek(declared: Declared, node: Node, shown: Function, *, name: str | None = None, here: str) -> Node:
    """Peek at a stream: a function is called with each record, and the record sent on."""
    return declared.follow(Peek, node, "peek", name, here, shown=acting("peek", shown, node, here))


def foreach(declared: Declared, node: Node, action: Function, *, name: str | None = None, here: str) -> Node:
    """End of a stream in a function that is called with each record."""
    called = acting("foreach", action, node, here, traced=False)
    return declared.follow(Foreach, node, "foreach", name, here, action=called)


def print_records(
    declared: Declared,
    node: Node,
    *,
    label: str | None = None,
    mapper: Function | None = None,
    file: str | Path | None = None,
    name: str | None = None,
    here: str,
) -> Node:
    """End of a stream in lines of text, on the console or in a file."""
    text = None if mapper is None else bound("print", mapper, (KEY_VALUE,), node, here)
    if file is not None and not Path(file).absolute().parent.is_dir():
        raise OptionInvalid("file", str(file), "a file in a directory that is there", here)
    written = None if file is None else str(file)
    shown = node.name if label is None else label
    return declared.follow(Print, node, "print", name, here, label=shown, mapper=text, file=written)


def merge(declared: Declared, left: Node, right: Node, *, name: str | None = None, here: str) -> Node:
    """Merge of two streams, whose keys and values have the same types."""
    for part in ("key", "value"):
        mine, theirs = (getattr(node.output(), part) for node in (left, right))
        if not mine.meets(theirs):
            fix = "bring them to one type with map or map_values first"
            raise TypesDiffer(f"the merged streams have {part}s of two types", mine, theirs, here, fix=fix)
    path = declared.unique(name, f"{left.name}.merge", here)
    return declared.add(Merge(name=path, origin=here, left=left, right=right))


def repartition(
    declared: Declared,
    node: Node,
    *,
    partitions: int | None = None,
    partitioner: Partitioner | None = None,
    name: str | None = None,
    here: str,
) -> Node:
    """Repartition of a stream: records with the same key come together in one task."""
    if partitions is not None and (not isinstance(partitions, int) or partitions < 1):
        raise OptionInvalid("partitions", partitions, "a whole number from 1 on", here)
    node.output().key.store_serde(here)  # raises if the key has no bytes to be sent by
    chosen = partitioner_of("repartition", partitioner, node.output(), here)
    return declared.follow(Repartition, node, "repartition", name, here, partitions=partitions, partitioner=chosen)


def to_topic(
    declared: Declared,
    node: Node,
    topic: str | Callable[..., Any] | Any,
    *,
    key: Serde[Any] | None = None,
    value: Serde[Any] | None = None,
    partitioner: Partitioner | None = None,
    name: str | None = None,
    here: str,
) -> Node:
    """Sink of a stream: a topic, or the topic that a function names for each record."""
    schema = node.output()
    target: str | Bound
    if isinstance(topic, str):
        path, target = f"to-{topic}", checked_name("a topic", topic, here)
    else:
        path, target = "to", bound("to", topic, (KEY_VALUE,), node, here, exactly(STR, "the topic"))
    keys, values = written_with(topic if isinstance(topic, str) else None, schema, key, value, here)
    chosen = partitioner_of("to", partitioner, schema, here)
    return declared.follow(To, node, path, name, here, topic=target, key=keys, value=values, partitioner=chosen)
