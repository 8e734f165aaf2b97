"""Streams of records."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, overload

from headrace.build import side_outputs, stateless
from headrace.build.aggregations import check_key
from headrace.build.duplicates import drop_duplicates
from headrace.build.options import Partitioner
from headrace.build.shown import show
from headrace.build.tables import to_table
from headrace.dsl import table as tables
from headrace.dsl.batched_stream import BatchedStream
from headrace.dsl.branched import BranchedKStream
from headrace.dsl.grouped import KGroupedStream
from headrace.dsl.joinable_stream import JoinableStream
from headrace.dsl.other_sides import same_app
from headrace.dsl.processable_stream import ProcessableStream
from headrace.errors import OptionInvalid
from headrace.expr import Expr
from headrace.model.durations import Duration
from headrace.model.failure import Failure
from headrace.plan.handlers import Handler
from headrace.plan.nodes import (
    Node,
)
from headrace.plan.origin import origin
from headrace.serde import Serde

if TYPE_CHECKING:
    from headrace.build.declared import Declared

K = TypeVar("K")
V = TypeVar("V")
K2 = TypeVar("K2")
V2 = TypeVar("V2")
P = ParamSpec("P")


class KStream(JoinableStream[K, V], ProcessableStream[K, V], BatchedStream[K, V]):
    """An unbounded sequence of records, each an event of its own."""

    def __init__(self, declared: Declared, node: Node) -> None:
        self._declared, self._node = declared, node

    def __repr__(self) -> str:
        return f"KStream({self._node.name})"

    def show(self, count: int = 10) -> None:
        """Show the first records that it would have of what is in the topics now; nothing is written or remembered.

        They are computed in this process, in Python, from the first 10,000 records of each topic.
        """
        show(self._declared, self._node, count, origin())

    def filter(self, predicate: Callable[[K, V], object] | Expr, *, name: str | None = None) -> KStream[K, V]:
        """Keep the records whose predicate is true.

        stream.filter(lambda key, value: value > 100)
        """
        return self._next(stateless.filter_records, predicate, keep=True, name=name, here=origin())

    def filter_not(self, predicate: Callable[[K, V], object] | Expr, *, name: str | None = None) -> KStream[K, V]:
        """Keep the records whose predicate is not true."""
        return self._next(stateless.filter_records, predicate, keep=False, name=name, here=origin())

    def map(self, mapper: Callable[[K, V], tuple[K2, V2]] | Expr, *, name: str | None = None) -> KStream[K2, V2]:
        """A new key and value for every record: `stream.map(lambda key, value: (value, key))`.

        The key may change, so a later `group_by_key` moves the records to the tasks of their new keys.
        """
        return self._next(stateless.map_records, mapper, name=name, here=origin())

    # What a lambda computes of expressions is an Expr to a type checker, whose value may be anything.
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
        calls = {"concurrency": concurrency, "timeout": timeout, "retries": retries, "backoff": backoff}
        return self._next(stateless.map_values, mapper, calls=calls, name=name, here=origin())

    def flat_map(
        self, mapper: Callable[[K, V], Iterable[tuple[K2, V2]]] | Expr, *, name: str | None = None
    ) -> KStream[K2, V2]:
        """Any number of records for every record: `stream.flat_map(lambda k, v: [(k, v), (v, k)])`."""
        return self._next(stateless.flat_map, mapper, name=name, here=origin())

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
        return self._next(stateless.flat_map_values, mapper, name=name, here=origin())

    def select_key(self, mapper: Callable[[K, V], K2] | Expr, *, name: str | None = None) -> KStream[K2, V]:
        """A new key for every record; the value stays."""
        return self._next(stateless.select_key, mapper, name=name, here=origin())

    def peek(self, shown: Callable[[K, V], object] | Expr, *, name: str | None = None) -> KStream[K, V]:
        """Print an expression of every record to the console, and send the record on unchanged.

        A function that uses more than its arguments and `hr` runs as Python code, for each record: it may do something
        else instead, and print nothing by giving None.

            stream.peek(lambda key, value: key + " -> " + value)
            stream.peek(lambda key, value: seen.append(value))
        """
        return self._next(stateless.peek, shown, name=name, here=origin())

    def foreach(self, action: Callable[[K, V], object], *, name: str | None = None) -> None:
        """Call a function for every record, for what it does; nothing is sent on."""
        self._next(stateless.foreach, action, name=name, here=origin())

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
        self._next(stateless.print_records, label=label, mapper=mapper, file=file, name=name, here=origin())

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
        return self._next(stateless.merge, other._node, name=name, here=here)

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
        return self._next(drop_duplicates, key=key, within=within, store=store, name=name, here=origin())

    def late(self, *, name: str | None = None) -> KStream[K, Any]:
        """The records that came too late for this join, or this `drop_duplicates`, and are in no result: as they were.

        Of a join with another stream, these are the records of both sides. Their values have a type if both sides have
        the same.
        """
        return self._next(side_outputs.late, name, origin())

    def errors(self, *, name: str | None = None) -> KStream[K, Failure[Any]]:
        """The records that the function of this operator failed on; none of them stops the application any more.

        Each has its key, time and headers, and as value an `hr.Failure`: the value as it was, the operator, the class
        and message of the exception, and the topic-partition@offset. Nothing of it is in the result. Of a branch,
        these are the failures of all predicates of the split; of a stream that is read, the records whose bytes do not
        fit its serdes, or that have no time, with keys and values in bytes.

            numbers = texts.map_values(lambda text: 100 // len(text))
            numbers.errors().to("failed")
        """
        return self._next(side_outputs.errors, name, origin())

    def on_error(self, handler: Handler) -> KStream[K, V]:
        """Say what becomes of the records that this operator fails on, whatever the application says of others.

        `"fail"` stops the application, `"skip"` counts them, and `"dead_letter"` writes them to the topic of dead
        letters, with the bytes they had and why they failed in headers. A function of an `hr.Failure` gives one of
        these for each. Gives this stream.

            prices = texts.map_values(lambda text: float(text)).on_error("dead_letter")
        """
        self._declared.handle(self._node, handler, origin())
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
        return self._next(
            stateless.repartition, partitions=partitions, partitioner=partitioner, name=name, here=origin()
        )

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
        node = to_table(self._declared, self._node, store=store, emit=emit, ttl=ttl, name=name, here=origin())
        return tables.KTable(self._declared, node)

    def group_by_key(self) -> KGroupedStream[K, V]:
        """Group the records by their key, for an aggregation."""
        check_key(self._node, origin())
        return KGroupedStream(self._declared, self._node)

    def group_by(self, selector: Callable[[K, V], K2] | Expr, *, name: str | None = None) -> KGroupedStream[K2, V]:
        """Group the records by a new key: `words.group_by(lambda key, word: word)`."""
        selected: KStream[K2, V] = self._next(stateless.select_key, selector, name=name, here=origin(), op="group_by")
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
        self._next(stateless.to_topic, topic, key=key, value=value, partitioner=partitioner, name=name, here=origin())

    def _next(
        self,
        build: Callable[Concatenate[Declared, Node, P], Node],
        *given: P.args,
        **options: P.kwargs,
    ) -> KStream[Any, Any]:
        """The stream of the node that is built behind this one."""
        return KStream(self._declared, build(self._declared, self._node, *given, **options))
