"""Tables: the latest value of every key."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, overload

from headrace.build import tables
from headrace.build.processors import Stores
from headrace.build.shown import show
from headrace.build.side_outputs import errors, expired, late
from headrace.build.suppressed import Suppressed
from headrace.dsl import stream as streams
from headrace.dsl.grouped_table import KGroupedTable
from headrace.dsl.joinable_table import JoinableTable
from headrace.expr import Expr
from headrace.model.failure import Failure
from headrace.plan.handlers import Handler
from headrace.plan.nodes import (
    Node,
)
from headrace.plan.origin import origin
from headrace.processor import ValueTransformer
from headrace.serde import Serde

if TYPE_CHECKING:
    from headrace.build.declared import Declared

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")
P = ParamSpec("P")


class KTable(JoinableTable[K, V]):
    """The current value of every key, and the stream of its changes."""

    def __init__(self, declared: Declared, node: Node) -> None:
        self._declared, self._node = declared, node

    def __repr__(self) -> str:
        return f"KTable({self._node.name})"

    def _repr_html_(self) -> str:
        """What a notebook shows: its rows while the application runs, if they can be asked for."""
        store, viewer = self.queryable_store_name, self._declared.viewer
        rows = viewer.rows_of_store(store) if viewer is not None and store is not None else None
        if rows is not None:
            return rows._repr_html_()
        return f"<code>{escape(repr(self))}</code>: show() computes rows of what is in the topics now"

    def show(self, count: int = 10) -> None:
        """Show the rows that it would have after what is in the topics now, up to so many; nothing is remembered.

        They are computed in this process, in Python, from the first 10,000 records of each topic.
        """
        show(self._declared, self._node, count, origin())

    @property
    def queryable_store_name(self) -> str | None:
        """The name of the store that holds its rows; None if it keeps none."""
        return getattr(self._node, "store", None)

    def filter(
        self,
        predicate: Callable[[K, V], object] | Expr,
        *,
        store: str | None = None,
        emit: str | None = None,
        name: str | None = None,
    ) -> KTable[K, V]:
        """The rows whose predicate is true; a row that does not fit, or fits no longer, is a deletion.

        table.filter(lambda key, value: value > 100)
        """
        options: Any = {"store": store, "emit": emit, "name": name}
        return self._next(tables.filter_rows, predicate, keep=True, **options, here=origin())

    def filter_not(
        self,
        predicate: Callable[[K, V], object] | Expr,
        *,
        store: str | None = None,
        emit: str | None = None,
        name: str | None = None,
    ) -> KTable[K, V]:
        """The rows whose predicate is not true."""
        options: Any = {"store": store, "emit": emit, "name": name}
        return self._next(tables.filter_rows, predicate, keep=False, **options, here=origin())

    # As for streams: what a lambda computes of expressions is an Expr, whose value may be anything.
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
        return self._next(tables.map_rows, mapper, store=store, emit=emit, name=name, here=origin())

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
        options: Any = {"stores": stores, "value": value, "store": store, "emit": emit, "name": name}
        return self._next(tables.transform_rows, transformer, **options, here=origin())

    def group_by(
        self, selector: Callable[[K, V], tuple[K2, V2]] | Expr, *, name: str | None = None
    ) -> KGroupedTable[K2, V2]:
        """Group the rows by a new key, each with the value to aggregate: `lambda key, value: (value, 1)`.

        A row whose new key or value is None is in no group.
        """
        node = tables.group_rows(self._declared, self._node, selector, name=name, here=origin())
        return KGroupedTable(self._declared, node)

    def suppress(self, until: Suppressed, *, name: str | None = None) -> KTable[K, V]:
        """Hold back changes, and send on the last of each key: `hr.until_window_closes()`, `hr.until_time_limit("5s")`.

        Changes leave when later records move stream time on; by the clock alone only where the windows in front, or the
        time limit, have `idle_after`.
        """
        return self._next(tables.suppress, until, name=name, here=origin())

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
        self._declared.handle(self._node, handler, origin())
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
        node = tables.to_stream(self._declared, self._node, mapper, name=name, here=origin())
        return streams.KStream(self._declared, node)

    def _next(
        self,
        build: Callable[Concatenate[Declared, Node, P], Node],
        *given: P.args,
        **options: P.kwargs,
    ) -> KTable[Any, Any]:
        """The table of the node that is built behind this one."""
        return KTable(self._declared, build(self._declared, self._node, *given, **options))
