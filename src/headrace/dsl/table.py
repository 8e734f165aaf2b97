"""Tables: the latest value of every key."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, overload

from headrace.build.functions import KEY_VALUE, VALUE, bound, exactly, pair_type
from headrace.build.handlers import Handler
from headrace.build.processors import Stores, sent_field
from headrace.build.side_outputs import errors, expired, late
from headrace.dsl import stream as streams
from headrace.dsl.grouped_table import KGroupedTable
from headrace.dsl.joinable_table import JoinableTable
from headrace.dsl.suppressed import Suppressed, checked
from headrace.errors import VersionsHeldBack
from headrace.expr import Expr
from headrace.model.failure import Failure
from headrace.model.types import BOOL
from headrace.plan.nodes import (
    Node,
    Suppress,
    TableFilter,
    TableGroupBy,
    TableMapValues,
    TableTransformValues,
    ToStream,
)
from headrace.plan.origin import origin
from headrace.processor import ValueTransformer
from headrace.processor.supplied import supplied
from headrace.serde import Serde

if TYPE_CHECKING:
    from headrace.build.declared import Declared

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")


class KTable(JoinableTable[K, V]):
    """The current value of every key, and the stream of its changes."""

    def __init__(self, declared: Declared, node: Node) -> None:
        self._declared, self._node = declared, node

    def __repr__(self) -> str:
        return f"KTable({self._node.name})"

    @property
    def queryable_store_name(self) -> str | None:
        """The name of the store that holds its rows; None if it keeps none."""
        return getattr(self._node, "store", None)

    def filter(
        self,
        predicate: Callable[[K, V], bool | Expr] | Expr,
        *,
        store: str | None = None,
        emit: str | None = None,
        name: str | None = None,
    ) -> KTable[K, V]:
        """The rows whose predicate is true; a row that does not fit, or fits no longer, is a deletion.

        table.filter(lambda key, value: value > 100)
        """
        return self._filter("filter", predicate, True, store, emit, name)

    def filter_not(
        self,
        predicate: Callable[[K, V], bool | Expr] | Expr,
        *,
        store: str | None = None,
        emit: str | None = None,
        name: str | None = None,
    ) -> KTable[K, V]:
        """The rows whose predicate is not true."""
        return self._filter("filter_not", predicate, False, store, emit, name)

    # As for streams: what a lambda computes with hr functions is an Expr, whose value may be anything.
    @overload
    def map_values(
        self, mapper: Expr, *, store: str | None = None, emit: str | None = None, name: str | None = None
    ) -> KTable[K, Any]: ...

    @overload
    def map_values(
        self,
        mapper: Callable[[V], Expr],
        *,
        store: str | None = None,
        emit: str | None = None,
        name: str | None = None,
    ) -> KTable[K, Any]: ...

    @overload
    def map_values(
        self, mapper: Callable[[V], V2], *, store: str | None = None, emit: str | None = None, name: str | None = None
    ) -> KTable[K, V2]: ...

    @overload
    def map_values(
        self,
        mapper: Callable[[K, V], Expr],
        *,
        store: str | None = None,
        emit: str | None = None,
        name: str | None = None,
    ) -> KTable[K, Any]: ...

    @overload
    def map_values(
        self,
        mapper: Callable[[K, V], V2],
        *,
        store: str | None = None,
        emit: str | None = None,
        name: str | None = None,
    ) -> KTable[K, V2]: ...

    def map_values(
        self,
        mapper: Callable[..., Any] | Expr,
        *,
        store: str | None = None,
        emit: str | None = None,
        name: str | None = None,
    ) -> KTable[K, Any]:
        """A new value for every row; the function takes the value, or the key and the value, and never None."""
        here = origin()
        value = bound("map_values", mapper, (VALUE, KEY_VALUE), self._node, here)
        return self._next(TableMapValues, "map_values", store, emit, name, here, value=value)

    @overload
    def transform_values(
        self,
        transformer: Callable[[], ValueTransformer[V2]],
        *,
        stores: Stores = (),
        value: Serde[V2] | None = None,
        store: str | None = None,
        emit: str | None = None,
        name: str | None = None,
    ) -> KTable[K, V2]: ...

    @overload
    def transform_values(
        self,
        transformer: Callable[..., V2 | None],
        *,
        stores: Stores = (),
        value: Serde[V2] | None = None,
        store: str | None = None,
        emit: str | None = None,
        name: str | None = None,
    ) -> KTable[K, V2]: ...

    def transform_values(
        self,
        transformer: Callable[..., Any],
        *,
        stores: Stores = (),
        value: Serde[Any] | None = None,
        store: str | None = None,
        emit: str | None = None,
        name: str | None = None,
    ) -> KTable[K, Any]:
        """A new value for every row, from a transformer that may use stores; it is asked about deletions, too.

        Give a subclass of `hr.ValueTransformer`, a function that makes one, or a function of the value, of key and
        value, or of both and the context. `value` is the serde of what it gives.
        """
        here = origin()
        made = supplied("transform_values", transformer, ValueTransformer, here)
        field = sent_field(value, made.sends[0] if made.sends else None)
        table = self._next(
            TableTransformValues,
            "transform_values",
            store,
            emit,
            name,
            here,
            make=made.make,
            shown=made.shown,
            value=field,
        )
        self._declared.connections.connect(table._node.name, (*made.stores, *stores), here)
        return table

    def group_by(
        self, selector: Callable[[K, V], tuple[K2, V2]] | Expr, *, name: str | None = None
    ) -> KGroupedTable[K2, V2]:
        """Group the rows by a new key, each with the value to aggregate: `lambda key, value: (value, 1)`.

        A row whose new key or value is None is in no group.
        """
        here = origin()
        pair = bound("group_by", selector, (KEY_VALUE,), self._node, here, pair_type)
        node = TableGroupBy(
            name=self._declared.unique(name, f"{self._node.name}.group_by", here),
            origin=here,
            upstream=self._node,
            pair=pair,
        )
        node.output().key.store_serde(here)  # raises if the key has no bytes to be found by
        return KGroupedTable(self._declared, self._declared.add(node))

    def suppress(self, until: Suppressed, *, name: str | None = None) -> KTable[K, V]:
        """Hold back changes, and send on the last of each key: `hr.until_window_closes()`, `hr.until_time_limit("5s")`.

        Changes leave when later records move stream time on; by the clock alone only where the windows in front, or the
        time limit, have `idle_after`.
        """
        here = origin()
        told = checked(until, here)
        if self._node.versioned:
            raise VersionsHeldBack(self._node.name, here)
        node = Suppress(
            name=self._declared.unique(name, f"{self._node.name}.suppress", here),
            origin=here,
            upstream=self._node,
            wait_ms=told.wait_ms(self._node, here),
            final=told.limit_ms is None,
            max_records=told.max_records,
            fail_when_full=told.fail_when_full,
            emit=self._declared.emit,
            max_bytes=told.max_bytes,
            idle_ms=told.idle_ms,
        )
        if told.max_bytes is not None:
            node.output().value.default_serde(here)  # raises if values have no bytes to be counted
        return KTable(self._declared, self._declared.add(node))

    def late(self, *, name: str | None = None) -> streams.KStream[Any, Any]:
        """The records that came too late for this table, as they were: with their keys, values, times and headers.

        Of a windowed aggregation, those that no window took; of a versioned table, those older than its history; of a
        table with `ttl`, those whose row would be gone already.

            counts = clicks.group_by_key().windowed_by(hr.tumbling("1m")).count(store="clicks-per-minute")
            counts.late().to("late-clicks")
        """
        return streams.KStream(self._declared, late(self._declared, self._node, name, origin()))

    def errors(self, *, name: str | None = None) -> streams.KStream[Any, Failure[Any]]:
        """The records that a function of this table failed on; none of them stops the application any more.

        Each has its key, time and headers, and as value an `hr.Failure`. A row that fails is not in this table; if it
        was there before it is deleted. An aggregate stays as it was before the record; of sliding windows, those that
        the record came into first keep it.
        """
        return streams.KStream(self._declared, errors(self._declared, self._node, name, origin()))

    def on_error(self, handler: Handler) -> KTable[K, V]:
        """Say what becomes of the records that this operator fails on, whatever the application says of others.

        `"fail"` stops the application, `"skip"` counts them, and `"dead_letter"` writes them to the topic of dead
        letters, with the bytes they had and why they failed in headers. A function of an `hr.Failure` gives one of
        these for each. Gives this table.

            prices = texts.map_values(lambda text: float(text)).on_error("dead_letter")
        """
        self._declared.handlers.set(self._node, handler, origin())
        return self

    def expired(self, *, name: str | None = None) -> streams.KStream[K, V]:
        """The windows of a windowed aggregation that its store has forgotten, each with its last value.

        A window is forgotten when a later one is stored and its retention is over. No change of the table tells of it,
        so what was made of the table elsewhere keeps such windows for ever, unless this is used to delete them:

            counts.expired().map_values(lambda count: None).to("clicks-per-minute")
        """
        return streams.KStream(self._declared, expired(self._declared, self._node, name, origin()))

    @overload
    def to_stream(self, *, name: str | None = None) -> streams.KStream[K, V]: ...

    @overload
    def to_stream(self, mapper: Callable[[K, V], K2] | Expr, *, name: str | None = None) -> streams.KStream[K2, V]: ...

    def to_stream(
        self, mapper: Callable[[K, V], Any] | Expr | None = None, *, name: str | None = None
    ) -> streams.KStream[Any, V]:
        """The changes of the table as a stream: a record for each new value, one without a value for a deletion.

        With a mapper, as with `select_key` behind it, the records get new keys.
        """
        here = origin()
        node = ToStream(
            name=self._declared.unique(name, f"{self._node.name}.to_stream", here), origin=here, upstream=self._node
        )
        stream: streams.KStream[K, V] = streams.KStream(self._declared, self._declared.add(node))
        return stream if mapper is None else stream.select_key(mapper)

    def _filter(
        self,
        op: str,
        predicate: Callable[[K, V], bool | Expr] | Expr,
        keep: bool,
        store: str | None,
        emit: str | None,
        name: str | None,
    ) -> KTable[K, V]:
        here = origin()
        condition = bound(op, predicate, (KEY_VALUE,), self._node, here, exactly(BOOL, "the predicate"))
        return self._next(TableFilter, op, store, emit, name, here, predicate=condition, keep=keep)

    def _next(
        self,
        kind: type[Node],
        op: str,
        store: str | None,
        emit: str | None,
        name: str | None,
        here: str,
        **parameters: Any,
    ) -> KTable[Any, Any]:
        node = kind(
            name=self._declared.unique(name, f"{self._node.name}.{op}", here),
            origin=here,
            upstream=self._node,  # type: ignore[call-arg]
            **self._declared.kept(store, emit, here),
            **parameters,
        )
        return KTable(self._declared, self._declared.add(node))
