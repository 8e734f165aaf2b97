"""Processor topologies: sources, processors and sinks that are connected by their names."""

from __future__ import annotations

from functools import reduce
from typing import Any

from headrace.build.declared import Declared
from headrace.build.names import checked_name
from headrace.build.processors import Given, Stores, process
from headrace.build.reading import read_stream
from headrace.build.serdes import written_with
from headrace.build.sources import Topics
from headrace.errors import NodeUnknown, ParentMissing, ParentNotStream, TopicsOverlap
from headrace.plan.nodes import Merge, Node, Process, TableTransformValues, To
from headrace.plan.stores import Store
from headrace.serde import Serde


def add_source(declared: Declared, name: str, topic: Topics, *, key: Serde[Any], value: Serde[Any], here: str) -> Node:
    """Source of a name, which no other source reads the topics of."""
    before = set(declared.node_names)
    made = read_stream(declared, topic, key=key, value=value, timestamp=None, start=None, name=name, here=here)
    if made.name in before:
        raise TopicsOverlap([topic] if isinstance(topic, str) else [str(topic)], made.origin, here)
    return made


def add_processor(
    declared: Declared,
    name: str,
    processor: Given,
    parents: tuple[str, ...],
    *,
    stores: Stores,
    key: Serde[Any] | None = None,
    value: Serde[Any] | None = None,
    here: str,
) -> Node:
    """Processor of a name, behind its parents."""
    name = declared.unique(name, name, here)
    read = _parents(declared, "processor", name, parents, here)
    return process(declared, read, processor, name, here, stores=stores, key=key, value=value)


def add_sink(
    declared: Declared,
    name: str,
    topic: str,
    parents: tuple[str, ...],
    *,
    key: Serde[Any] | None = None,
    value: Serde[Any] | None = None,
    here: str,
) -> Node:
    """Sink of a name, behind its parents."""
    name = declared.unique(name, name, here)
    checked_name("a topic", topic, here)
    upstream = _gathered(declared, name, _parents(declared, "sink", name, parents, here), here)
    keys, values = written_with(topic, upstream.output(), key, value, here)
    return declared.add(To(name=name, origin=here, upstream=upstream, topic=topic, key=keys, value=values))


def add_read_only_store(
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
    """Store of each task's share of a topic, which one processor fills and all others can only read."""
    name = declared.unique(name, f"{topic}.process", here)
    declared.take_store(store, here, keeper=name)
    source = f"{name}.source"
    add_source(declared, source, topic, key=key, value=value, here=here)
    read = _parents(declared, "processor", name, (source,), here)
    return process(declared, read, processor, name, here, stores=(store.name,))


def stream_of(declared: Declared, name: str, here: str) -> Node:
    """The source or processor of a name, as a stream to go on with."""
    (node,) = _parents(declared, "stream", name, (name,), here)
    return node


def connect_stores(declared: Declared, processor: str, stores: Stores, here: str) -> None:
    """Connect stores to the processor of a name."""
    if not isinstance(declared.node(processor), _KINDS):
        known = [name for name in declared.node_names if isinstance(declared.node(name), _KINDS)]
        raise NodeUnknown(f"stores are connected to processor {processor!r}", known, here)
    declared.connections.connect(processor, stores, here)


_KINDS = (Process, TableTransformValues)


def _parents(declared: Declared, kind: str, name: str, parents: tuple[str, ...], here: str) -> tuple[Node, ...]:
    if not parents:
        raise ParentMissing(kind, name, here)
    return tuple(_parent(declared, name, parent, here) for parent in dict.fromkeys(parents))


def _parent(declared: Declared, name: str, parent: str, here: str) -> Node:
    node = declared.node(parent)
    if node is None:
        raise NodeUnknown(f"{name!r} reads from {parent!r}", declared.node_names, here)
    if node.facts.table:
        raise ParentNotStream(parent, node.op, name, here, "go on from its changes: table.to_stream(name=...)")
    if node.facts.everywhere:
        raise ParentNotStream(parent, node.op, name, here, "look things up in it: context.store(...)")
    if isinstance(node, To):
        raise ParentNotStream(parent, "sink", name, here, "read from what the sink reads from")
    return node


def _gathered(declared: Declared, name: str, parents: tuple[Node, ...], here: str) -> Node:
    """Several parents as one."""

    def merged(left: Node, right: Node) -> Node:
        path = declared.unique(None, f"{name}.merge", here)
        return declared.add(Merge(name=path, origin=here, left=left, right=right))

    return reduce(merged, parents)
