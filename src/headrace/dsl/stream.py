"""Streams of records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from headrace.dsl import table as tables
from headrace.dsl.branched import BranchedKStream
from headrace.dsl.columns import Columns, On
from headrace.dsl.functions import KEY_VALUE, VALUE, bound, exactly, list_of_pairs, list_type, pair_type
from headrace.dsl.global_table import GlobalKTable
from headrace.dsl.grouped import KGroupedStream
from headrace.dsl.joins import Joiner, sides
from headrace.dsl.names import checked_name, emit_of, fitting_serde
from headrace.dsl.stream_joins import StreamJoins
from headrace.errors import OptionInvalid, TypesDiffer
from headrace.expr import Bound, Expr
from headrace.model.durations import Duration
from headrace.model.types import BOOL, STR
from headrace.model.windows import JoinWindows
from headrace.plan.nodes import (
    Emit,
    Filter,
    FlatMap,
    FlatMapValues,
    Map,
    MapValues,
    Merge,
    Node,
    Peek,
    Repartition,
    SelectKey,
    Side,
    To,
    ToTable,
)
from headrace.plan.origin import origin
from headrace.serde import Serde

if TYPE_CHECKING:
    from headrace.dsl.builder import Builder

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")
V3 = TypeVar("V3")


class KStream(Generic[K, V]):
    """An unbounded sequence of records, each an event of its own."""

    def __init__(self, builder: Builder, node: Node) -> None:
        self._builder, self._node = builder, node

    def filter(self, predicate: Callable[[K, V], bool] | Expr, *, name: str | None = None) -> KStream[K, V]:
        """Keep the records whose predicate is true.

        stream.filter(lambda key, value: value > 100)
        """
        return self._filter("filter", predicate, keep=True, name=name)

    def filter_not(self, predicate: Callable[[K, V], bool] | Expr, *, name: str | None = None) -> KStream[K, V]:
        """Keep the records whose predicate is not true."""
        return self._filter("filter_not", predicate, keep=False, name=name)

    def map(self, mapper: Callable[[K, V], tuple[K2, V2]] | Expr, *, name: str | None = None) -> KStream[K2, V2]:
        """A new key and value for every record: `stream.map(lambda key, value: (value, key))`.

        The key may change, so a later `group_by_key` moves the records to the tasks of their new keys.
        """
        here = origin()
        pair = bound("map", mapper, (KEY_VALUE,), self._node, here, pair_type)
        return self._next(Map, "map", name, here, pair=pair)

    # What a lambda computes with hr functions is an Expr to a type checker, whose value may be anything.
    @overload
    def map_values(self, mapper: Expr, *, name: str | None = None) -> KStream[K, Any]: ...

    @overload
    def map_values(self, mapper: Callable[[V], Expr], *, name: str | None = None) -> KStream[K, Any]: ...

    @overload
    def map_values(self, mapper: Callable[[V], V2], *, name: str | None = None) -> KStream[K, V2]: ...

    @overload
    def map_values(self, mapper: Callable[[K, V], Expr], *, name: str | None = None) -> KStream[K, Any]: ...

    @overload
    def map_values(self, mapper: Callable[[K, V], V2], *, name: str | None = None) -> KStream[K, V2]: ...

    def map_values(self, mapper: Callable[..., Any] | Expr, *, name: str | None = None) -> KStream[K, Any]:
        """A new value for every record; the function takes the value, or the key and the value."""
        here = origin()
        value = bound("map_values", mapper, (VALUE, KEY_VALUE), self._node, here)
        return self._next(MapValues, "map_values", name, here, value=value)

    def flat_map(
        self, mapper: Callable[[K, V], Iterable[tuple[K2, V2]]] | Expr, *, name: str | None = None
    ) -> KStream[K2, V2]:
        """Any number of records for every record: `stream.flat_map(lambda k, v: [(k, v), (v, k)])`."""
        here = origin()
        pairs = bound("flat_map", mapper, (KEY_VALUE,), self._node, here, list_of_pairs)
        return self._next(FlatMap, "flat_map", name, here, pairs=pairs)

    @overload
    def flat_map_values(self, mapper: Expr, *, name: str | None = None) -> KStream[K, Any]: ...

    @overload
    def flat_map_values(self, mapper: Callable[[V], Expr], *, name: str | None = None) -> KStream[K, Any]: ...

    @overload
    def flat_map_values(self, mapper: Callable[[V], Iterable[V2]], *, name: str | None = None) -> KStream[K, V2]: ...

    @overload
    def flat_map_values(self, mapper: Callable[[K, V], Expr], *, name: str | None = None) -> KStream[K, Any]: ...

    @overload
    def flat_map_values(self, mapper: Callable[[K, V], Iterable[V2]], *, name: str | None = None) -> KStream[K, V2]: ...

    def flat_map_values(self, mapper: Callable[..., Any] | Expr, *, name: str | None = None) -> KStream[K, Any]:
        """Any number of values for every record: `lines.flat_map_values(lambda line: line.split())`."""
        here = origin()
        values = bound("flat_map_values", mapper, (VALUE, KEY_VALUE), self._node, here, list_type)
        return self._next(FlatMapValues, "flat_map_values", name, here, values=values)

    def select_key(self, mapper: Callable[[K, V], K2] | Expr, *, name: str | None = None) -> KStream[K2, V]:
        """A new key for every record; the value stays."""
        here = origin()
        key = bound("select_key", mapper, (KEY_VALUE,), self._node, here)
        return self._next(SelectKey, "select_key", name, here, key=key)

    def peek(self, shown: Callable[[K, V], object] | Expr, *, name: str | None = None) -> KStream[K, V]:
        """Print an expression of every record to the console, and send the record on unchanged.

        stream.peek(lambda key, value: key + " -> " + value)
        """
        here = origin()
        return self._next(Peek, "peek", name, here, shown=bound("peek", shown, (KEY_VALUE,), self._node, here))

    def merge(self, other: KStream[K, V], *, name: str | None = None) -> KStream[K, V]:
        """The records of both streams as one. Nothing is promised about the order between the two."""
        here = origin()
        if other._builder is not self._builder:
            raise OptionInvalid("other", other._builder.id, f"a stream of this application, {self._builder.id!r}", here)
        for part in ("key", "value"):
            mine, theirs = (getattr(node.output(), part) for node in (self._node, other._node))
            if mine.type != theirs.type:
                raise TypesDiffer(
                    f"the merged streams have {part}s of two types",
                    mine,
                    theirs,
                    here,
                    fix="bring them to one type with map or map_values first",
                )
        node = Merge(
            name=self._builder.unique(name, f"{self._node.name}.merge", here),
            origin=here,
            left=self._node,
            right=other._node,
        )
        return KStream(self._builder, self._builder.add(node))

    @overload
    def join(
        self,
        other: KStream[K, V2],
        joiner: Callable[[V, V2], V3] | Callable[[K, V, V2], V3] | Expr,
        windows: JoinWindows,
        *,
        store: str | None = None,
        name: str | None = None,
    ) -> KStream[K, V3]: ...

    @overload
    def join(
        self,
        other: tables.KTable[K, V2],
        joiner: Callable[[V, V2], V3] | Callable[[K, V, V2], V3] | Expr,
        *,
        grace: Duration | None = None,
        name: str | None = None,
    ) -> KStream[K, V3]: ...

    @overload
    def join(
        self,
        other: GlobalKTable[K2, V2],
        joiner: Callable[[V, V2], V3] | Callable[[K, V, V2], V3] | Expr,
        *,
        on: Callable[[V], K2 | None] | Callable[[K, V], K2 | None] | Expr | Columns,
        name: str | None = None,
    ) -> KStream[K, V3]: ...

    @overload
    def join(
        self,
        other: KStream[Any, V2],
        joiner: Callable[[V, V2], V3] | Callable[[K, V, V2], V3] | Expr,
        windows: JoinWindows,
        *,
        on: On,
        store: str | None = None,
        name: str | None = None,
    ) -> KStream[Any, V3]: ...

    @overload
    def join(
        self,
        other: tables.KTable[Any, V2],
        joiner: Callable[[V, V2], V3] | Callable[[K, V, V2], V3] | Expr,
        *,
        on: On,
        grace: Duration | None = None,
        name: str | None = None,
    ) -> KStream[Any, V3]: ...

    @overload
    def join(
        self,
        other: Sequence[KStream[Any, Any] | tables.KTable[Any, Any] | GlobalKTable[Any, Any]],
        joiner: Callable[..., V3] | Expr,
        windows: JoinWindows | None = None,
        *,
        on: Sequence[On | None] | None = None,
        store: str | None = None,
        name: str | None = None,
    ) -> KStream[Any, V3]: ...

    def join(
        self,
        other: Any,
        joiner: Joiner,
        windows: JoinWindows | None = None,
        *,
        on: Any = None,
        grace: Duration | None = None,
        store: str | None = None,
        name: str | None = None,
    ) -> KStream[Any, Any]:
        """Each record with the row of its key in a table, or of the key that `on` names in a global table.

        With another stream and `windows`, each pair of records with the same key that lie close enough in time, as
        soon as both are there; its time is the later of both. Both sides keep their records for that long.

        The row is the one that is there when the record comes; a change of the table sends nothing. Records without
        a row are left out, those without a key or a value dropped. The function takes both values, or the key and both.
        With a versioned table it is the row of the record's own time, and with `grace` the record waits for that row
        until the stream is so much further.

        `on` is a function of the value, or of the key and the value, or names of fields. It finds the key to look up in
        a global table; with a table or a stream, the records get it for their key, those of both streams, and the
        result keeps it. A record of which one column is None has no key.

        Several others in a list are joined one after the other, and the function takes all values; `on` is then a list
        with one for each, and finds its keys in the values of this stream.

            orders.join(payments, lambda order, payment: order + payment, hr.join_windows("1h"))
            clicks.join(users, lambda click, user: user + " clicked " + click)
            orders.join(products, lambda order, product: product, on=lambda key, order: order[:3])
            orders.join(prices, lambda order, price: order.pieces * price, on=["sku", "region"])
            a.join([b, c], lambda a, b, c: a + b + c, hr.join_windows("1h"))
        """
        return self._join(other, joiner, Side.INNER, windows, on, grace, store, name)

    @overload
    def left_join(
        self,
        other: KStream[K, V2],
        joiner: Callable[[V, V2 | None], V3] | Callable[[K, V, V2 | None], V3] | Expr,
        windows: JoinWindows,
        *,
        store: str | None = None,
        name: str | None = None,
    ) -> KStream[K, V3]: ...

    @overload
    def left_join(
        self,
        other: tables.KTable[K, V2],
        joiner: Callable[[V, V2 | None], V3] | Callable[[K, V, V2 | None], V3] | Expr,
        *,
        grace: Duration | None = None,
        name: str | None = None,
    ) -> KStream[K, V3]: ...

    @overload
    def left_join(
        self,
        other: GlobalKTable[K2, V2],
        joiner: Callable[[V, V2 | None], V3] | Callable[[K, V, V2 | None], V3] | Expr,
        *,
        on: Callable[[V], K2 | None] | Callable[[K, V], K2 | None] | Expr | Columns,
        name: str | None = None,
    ) -> KStream[K, V3]: ...

    @overload
    def left_join(
        self,
        other: KStream[Any, V2],
        joiner: Callable[[V, V2 | None], V3] | Callable[[K, V, V2 | None], V3] | Expr,
        windows: JoinWindows,
        *,
        on: On,
        store: str | None = None,
        name: str | None = None,
    ) -> KStream[Any, V3]: ...

    @overload
    def left_join(
        self,
        other: tables.KTable[Any, V2],
        joiner: Callable[[V, V2 | None], V3] | Callable[[K, V, V2 | None], V3] | Expr,
        *,
        on: On,
        grace: Duration | None = None,
        name: str | None = None,
    ) -> KStream[Any, V3]: ...

    @overload
    def left_join(
        self,
        other: Sequence[KStream[Any, Any] | tables.KTable[Any, Any] | GlobalKTable[Any, Any]],
        joiner: Callable[..., V3] | Expr,
        windows: JoinWindows | None = None,
        *,
        on: Sequence[On | None] | None = None,
        store: str | None = None,
        name: str | None = None,
    ) -> KStream[Any, V3]: ...

    def left_join(
        self,
        other: Any,
        joiner: Joiner,
        windows: JoinWindows | None = None,
        *,
        on: Any = None,
        grace: Duration | None = None,
        store: str | None = None,
        name: str | None = None,
    ) -> KStream[Any, Any]:
        """As `join`, and a record without a row is sent on with None in its place, one without a key too.

        With another stream, that happens when no partner can come any more: `after` and grace have passed in stream
        time.
        """
        return self._join(other, joiner, Side.LEFT, windows, on, grace, store, name)

    @overload
    def outer_join(
        self,
        other: KStream[K, V2],
        joiner: Callable[[V | None, V2 | None], V3] | Callable[[K, V | None, V2 | None], V3] | Expr,
        windows: JoinWindows,
        *,
        store: str | None = None,
        name: str | None = None,
    ) -> KStream[K, V3]: ...

    @overload
    def outer_join(
        self,
        other: KStream[Any, V2],
        joiner: Callable[[V | None, V2 | None], V3] | Callable[[K, V | None, V2 | None], V3] | Expr,
        windows: JoinWindows,
        *,
        on: On,
        store: str | None = None,
        name: str | None = None,
    ) -> KStream[Any, V3]: ...

    @overload
    def outer_join(
        self,
        other: Sequence[KStream[Any, Any]],
        joiner: Callable[..., V3] | Expr,
        windows: JoinWindows,
        *,
        on: Sequence[On | None] | None = None,
        store: str | None = None,
        name: str | None = None,
    ) -> KStream[Any, V3]: ...

    def outer_join(
        self,
        other: Any,
        joiner: Joiner,
        windows: JoinWindows,
        *,
        on: Any = None,
        store: str | None = None,
        name: str | None = None,
    ) -> KStream[Any, Any]:
        """As `left_join` of streams, for the records of all: None stands for a partner that did not come."""
        return self._join(other, joiner, Side.OUTER, windows, on, None, store, name)

    def split(self, name: str | None = None) -> BranchedKStream[K, V]:
        """Send each record one of several ways.

        ways = orders.split("orders-").branch(lambda k, v: v > 100, name="big").default_branch("small")
        ways["orders-big"], ways["orders-small"]
        """
        return BranchedKStream(self._builder, self._node, name, origin())

    def repartition(self, partitions: int | None = None, *, name: str | None = None) -> KStream[K, V]:
        """Bring records with the same key together in one task; a record without a key is dropped."""
        here = origin()
        if partitions is not None and (not isinstance(partitions, int) or partitions < 1):
            raise OptionInvalid("partitions", partitions, "a whole number from 1 on", here)
        self._node.output().key.store_serde(here)  # raises if the key has no bytes to be sent by
        return self._next(Repartition, "repartition", name, here, partitions=partitions)

    def to_table(
        self, *, store: str | None = None, emit: str | None = None, name: str | None = None
    ) -> tables.KTable[K, V]:
        """The stream as a table: the last value of each key is its row, a record without a value deletes it.

        A record without a key is dropped. Sends on every change; with the name of a store the last one of each key in
        a batch, or with `emit="every"` each.
        """
        here = origin()
        self._node.output().key.store_serde(here)  # raises if the key has no bytes to be found by
        kept = None if store is None else self._builder.store_name(store, store, here)
        chosen = self._builder.emit if emit is None else emit_of(emit, here)
        node = ToTable(
            name=self._builder.unique(name, f"{self._node.name}.to_table", here),
            origin=here,
            upstream=self._node,
            store=kept,
            emit=chosen if kept else Emit.EVERY,
        )
        return tables.KTable(self._builder, self._builder.add(node))

    def group_by_key(self) -> KGroupedStream[K, V]:
        """Group the records by their key, for an aggregation."""
        self._node.output().key.store_serde(origin())  # raises if the key has no bytes to be found by
        return KGroupedStream(self._builder, self._node)

    def group_by(self, selector: Callable[[K, V], K2] | Expr, *, name: str | None = None) -> KGroupedStream[K2, V]:
        """Group the records by a new key: `words.group_by(lambda key, word: word)`."""
        here = origin()
        key = bound("group_by", selector, (KEY_VALUE,), self._node, here)
        selected: KStream[K2, V] = self._next(SelectKey, "group_by", name, here, key=key)
        return selected.group_by_key()

    def to(
        self,
        topic: str | Callable[[K, V], str] | Expr,
        *,
        key: Serde[K] | None = None,
        value: Serde[V] | None = None,
        name: str | None = None,
    ) -> None:
        """Write every record to a topic, or to the topic that a function names for it.

        Without `key` and `value` the serdes they were read with are used, or the natural one of their type.
        Records keep their timestamps and headers, and are partitioned by key as Kafka's own producers do.
        """
        here = origin()
        schema = self._node.output()
        target: str | Bound
        if isinstance(topic, str):
            path, target = f"to-{topic}", checked_name("a topic", topic, here)
        else:
            path, target = "to", bound("to", topic, (KEY_VALUE,), self._node, here, exactly(STR, "the topic"))
        key, value = fitting_serde("key", key, schema.key, here), fitting_serde("value", value, schema.value, here)
        self._next(To, path, name, here, topic=target, key=key, value=value)

    def _join(
        self,
        other: Any,
        joiner: Joiner,
        side: Side,
        windows: JoinWindows | None,
        on: Any,
        grace: Duration | None,
        store: str | None,
        name: str | None,
    ) -> KStream[Any, Any]:
        here = origin()
        kinds = (KStream, tables.KTable, GlobalKTable)
        others = sides(self._builder, other, kinds, "a stream or a table, or several in a list", here)
        joins = StreamJoins(self._builder, side, windows, grace, here)
        if isinstance(other, list | tuple):
            node = joins.all(self._node, others, joiner, on, store, name)
        else:
            node = joins.one(self._node, others[0], joiner, on, store, name)
        return KStream(self._builder, node)

    def _filter(
        self, op: str, predicate: Callable[[K, V], bool] | Expr, *, keep: bool, name: str | None
    ) -> KStream[K, V]:
        here = origin()
        condition = bound(op, predicate, (KEY_VALUE,), self._node, here, exactly(BOOL, "the predicate"))
        return self._next(Filter, op, name, here, predicate=condition, keep=keep)

    def _next(self, kind: type[Node], op: str, name: str | None, here: str, **parameters: Any) -> KStream[Any, Any]:
        node = kind(
            name=self._builder.unique(name, f"{self._node.name}.{op}", here),
            origin=here,
            upstream=self._node,  # type: ignore[call-arg]
            **parameters,
        )
        return KStream(self._builder, self._builder.add(node))
