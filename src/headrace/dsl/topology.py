"""Topologies written by hand: sources, processors and sinks, each with a name, on the same builder as streams."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

from headrace.build import processors
from headrace.build.names import checked_name, fitting_serde
from headrace.dsl import stream as streams
from headrace.errors import NodeUnknown, ParentMissing, ParentNotStream, TopicsOverlap
from headrace.plan.nodes import Merge, Node, Process, TableTransformValues, To
from headrace.plan.origin import origin
from headrace.plan.stores import Store
from headrace.serde import BYTES, Serde

if TYPE_CHECKING:
    from headrace.dsl.builder import Builder


class Topology:
    """An application as a graph of named nodes: `app.topology`. Streams of the same application can be parents, too.

    app.topology.add_source("in", "clicks", key=hr.STRING, value=hr.STRING)
    app.topology.add_processor("dedup", Deduplicate, "in", key=hr.STRING, value=hr.STRING)
    app.topology.add_sink("out", "unique-clicks", "dedup")
    """

    def __init__(self, builder: Builder) -> None:
        self._builder, self._declared = builder, builder._declared

    def add_source(
        self,
        name: str,
        topic: str | Sequence[str] | re.Pattern[str],
        *,
        key: Serde[Any] = BYTES,
        value: Serde[Any] = BYTES,
    ) -> Topology:
        """Read a topic, several, or all whose names match a compiled pattern; a topic is read once."""
        here = origin()
        before = set(self._declared.node_names)
        made = self._builder.stream(topic, key=key, value=value, name=name)._node
        if made.name in before:
            raise TopicsOverlap([topic] if isinstance(topic, str) else [str(topic)], made.origin, here)
        return self

    def add_processor(
        self,
        name: str,
        processor: processors.Given,
        *parents: str,
        stores: processors.Stores = (),
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
    ) -> Topology:
        """Hand every record of the parents to a processor, which sends on what it likes.

        `key` and `value` say what it sends on; without them its class does in brackets, or nobody knows.
        """
        here = origin()
        name = self._declared.unique(name, name, here)
        read = self._parents("processor", name, parents, here)
        processors.process(self._declared, read, processor, name, here, stores=stores, key=key, value=value)
        return self

    def add_sink(
        self,
        name: str,
        topic: str,
        *parents: str,
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
    ) -> Topology:
        """Write every record of the parents to a topic, with the serdes they came with if none are given."""
        here = origin()
        name = self._declared.unique(name, name, here)
        checked_name("a topic", topic, here)
        upstream = self._gathered(name, self._parents("sink", name, parents, here), here)
        schema = upstream.output()
        key, value = fitting_serde("key", key, schema.key, here), fitting_serde("value", value, schema.value, here)
        self._declared.add(To(name=name, origin=here, upstream=upstream, topic=topic, key=key, value=value))
        return self

    def add_state_store(self, store: Store[Any], *names: str) -> Topology:
        """Add a store, and connect the processors of these names to it."""
        here = origin()
        self._builder.add_state_store(store)
        for name in names:
            self._connect(name, (store,), here)
        return self

    def connect_processor_and_state_stores(self, processor: str, *stores: str) -> Topology:
        """Let a processor reach stores that were added, or that tables keep."""
        self._connect(processor, stores, origin())
        return self

    def add_global_store(
        self,
        store: Store[Any],
        topic: str,
        processor: processors.Given,
        *,
        key: Serde[Any] = BYTES,
        value: Serde[Any] = BYTES,
        name: str | None = None,
    ) -> Topology:
        """Add a store that every task has in full, filled from a topic; see `app.add_global_store`."""
        self._builder.add_global_store(store, topic, processor, key=key, value=value, name=name)
        return self

    def add_read_only_state_store(
        self,
        store: Store[Any],
        topic: str,
        processor: processors.Given,
        *,
        key: Serde[Any] = BYTES,
        value: Serde[Any] = BYTES,
        name: str | None = None,
    ) -> Topology:
        """Add a store that is each task's share of a topic: a processor fills it, all others can only read it.

        The topic is all that is needed to fill it again, so there is no other copy of it.
        """
        here = origin()
        name = self._declared.unique(name, f"{topic}.process", here)
        self._declared.take_store(store, here, keeper=name)
        source = f"{name}.source"
        self.add_source(source, topic, key=key, value=value)
        read = self._parents("processor", name, (source,), here)
        processors.process(self._declared, read, processor, name, here, stores=(store.name,))
        return self

    def stream(self, name: str) -> streams.KStream[Any, Any]:
        """What a source or a processor sends on, as a stream to go on with."""
        here = origin()
        (node,) = self._parents("stream", name, (name,), here)
        return streams.KStream(self._declared, node)

    def _parents(self, kind: str, name: str, parents: tuple[str, ...], here: str) -> tuple[Node, ...]:
        if not parents:
            raise ParentMissing(kind, name, here)
        return tuple(self._parent(name, parent, here) for parent in dict.fromkeys(parents))

    def _parent(self, name: str, parent: str, here: str) -> Node:
        node = self._declared.node(parent)
        if node is None:
            raise NodeUnknown(f"{name!r} reads from {parent!r}", self._declared.node_names, here)
        if node.facts.table:
            raise ParentNotStream(parent, node.op, name, here, "go on from its changes: table.to_stream(name=...)")
        if node.facts.everywhere:
            raise ParentNotStream(parent, node.op, name, here, "look things up in it: context.store(...)")
        if isinstance(node, To):
            raise ParentNotStream(parent, "sink", name, here, "read from what the sink reads from")
        return node

    def _gathered(self, name: str, parents: tuple[Node, ...], here: str) -> Node:
        """Several parents as one."""

        def merged(left: Node, right: Node) -> Node:
            path = self._declared.unique(None, f"{name}.merge", here)
            return self._declared.add(Merge(name=path, origin=here, left=left, right=right))

        return reduce(merged, parents)

    def _connect(self, processor: str, stores: processors.Stores, here: str) -> None:
        node = self._declared.node(processor)
        if not isinstance(node, Process | TableTransformValues):
            raise NodeUnknown(f"stores are connected to processor {processor!r}", self._processors(), here)
        self._declared.connections.connect(processor, stores, here)

    def _processors(self) -> list[str]:
        kinds = (Process, TableTransformValues)
        return [name for name in self._declared.node_names if isinstance(self._declared.node(name), kinds)]
