"""Topologies written by hand: sources, processors and sinks, each with a name, on the same builder as streams."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from headrace.build import by_hand, processors
from headrace.dsl import stream as streams
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
        by_hand.add_source(self._declared, name, topic, key=key, value=value, here=origin())
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
        by_hand.add_processor(
            self._declared, name, processor, parents, stores=stores, key=key, value=value, here=origin()
        )
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
        by_hand.add_sink(self._declared, name, topic, parents, key=key, value=value, here=origin())
        return self

    def add_state_store(self, store: Store[Any], *names: str) -> Topology:
        """Add a store, and connect the processors of these names to it."""
        here = origin()
        self._builder.add_state_store(store)
        for name in names:
            by_hand.connect_stores(self._declared, name, (store,), here)
        return self

    def connect_processor_and_state_stores(self, processor: str, *stores: str) -> Topology:
        """Let a processor reach stores that were added, or that tables keep."""
        by_hand.connect_stores(self._declared, processor, stores, origin())
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
        by_hand.add_read_only_store(
            self._declared, store, topic, processor, key=key, value=value, name=name, here=origin()
        )
        return self

    def stream(self, name: str) -> streams.KStream[Any, Any]:
        """Results of a source or a processor, as a stream to go on with."""
        return streams.KStream(self._declared, by_hand.stream_of(self._declared, name, origin()))
