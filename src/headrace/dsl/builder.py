"""Where a topology begins: the builder that hands out streams and collects what is declared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeVar, overload

from headrace.dsl.connections import Connections
from headrace.dsl.global_table import GlobalKTable
from headrace.dsl.names import LONGEST_NAME, checked_name, emit_of, ttl_of
from headrace.dsl.options import Timestamp, check_same, start_of, times_of
from headrace.dsl.paths import Paths
from headrace.dsl.patterns import checked_pattern
from headrace.dsl.processors import Given
from headrace.dsl.stream import KStream
from headrace.dsl.table import KTable
from headrace.dsl.topics import check_topics
from headrace.dsl.topology import Topology
from headrace.errors import NameTaken, NothingToRun, OptionInvalid, StoreNeedsName, TopicReadTwoWays, TopicsOverlap
from headrace.model.durations import Duration, duration_ms, duration_text
from headrace.plan.graph import Plan
from headrace.plan.growth import GrowingStore, growing_stores
from headrace.plan.nodes import (
    Emit,
    GlobalStore,
    GlobalTable,
    Node,
    Source,
    Start,
    TableSource,
    Times,
    VersionedTable,
)
from headrace.plan.origin import origin
from headrace.plan.stores import Store
from headrace.processor import Processor
from headrace.processor.supplied import supplied
from headrace.serde import BYTES, Serde

K = TypeVar("K")
V = TypeVar("V")
N = TypeVar("N", bound=Node)

Topics = str | Sequence[str] | re.Pattern[str]


class Builder:
    """Collects the nodes of one application. Nothing runs while they are declared."""

    def __init__(self, app_id: str, *, emit: str = "settled") -> None:
        self.id = checked_name("an application", app_id, origin())
        self.emit = emit_of(emit, origin())
        self._nodes: list[Node] = []
        self._names: dict[str, Node] = {}
        self._stores: dict[str, Node] = {}
        self._unnamed_stores: set[str] = set()
        self._path_of: dict[str, str] = {}
        self._paths = Paths()
        self.connections = Connections()

    @overload
    def stream(
        self,
        topic: Topics,
        *,
        timestamp: Timestamp | None = None,
        start: str | None = None,
        name: str | None = None,
    ) -> KStream[bytes, bytes]: ...

    @overload
    def stream(
        self,
        topic: Topics,
        *,
        key: Serde[K],
        timestamp: Timestamp | None = None,
        start: str | None = None,
        name: str | None = None,
    ) -> KStream[K, bytes]: ...

    @overload
    def stream(
        self,
        topic: Topics,
        *,
        value: Serde[V],
        timestamp: Timestamp | None = None,
        start: str | None = None,
        name: str | None = None,
    ) -> KStream[bytes, V]: ...

    @overload
    def stream(
        self,
        topic: Topics,
        *,
        key: Serde[K],
        value: Serde[V],
        timestamp: Timestamp | None = None,
        start: str | None = None,
        name: str | None = None,
    ) -> KStream[K, V]: ...

    def stream(
        self,
        topic: Topics,
        *,
        key: Serde[Any] = BYTES,
        value: Serde[Any] = BYTES,
        timestamp: Timestamp | None = None,
        start: str | None = None,
        name: str | None = None,
    ) -> KStream[Any, Any]:
        """Read a topic, several topics, or every topic whose name matches a compiled pattern, as a stream.

        Records of one partition come in order. The same topics read twice, with the same types, are one source.
        A record whose bytes do not fit its serde stops the application with its topic-partition@offset, unless
        `.errors()` of the stream is read.

        `timestamp` gives records their times: `lambda key, value: ...` in milliseconds, which may also take the
        record's own `timestamp` and the latest `partition_time`; a negative result drops the record. Or it says what to
        do with a negative time: "fail", which is usual, "skip" or "partition_time"; "wall_clock" gives every record the
        time of day. `start` is "earliest" or "latest": where a topic begins that was not read before.

            lines = app.stream("lines", value=hr.STRING)
            logs = app.stream(re.compile("logs-.*"), value=hr.STRING)
        """
        here = origin()
        topics, pattern = _topics(topic, here)
        stamp, first = times_of(timestamp, key, value, here), start_of(start, here)
        again = self._same_source(topics, pattern, key, value, here)
        if again is not None:
            check_same(again, here, timestamp=stamp, start=first)
            return KStream(self, again)
        path = re.sub(r"[^A-Za-z0-9._-]+", "_", pattern).strip("_") if pattern else "-".join(topics)
        if name is None and path in self._names:  # the checkpoint knows sources by their names: no number will do
            raise NameTaken(path, self._names[path].origin, here)
        source = Source(
            name=self.unique(name, path, here),
            origin=here,
            topics=topics,
            pattern=pattern,
            key=key,
            value=value,
            timestamp=stamp or Times.FAIL,
            start=first or Start.EARLIEST,
        )
        return KStream(self, self.add(source))

    @overload
    def table(
        self,
        topic: str,
        *,
        store: str | None = None,
        emit: str | None = None,
        timestamp: Timestamp | None = None,
        start: str | None = None,
        ttl: Duration | None = None,
        name: str | None = None,
    ) -> KTable[bytes, bytes]: ...

    @overload
    def table(
        self,
        topic: str,
        *,
        key: Serde[K],
        store: str | None = None,
        emit: str | None = None,
        timestamp: Timestamp | None = None,
        start: str | None = None,
        ttl: Duration | None = None,
        name: str | None = None,
    ) -> KTable[K, bytes]: ...

    @overload
    def table(
        self,
        topic: str,
        *,
        value: Serde[V],
        store: str | None = None,
        emit: str | None = None,
        timestamp: Timestamp | None = None,
        start: str | None = None,
        ttl: Duration | None = None,
        name: str | None = None,
    ) -> KTable[bytes, V]: ...

    @overload
    def table(
        self,
        topic: str,
        *,
        key: Serde[K],
        value: Serde[V],
        store: str | None = None,
        emit: str | None = None,
        timestamp: Timestamp | None = None,
        start: str | None = None,
        ttl: Duration | None = None,
        name: str | None = None,
    ) -> KTable[K, V]: ...

    def table(
        self,
        topic: str,
        *,
        key: Serde[Any] = BYTES,
        value: Serde[Any] = BYTES,
        store: str | None = None,
        emit: str | None = None,
        timestamp: Timestamp | None = None,
        start: str | None = None,
        ttl: Duration | None = None,
        name: str | None = None,
    ) -> KTable[Any, Any]:
        """Read a topic as a table: the last record of each key is its row, one without a value deletes it.

        A record without a key is dropped. Records count in the order of the topic, whatever their times. Sends on
        every change; with the name of a store the last one of each key in a batch, or with `emit="every"` each.
        `timestamp` and `start` are as for `stream`.
        With `ttl="1d"`, a row without an update for a day of stream time, that of all records in its task, is deleted;
        a record that is older than that is dropped as late.

            users = app.table("users", key=hr.STRING, value=hr.STRING, store="users")
        """
        here = origin()
        ttl_ms = ttl_of(ttl, here)
        return self._table(TableSource, topic, key, value, store, emit, name, here, timestamp, start, ttl_ms=ttl_ms)

    def versioned_table(
        self,
        topic: str,
        *,
        key: Serde[K],
        value: Serde[V],
        history: Duration,
        store: str | None = None,
        timestamp: Timestamp | None = None,
        start: str | None = None,
        name: str | None = None,
    ) -> KTable[K, V]:
        """Read a topic as a table that knows what its rows were, as long ago as `history`.

        A record of a stream joins the row that was there at its time. An earlier record does not replace a later one;
        one that is older than the history is dropped as late. Sends on every change.

            prices = app.versioned_table("prices", key=hr.STRING, value=hr.DOUBLE, history="1h")
        """
        here = origin()
        history_ms = duration_ms("history", history, here)
        kept = store or f"{topic}.versioned_table"
        return self._table(
            VersionedTable, topic, key, value, kept, "every", name, here, timestamp, start, history_ms=history_ms
        )

    def global_table(
        self,
        topic: str,
        *,
        key: Serde[K],
        value: Serde[V],
        store: str | None = None,
        timestamp: Timestamp | None = None,
        name: str | None = None,
    ) -> GlobalKTable[K, V]:
        """Read a topic as a table that every task has in full, for streams to look things up in by any key.

        A record without a key is dropped. Of records that arrive together those of global tables come first.

            products = app.global_table("products", key=hr.STRING, value=hr.STRING)
        """
        here = origin()
        topics, _ = _topics(topic, here)
        stamp = times_of(timestamp, key, value, here)
        again = self._same_source(topics, None, key, value, here, GlobalTable)
        if again is not None:
            assert isinstance(again, GlobalTable)
            check_same(again, here, timestamp=stamp)
            return GlobalKTable(self, again)
        kept = self.store_name(store, f"{topic}.global_table", here)
        node = GlobalTable(
            name=self.unique(name, topic, here),
            origin=here,
            topics=topics,
            key=key,
            value=value,
            timestamp=stamp or Times.FAIL,
            store=kept,
        )
        return GlobalKTable(self, self.add(node))

    def add_state_store(self, store: Store[Any]) -> None:
        """Add a store for processors, which are connected to it by its name: `stores=("seen",)`.

        app.add_state_store(hr.stores.key_value("seen", key=hr.STRING, value=hr.BOOL))
        """
        self.take_store(store, origin())

    def add_global_store(
        self,
        store: Store[Any],
        topic: str,
        processor: Given,
        *,
        key: Serde[Any] = BYTES,
        value: Serde[Any] = BYTES,
        name: str | None = None,
    ) -> None:
        """Add a store that every task has in full: a processor fills it from a topic, all others can only read it.

        The processor keeps what it likes of each record with `context.store(...)`, and sends on nothing. Of records
        that arrive together those of global stores come first. No processor has to be connected to it.
        """
        here = origin()
        topics, _ = _topics(topic, here)
        again = self._same_source(topics, None, key, value, here, GlobalStore)
        if again is not None:
            raise TopicsOverlap(topics, again.origin, here)
        made = supplied("add_global_store", processor, Processor, here)
        self.take_store(store, here)
        node = GlobalStore(
            name=self.unique(name, topic, here),
            origin=here,
            topics=topics,
            key=key,
            value=value,
            store=store.name,
            definition=store,
            make=made.make,
            shown=made.shown,
        )
        self.add(node)

    @property
    def topology(self) -> Topology:
        """The same application, as sources, processors and sinks that are named one by one."""
        return Topology(self)

    def take_store(self, store: Store[Any], here: str, keeper: str | None = None) -> None:
        """Take in a store of processors; `keeper` is the only node that may write it, if there is one."""
        name = getattr(store, "name", None)
        if name in self._stores:
            raise NameTaken(name, self._stores[name].origin, here)
        self.connections.add(store, here, keeper)

    @property
    def node_names(self) -> list[str]:
        """The names of all nodes, in the order they were declared."""
        return list(self._names)

    def plan(self) -> Plan:
        """What was declared so far, as data."""
        read = {upstream for node in self._nodes for upstream in node.inputs}
        ends = tuple(node for node in self._nodes if node.facts.ends and node not in read)
        if not ends:
            raise NothingToRun(self.id)
        self._check_stores()
        check_topics(self._nodes)
        return self.connections.connected(Plan(self.id, ends, tuple(self._nodes)))

    def growing_stores(self) -> tuple[GrowingStore, ...]:
        """The stores that can grow without bound, each with its line, what it grows with, and what would bound it."""
        return growing_stores(self.plan().nodes)

    def add(self, node: N) -> N:
        """Take a node into the topology."""
        self._nodes.append(node)
        self._names[node.name] = node
        store = getattr(node, "store", None)
        if store is not None:
            self._stores[store] = node
        if node.name in self._path_of:
            named_by_store = store is not None and store not in self._unnamed_stores
            after = node.inputs[0] if node.inputs and not named_by_store else None
            self._paths.unnamed(node, self._path_of[node.name], after)
        else:
            self._paths.named(node)
        return node

    def node(self, name: str) -> Node | None:
        """The node of a name, if there is one."""
        return self._names.get(name)

    def unique(self, name: str | None, path: str, here: str, *, place: str | None = None) -> str:
        """The user's name, which must be new, or the path, told apart from its twins by a number.

        The number is for reading only: nothing that reaches disk or a topic is named by it. `place` is the path
        without a number that the caller has put there itself.
        """
        if name is not None:
            checked_name("an operator", name, here)
            if name in self._names:
                raise NameTaken(name, self._names[name].origin, here)
            return name
        candidate, twin = path, 2
        while candidate in self._names:
            candidate, twin = f"{path}-{twin}", twin + 1
        self._path_of[candidate] = place or path
        return candidate

    def store_name(self, name: str | None, path: str, here: str) -> str:
        """A name for a store, the user's or the path; both must be new, for state is found again by it."""
        if name is not None:
            checked_name("a store", name, here)
            taken = self._stores[name].origin if name in self._stores else self.connections.origin_of(name)
            if taken is not None:
                raise NameTaken(name, taken, here)
            return name
        op = path.rpartition(".")[2].partition("-")[0]
        if len(path) > LONGEST_NAME:
            raise StoreNeedsName(op, here, f"its path has {len(path)} characters, a name has at most {LONGEST_NAME}")
        if path in self._stores:
            twins = self._stores[path].origin, here
            raise StoreNeedsName(op, here, f"there is a store at its path {path!r} already", twins)
        self._unnamed_stores.add(path)
        return path

    def kept(self, store: str | None, emit: str | None, here: str) -> dict[str, Any]:
        """`store` and `emit` of a table that keeps its rows only if told where; without, every change is sent on."""
        if store is None:
            self.emission(emit, here)  # raises if it is none
            return {"store": None, "emit": Emit.EVERY}
        return {"store": self.store_name(store, store, here), "emit": self.emission(emit, here)}

    def emission(self, emit: str | None, here: str) -> Emit:
        """Which changes of a table are sent on: as told there, or as for the whole application."""
        return self.emit if emit is None else emit_of(emit, here)

    def _table(
        self,
        kind: type[TableSource],
        topic: str,
        key: Serde[Any],
        value: Serde[Any],
        store: str | None,
        emit: str | None,
        name: str | None,
        here: str,
        timestamp: Timestamp | None,
        start: str | None,
        **parameters: Any,
    ) -> KTable[Any, Any]:
        topics, _ = _topics(topic, here)
        stamp, first = times_of(timestamp, key, value, here), start_of(start, here)
        again = self._same_source(topics, None, key, value, here, kind)
        if again is not None:
            assert isinstance(again, TableSource)
            if store not in (None, again.store):
                raise OptionInvalid("store", store, f"{again.store!r}, as at {again.origin}, or leave it out", here)
            check_same(again, here, timestamp=stamp, start=first)
            if parameters.get("ttl_ms") not in (None, again.ttl_ms):
                raise OptionInvalid(
                    "ttl", duration_text(parameters["ttl_ms"]), f"the one at {again.origin}, or leave it out", here
                )
            return KTable(self, again)
        node = kind(
            name=self.unique(name, topic, here),
            origin=here,
            topics=topics,
            key=key,
            value=value,
            timestamp=stamp or Times.FAIL,
            start=first or Start.EARLIEST,
            **self.kept(store, emit, here),
            **parameters,
        )
        return KTable(self, self.add(node))

    def _check_stores(self) -> None:
        """Refuse a store whose name hangs on the order of lines: after a swap it would find another one's state.

        Only the whole topology tells, for the twin may be declared last.
        """
        for store in sorted(self._unnamed_stores & self._stores.keys()):
            node = self._stores[store]
            sides = [one for one in node.inputs if one.name in store]  # the store of a join is named after both
            named_after = sides if len(sides) > 1 else [node, *sides]
            found = next(filter(None, map(self._paths.twins, named_after)), None)
            if found is not None:
                path, first, second = found
                raise StoreNeedsName(
                    node.op,
                    node.origin,
                    f"only the order of two lines tells which {path!r} it belongs to",
                    (first.origin, second.origin),
                )

    def _same_source(
        self,
        topics: tuple[str, ...],
        pattern: str | None,
        key: Serde[Any],
        value: Serde[Any],
        here: str,
        kind: type[Source] = Source,
    ) -> Source | None:
        for known in self._nodes:
            if not isinstance(known, Source):
                continue
            shared = _shared(topics, pattern, known)
            if not shared and (pattern is None or pattern != known.pattern):
                continue
            if (set(topics), pattern) != (set(known.topics), known.pattern):
                raise TopicsOverlap(sorted(shared), known.origin, here)
            if kind is not type(known):
                subject = pattern or ", ".join(topics)
                raise TopicReadTwoWays(subject, f"a {known.op}", known.origin, f"a {kind.op}", here)
            if (key, value) != (known.key, known.value):
                subject = pattern or ", ".join(topics)
                raise TopicReadTwoWays(subject, known.output(), known.origin, f"({key}, {value})", here)
            return known
        return None


def _topics(topic: Topics, here: str) -> tuple[tuple[str, ...], str | None]:
    if isinstance(topic, re.Pattern):
        return (), checked_pattern(topic, here)
    topics = (topic,) if isinstance(topic, str) else tuple(topic)
    if not topics:
        raise OptionInvalid("topic", topic, "at least one topic", here)
    for one in topics:
        checked_name("a topic", one, here)
    return tuple(dict.fromkeys(topics)), None


def _shared(topics: tuple[str, ...], pattern: str | None, known: Source) -> set[str]:
    """The topics that two sources would both read; of two patterns that cannot be known in advance."""
    named = set(topics) & set(known.topics)
    matched = {topic for topic in topics if known.pattern and re.fullmatch(known.pattern, topic)}
    return named | matched | {topic for topic in known.topics if pattern and re.fullmatch(pattern, topic)}
