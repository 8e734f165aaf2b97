"""Stream builder: hands out streams and tables, and collects what is declared."""

from __future__ import annotations

from typing import Any, TypedDict, TypeVar, Unpack, overload

from headrace.build import reading
from headrace.build.declared import Declared
from headrace.build.handlers import handler_of
from headrace.build.names import checked_name, emit_of
from headrace.build.options import Timestamp
from headrace.build.processors import Given
from headrace.build.sources import Topics
from headrace.dsl.global_table import GlobalKTable
from headrace.dsl.stream import KStream
from headrace.dsl.table import KTable
from headrace.dsl.topology import Topology
from headrace.model.durations import Duration
from headrace.plan.graph import Plan
from headrace.plan.growth import GrowingStore, growing_stores
from headrace.plan.handlers import FAIL, Handler, dead_letters_of
from headrace.plan.origin import origin
from headrace.plan.stores import Store
from headrace.serde import BYTES, Serde

K = TypeVar("K")
V = TypeVar("V")


class StreamOptions(TypedDict, total=False):
    """Options of a stream of a topic, besides its serdes."""

    timestamp: Timestamp | None
    start: str | None
    name: str | None


class TableOptions(StreamOptions, total=False):
    """Options of a table of a topic, besides its serdes."""

    store: str | None
    emit: str | None
    ttl: Duration | None


class Builder:
    """Stream builder: hands out streams and tables of topics, and collects what is made of them."""

    def __init__(self, app_id: str, *, emit: str = "settled", on_error: Handler = FAIL) -> None:
        self.id = checked_name("an application", app_id, origin())
        self._declared = Declared(self.id, emit_of(emit, origin()), handler_of(on_error, origin()))

    @property
    def on_error(self) -> Handler:
        """Handler of failed records, where no operator has its own."""
        return self._declared.handlers.usual

    @property
    def dead_letters(self) -> str:
        """The topic of records that failed, where they are to be kept: see `on_error`."""
        return dead_letters_of(self.id)

    @overload
    def stream(self, topic: Topics, **options: Unpack[StreamOptions]) -> KStream[bytes, bytes]: ...

    @overload
    def stream(self, topic: Topics, *, key: Serde[K], **options: Unpack[StreamOptions]) -> KStream[K, bytes]: ...

    @overload
    def stream(self, topic: Topics, *, value: Serde[V], **options: Unpack[StreamOptions]) -> KStream[bytes, V]: ...

    @overload
    def stream(
        self, topic: Topics, *, key: Serde[K], value: Serde[V], **options: Unpack[StreamOptions]
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
        `.errors()` of the stream is read or `on_error` says otherwise; so does one without a time.

        `timestamp` gives records their times: `lambda key, value: ...` in milliseconds, which may also take the
        record's own `timestamp` and the latest `partition_time`; a negative result drops the record. Or it says what to
        do with a negative time: "fail", which is usual, "skip" or "partition_time"; "wall_clock" gives every record the
        time of day. `start` is "earliest" or "latest": where a topic begins that was not read before.

            lines = app.stream("lines", value=hr.STRING)
            logs = app.stream(re.compile("logs-.*"), value=hr.STRING)
        """
        node = reading.read_stream(
            self._declared,
            topic,
            key=key,
            value=value,
            timestamp=timestamp,
            start=start,
            name=name,
            here=origin(),
        )
        return KStream(self._declared, node)

    @overload
    def table(self, topic: str, **options: Unpack[TableOptions]) -> KTable[bytes, bytes]: ...

    @overload
    def table(self, topic: str, *, key: Serde[K], **options: Unpack[TableOptions]) -> KTable[K, bytes]: ...

    @overload
    def table(self, topic: str, *, value: Serde[V], **options: Unpack[TableOptions]) -> KTable[bytes, V]: ...

    @overload
    def table(self, topic: str, *, key: Serde[K], value: Serde[V], **options: Unpack[TableOptions]) -> KTable[K, V]: ...

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
        node = reading.read_table(
            self._declared,
            topic,
            key=key,
            value=value,
            store=store,
            emit=emit,
            timestamp=timestamp,
            start=start,
            ttl=ttl,
            name=name,
            here=origin(),
        )
        return KTable(self._declared, node)

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
        node = reading.read_versioned_table(
            self._declared,
            topic,
            key=key,
            value=value,
            history=history,
            store=store,
            timestamp=timestamp,
            start=start,
            name=name,
            here=origin(),
        )
        return KTable(self._declared, node)

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
        node = reading.read_global_table(
            self._declared,
            topic,
            key=key,
            value=value,
            store=store,
            timestamp=timestamp,
            name=name,
            here=origin(),
        )
        return GlobalKTable(self._declared, node)

    def add_state_store(self, store: Store[Any]) -> None:
        """Add a store for processors, which are connected to it by its name: `stores=("seen",)`.

        app.add_state_store(hr.stores.key_value("seen", key=hr.STRING, value=hr.BOOL))
        """
        self._declared.take_store(store, origin())

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
        reading.read_global_store(
            self._declared, store, topic, processor, key=key, value=value, name=name, here=origin()
        )

    @property
    def topology(self) -> Topology:
        """Processor topology of the same application: sources, processors and sinks, named one by one."""
        return Topology(self)

    def plan(self) -> Plan:
        """Plan of what was declared so far."""
        return self._declared.plan()

    def growing_stores(self) -> tuple[GrowingStore, ...]:
        """The stores that can grow without bound, each with its line, what it grows with, and what would bound it."""
        return growing_stores(self.plan().nodes)
