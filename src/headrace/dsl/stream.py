"""Streams of records."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from headrace.build.async_calls import called_with, check_not_given
from headrace.build.functions import (
    KEY_VALUE,
    VALUE,
    acting,
    awaited,
    bound,
    exactly,
    list_of_pairs,
    list_type,
    pair_type,
    waits,
)
from headrace.build.handlers import Handler
from headrace.build.joins import same_app
from headrace.build.names import checked_name, fitting_serde, ttl_of
from headrace.build.options import Partitioner, partitioner_of
from headrace.build.side_outputs import errors, late
from headrace.dsl import table as tables
from headrace.dsl.batched_stream import BatchedStream
from headrace.dsl.branched import BranchedKStream
from headrace.dsl.grouped import KGroupedStream
from headrace.dsl.joinable_stream import JoinableStream
from headrace.dsl.processable_stream import ProcessableStream
from headrace.errors import OptionInvalid, TypesDiffer
from headrace.expr import Bound, Expr
from headrace.model.durations import Duration, duration_ms
from headrace.model.failure import Failure
from headrace.model.types import BOOL, STR
from headrace.plan.nodes import (
    AsyncMapValues,
    DropDuplicates,
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
    ToTable,
)
from headrace.plan.origin import origin
from headrace.serde import Serde, serde_of

if TYPE_CHECKING:
    from headrace.build.declared import Declared

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")


class KStream(JoinableStream[K, V], ProcessableStream[K, V], BatchedStream[K, V]):
    """An unbounded sequence of records, each an event of its own."""

    def __init__(self, declared: Declared, node: Node) -> None:
        self._declared, self._node = declared, node

    def __repr__(self) -> str:
        return f"KStream({self._node.name})"

    def filter(self, predicate: Callable[[K, V], bool | Expr] | Expr, *, name: str | None = None) -> KStream[K, V]:
        """Keep the records whose predicate is true.

        stream.filter(lambda key, value: value > 100)
        """
        return self._filter("filter", predicate, keep=True, name=name)

    def filter_not(self, predicate: Callable[[K, V], bool | Expr] | Expr, *, name: str | None = None) -> KStream[K, V]:
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
    def map_values(
        self,
        mapper: Callable[[V], Coroutine[Any, Any, V2]],
        *,
        concurrency: int = 64,
        timeout: Duration | None = None,
        retries: int = 0,
        backoff: Duration = "100ms",
        name: str | None = None,
    ) -> KStream[K, V2]: ...

    @overload
    def map_values(
        self,
        mapper: Callable[[K, V], Coroutine[Any, Any, V2]],
        *,
        concurrency: int = 64,
        timeout: Duration | None = None,
        retries: int = 0,
        backoff: Duration = "100ms",
        name: str | None = None,
    ) -> KStream[K, V2]: ...

    @overload
    def map_values(self, mapper: Callable[[V], V2], *, name: str | None = None) -> KStream[K, V2]: ...

    @overload
    def map_values(self, mapper: Callable[[K, V], Expr], *, name: str | None = None) -> KStream[K, Any]: ...

    @overload
    def map_values(self, mapper: Callable[[K, V], V2], *, name: str | None = None) -> KStream[K, V2]: ...

    def map_values(
        self,
        mapper: Callable[..., Any] | Expr,
        *,
        concurrency: int | None = None,
        timeout: Duration | None = None,
        retries: int | None = None,
        backoff: Duration | None = None,
        name: str | None = None,
    ) -> KStream[K, Any]:
        """A new value for every record; the function takes the value, or the key and the value.

        It may be one that waits, written with `async def`: up to `concurrency` calls (64) are under way at once in each
        task, and their results are sent on in the order in which the records came, in the same batch. A try that takes
        longer than `timeout` is given up. One that fails is made again up to `retries` times (0), `backoff` later
        (100ms), and twice as long before each one more; a record whose last try fails, fails as in other functions.

            async def rate(order: Order) -> float:
                return (await client.get(f"/rates/{order.customer}")).json()

            orders.map_values(rate, concurrency=16, timeout="2s", retries=3)
        """
        here = origin()
        options = {"concurrency": concurrency, "timeout": timeout, "retries": retries, "backoff": backoff}
        if callable(mapper) and waits(mapper):
            waiting = awaited("map_values", mapper, (VALUE, KEY_VALUE), here)
            return self._next(AsyncMapValues, "map_values", name, here, value=waiting, **called_with(options, here))
        check_not_given(options, here)
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

        A function that uses more than its arguments and `hr` runs as Python code, for each record: it may do something
        else instead, and print nothing by giving None.

            stream.peek(lambda key, value: key + " -> " + value)
            stream.peek(lambda key, value: seen.append(value))
        """
        here = origin()
        return self._next(Peek, "peek", name, here, shown=acting("peek", shown, self._node, here))

    def foreach(self, action: Callable[[K, V], object], *, name: str | None = None) -> None:
        """Call a function for every record, for what it does; nothing is sent on."""
        here = origin()
        called = acting("foreach", action, self._node, here, traced=False)
        self._next(Foreach, "foreach", name, here, action=called)

    def print(
        self,
        label: str | None = None,
        *,
        mapper: Callable[[K, V], str] | Expr | None = None,
        file: str | Path | None = None,
        name: str | None = None,
    ) -> None:
        """Write a line `[label]: key, value` for every record, or what `mapper` makes of it, to the console or a file.

        The label is the name of the stream unless given. The file is written anew with every start.
        """
        here = origin()
        text = None if mapper is None else bound("print", mapper, (KEY_VALUE,), self._node, here)
        if file is not None and not Path(file).absolute().parent.is_dir():
            raise OptionInvalid("file", str(file), "a file in a directory that is there", here)
        self._next(
            Print,
            "print",
            name,
            here,
            label=self._node.name if label is None else label,
            mapper=text,
            file=None if file is None else str(file),
        )

    def merge(self, *others: KStream[K, V], name: str | None = None) -> KStream[K, V]:
        """The records of all these streams as one. Nothing is promised about the order between them."""
        here = origin()
        if not others:
            raise OptionInvalid("others", others, "at least one stream to merge with", here)
        merged = self
        for number, other in enumerate(others, 1):
            merged = merged._merge(other, name if number == len(others) else None, here)
        return merged

    def _merge(self, other: KStream[K, V], name: str | None, here: str) -> KStream[K, V]:
        same_app(self._declared, other, here, KStream, "a stream: of a table, its changes are one: table.to_stream()")
        for part in ("key", "value"):
            mine, theirs = (getattr(node.output(), part) for node in (self._node, other._node))
            if not mine.meets(theirs):
                raise TypesDiffer(
                    f"the merged streams have {part}s of two types",
                    mine,
                    theirs,
                    here,
                    fix="bring them to one type with map or map_values first",
                )
        node = Merge(
            name=self._declared.unique(name, f"{self._node.name}.merge", here),
            origin=here,
            left=self._node,
            right=other._node,
        )
        return KStream(self._declared, self._declared.add(node))

    def drop_duplicates(
        self,
        key: Callable[[K, V], Any] | Expr | None = None,
        *,
        within: Duration,
        store: str | None = None,
        name: str | None = None,
    ) -> KStream[K, V]:
        """The first record of each key within some time; later ones are dropped.

        With a function, of each key and what it finds in the record; where that is None, the record is sent on. A
        record is a duplicate if one that was sent on lies less than `within` before or after it, by their own times,
        in whatever order they come. Drops duplicates, records without a key, and as late those that lie `within` or
        more behind stream time, for what was sent on around them is forgotten.

            orders.drop_duplicates(lambda key, order: order.id, within="1h")
        """
        here = origin()
        within_ms = duration_ms("within", within, here, least=1)
        self._node.output().key.store_serde(here)  # raises if the key has no bytes to be found by
        found = None if key is None else bound("drop_duplicates", key, (KEY_VALUE,), self._node, here)
        if found is not None:
            serde_of(found.type, here)  # raises if the id has no bytes to be found by
        kept = self._declared.store_name(store, name or f"{self._node.name}.drop_duplicates", here)
        return self._next(DropDuplicates, "drop_duplicates", name, here, id=found, within_ms=within_ms, store=kept)

    def late(self, *, name: str | None = None) -> KStream[K, Any]:
        """The records that came too late for this join, or this `drop_duplicates`, and are in no result: as they were.

        Of a join with another stream, these are the records of both sides. Their values have a type if both sides have
        the same.
        """
        return KStream(self._declared, late(self._declared, self._node, name, origin()))

    def errors(self, *, name: str | None = None) -> KStream[K, Failure[Any]]:
        """The records that the function of this operator failed on; none of them stops the application any more.

        Each has its key, time and headers, and as value an `hr.Failure`: the value as it was, the operator, the class
        and message of the exception, and the topic-partition@offset. Nothing of it is in the result. Of a branch,
        these are the failures of all predicates of the split; of a stream that is read, the records whose bytes do not
        fit its serdes, or that have no time, with keys and values in bytes.

            numbers = texts.map_values(lambda text: 100 // len(text))
            numbers.errors().to("failed")
        """
        return KStream(self._declared, errors(self._declared, self._node, name, origin()))

    def on_error(self, handler: Handler) -> KStream[K, V]:
        """Say what becomes of the records that this operator fails on, whatever the application says of others.

        `"fail"` stops the application, `"skip"` counts them, and `"dead_letter"` writes them to the topic of dead
        letters, with the bytes they had and why they failed in headers. A function of an `hr.Failure` gives one of
        these for each. Gives this stream.

            prices = texts.map_values(lambda text: float(text)).on_error("dead_letter")
        """
        self._declared.handlers.set(self._node, handler, origin())
        return self

    def split(self, name: str | None = None) -> BranchedKStream[K, V]:
        """Send each record one of several ways.

        ways = orders.split("orders-").branch(lambda k, v: v > 100, name="big").default_branch("small")
        ways["orders-big"], ways["orders-small"]
        """
        return BranchedKStream(self._declared, self._node, name, origin())

    def repartition(
        self, partitions: int | None = None, *, partitioner: Partitioner | None = None, name: str | None = None
    ) -> KStream[K, V]:
        """Bring records with the same key together in one task; a record without a key is dropped.

        A partitioner, `lambda key, value, partitions: ...`, may bring others together, as in `to`.
        """
        here = origin()
        if partitions is not None and (not isinstance(partitions, int) or partitions < 1):
            raise OptionInvalid("partitions", partitions, "a whole number from 1 on", here)
        self._node.output().key.store_serde(here)  # raises if the key has no bytes to be sent by
        chosen = partitioner_of("repartition", partitioner, self._node.output(), here)
        return self._next(Repartition, "repartition", name, here, partitions=partitions, partitioner=chosen)

    def to_table(
        self,
        *,
        store: str | None = None,
        emit: str | None = None,
        ttl: Duration | None = None,
        name: str | None = None,
    ) -> tables.KTable[K, V]:
        """The stream as a table: the last value of each key is its row, a record without a value deletes it.

        A record without a key is dropped. Sends on every change; with the name of a store the last one of each key in
        a batch, or with `emit="every"` each. With `ttl`, a row that was not updated for so long by stream time is
        deleted, and a record that is older than that dropped as late.
        """
        here = origin()
        self._node.output().key.store_serde(here)  # raises if the key has no bytes to be found by
        node = ToTable(
            name=self._declared.unique(name, f"{self._node.name}.to_table", here),
            origin=here,
            upstream=self._node,
            **self._declared.kept(store, emit, here),
            ttl_ms=ttl_of(ttl, here),
        )
        return tables.KTable(self._declared, self._declared.add(node))

    def group_by_key(self) -> KGroupedStream[K, V]:
        """Group the records by their key, for an aggregation."""
        self._node.output().key.store_serde(origin())  # raises if the key has no bytes to be found by
        return KGroupedStream(self._declared, self._node)

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
        partitioner: Partitioner | None = None,
        name: str | None = None,
    ) -> None:
        """Write every record to a topic, or to the topic that a function names for it.

        Without `key` and `value` the serdes they were read with are used, or the natural one of their type.
        Records keep their timestamps and headers, and are partitioned by key as Kafka's own producers do, unless a
        partitioner, `lambda key, value, partitions: ...`, or with the topic in front, says otherwise: it gives a
        partition, a list of several, an empty one to drop the record, or None for the usual one.
        """
        here = origin()
        schema = self._node.output()
        target: str | Bound
        if isinstance(topic, str):
            path, target = f"to-{topic}", checked_name("a topic", topic, here)
        else:
            path, target = "to", bound("to", topic, (KEY_VALUE,), self._node, here, exactly(STR, "the topic"))
        key, value = fitting_serde("key", key, schema.key, here), fitting_serde("value", value, schema.value, here)
        chosen = partitioner_of("to", partitioner, schema, here)
        self._next(To, path, name, here, topic=target, key=key, value=value, partitioner=chosen)

    def _filter(
        self, op: str, predicate: Callable[[K, V], bool | Expr] | Expr, *, keep: bool, name: str | None
    ) -> KStream[K, V]:
        here = origin()
        condition = bound(op, predicate, (KEY_VALUE,), self._node, here, exactly(BOOL, "the predicate"))
        return self._next(Filter, op, name, here, predicate=condition, keep=keep)

    def _next(self, kind: type[Node], op: str, name: str | None, here: str, **parameters: Any) -> KStream[Any, Any]:
        node = kind(
            name=self._declared.unique(name, f"{self._node.name}.{op}", here),
            origin=here,
            upstream=self._node,  # type: ignore[call-arg]
            **parameters,
        )
        return KStream(self._declared, self._declared.add(node))
