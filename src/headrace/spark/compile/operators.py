"""Operator parameters: what the kernel is told of each node of a stage, with functions as SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headrace.expr import Bound
from headrace.expr.sql import constant, converted
from headrace.model.fault_kinds import FaultKind
from headrace.model.types import ListType, PairType, Type
from headrace.plan.nodes import (
    Aggregate,
    Branch,
    Cogroup,
    Count,
    DropDuplicates,
    Errors,
    Expired,
    Filter,
    FlatMap,
    FlatMapValues,
    ForeignKeyJoin,
    ForeignKeyMatch,
    ForeignKeySubscribe,
    Initial,
    Late,
    Map,
    MapValues,
    Merge,
    Node,
    Peek,
    Reduce,
    Repartition,
    SelectKey,
    Skipped,
    Source,
    Split,
    StreamGlobalJoin,
    StreamJoin,
    StreamTableJoin,
    TableAggregate,
    TableFilter,
    TableGroupBy,
    TableJoin,
    TableMapValues,
    TableReduce,
    TableSource,
    To,
    ToStream,
    ToTable,
    VersionedTable,
    WindowedCogroup,
)
from headrace.plan.placement_nodes import Copy, Everywhere, Through, VersionedCopy
from headrace.plan.schema import Field, Schema
from headrace.serde import INT32, Serde
from headrace.spark.compile.flow import STAGE_HEADERS
from headrace.spark.compile.partitions import chosen
from headrace.spark.compile.sql import (
    decode,
    encode,
    guarded,
    headed,
    label,
    packed,
    packed_key,
    shown,
    some,
    text,
    unpacked,
    unpacked_key,
)
from headrace.spark.compile.windows import WINDOWS
from headrace.spark.spec import parameters as spec
from headrace.spark.spec.parameters import Function
from headrace.spark.spec.stage import FailureSpec


class Functions:
    """The functions of one stage, as SQL on the bytes of their arguments; operators know them by their numbers.

    `tasks` is how many the stage has.
    """

    def __init__(self, where: str, tasks: int) -> None:
        self._where, self.tasks = where, tasks
        self.texts: list[str] = []

    def value(self, node: Node, bound: Bound, symbols: Mapping[str, Field], never_none: str = "") -> Function:
        """A function whose result is a value, in the bytes it travels in; what is folded has the aggregate's type."""
        sql = self._sql(node, bound, symbols, never_none)
        type_ = symbols["aggregate"].type if "aggregate" in symbols else bound.type
        return self._add(packed(type_, converted(sql, bound.type, type_)))

    def key(self, node: Node, bound: Bound, symbols: Mapping[str, Field], of: Schema) -> Function:
        """A function whose result is a key of these rows, in the bytes it travels in."""
        return self._add(self._guarded(node, packed_key(of.key, self._sql(node, bound, symbols))))

    def condition(self, node: Node, bound: Bound, symbols: Mapping[str, Field]) -> Function:
        """A function whose result is true or not."""
        return self._add(f"coalesce({self._sql(node, bound, symbols)}, false)")

    def items(self, node: Node, bound: Bound, symbols: Mapping[str, Field]) -> Function:
        """A function whose result is a list; each item in its bytes."""
        assert isinstance(bound.type, ListType)
        listed = self._sql(node, bound, symbols, "a list")
        return self._add(f"transform({listed}, item -> struct({packed(bound.type.element, 'item')}))")

    def pairs(
        self, node: Node, bound: Bound, symbols: Mapping[str, Field], never_none: str = "(key, value)"
    ) -> Function:
        """A function whose result is a pair of key and value, or a list of them; each part in its bytes."""
        one = isinstance(bound.type, PairType)
        pair = bound.type if isinstance(bound.type, PairType) else bound.type.element  # type: ignore[attr-defined]
        listed = self._sql(node, bound, symbols, never_none if one else "a list")
        parts = f"struct({packed_key(Field(pair.key), 'pair.key')}, {packed(pair.value, 'pair.value')})"
        found = f"transform({f'array({listed})' if one else listed}, pair -> {parts})"
        return self._add(self._guarded(node, found))

    def shown(self, node: Node, bound: Bound, symbols: Mapping[str, Field]) -> Function:
        """A function whose result is printed."""
        return self._add(f"hr_peek({shown(bound.type, self._sql(node, bound, symbols))})")

    def written(self, node: Node, part: str, serde: Serde[Any], found: Field) -> Function:
        """A key or a value in the bytes of a topic."""
        value = converted(_unpacked(part, found), found.type, serde.type)
        return self._add(self._guarded(node, encode(serde, value)))

    def headers(self, node: To, found: Mapping[str, Field]) -> Function:
        """The headers of a record with those that its serdes write, in bytes."""
        both = STAGE_HEADERS
        for part, serde in (("key", node.key), ("value", node.value)):
            field = found[part]
            both = headed(serde, converted(_unpacked(part, field), field.type, serde.type), both)
        return self._add(self._guarded(node, f"hr_pack({both})"))

    def topic(self, node: Node, bound: Bound, symbols: Mapping[str, Field]) -> Function:
        """A function that names a topic, in bytes."""
        return self._add(f"CAST({self._sql(node, bound, symbols, 'a topic')} AS BINARY)")

    def partitions(self, node: To | Repartition, symbols: Mapping[str, Field], topic: str, count: str) -> Function:
        """The partitions that a record goes to, each once, in bytes; the usual one is null."""
        columns = {name: _unpacked(name, field) for name, field in symbols.items()}
        said = chosen(node, {**columns, "topic": topic, "partitions": count}, self._where)
        return self._add(f"transform({said}, one -> struct({encode(INT32, 'CAST(one AS BIGINT)')}))")

    def failure(self, node: Node, type_: Type, value: Type) -> Function:
        """Value of a failed record, as SQL: `left` is the class of the error, `right` its message."""
        parts = {
            "value": unpacked(value, "`value`"),
            "node": text(node.name),
            "error": "cast(`left` AS string)",
            "message": "cast(`right` AS string)",
            "origin": self._where,
        }
        told = ", ".join(f"{text(name)}, {sql}" for name, sql in parts.items())
        return self._add(packed(type_, f"cast(named_struct({told}) AS {type_.sql})"))

    def decoded(self, part: str, serde: Serde[Any]) -> Function:
        """The value of what lies in a topic, in the bytes it travels in."""
        value = guarded(
            decode(serde, f"`{part}`", STAGE_HEADERS), FaultKind.UNDECODABLE, f"{part} {serde}", self._where
        )
        return self._add(packed_key(Field.of(serde), value) if part == "key" else packed(serde.type, value))

    def constant(self, initial: Initial) -> Function:
        """Initial value of an aggregate, as SQL."""
        return self._add(packed(initial.type, constant(initial.make(), initial.type)))

    def where(self) -> Function:
        """Position of a record, in words."""
        return self._add(f"CAST({self._where} AS BINARY)")

    def _sql(self, node: Node, bound: Bound, symbols: Mapping[str, Field], never_none: str = "") -> str:
        columns = {name: _unpacked(name, field) for name, field in symbols.items()}
        sql = bound.sql({**columns, "timestamp": "timestamp"})
        if never_none and bound.nullable:
            sql = some(sql, f"None is not {never_none}")
        return self._guarded(node, sql)

    def _guarded(self, node: Node, sql: str) -> str:
        return guarded(sql, FaultKind.FAILED, label(node), self._where)

    def _add(self, sql: str) -> Function:
        self.texts.append(sql)
        return Function(len(self.texts) - 1)


def failures(node: Node, errors: Errors, functions: Functions) -> FailureSpec:
    """Failure columns of a node whose failures are read; a source decodes what it reads then."""
    failed, value = errors.output().value.type, errors.failing().value.type
    told = functions.failure(node, failed, value)
    if not isinstance(node, Source):
        return FailureSpec(told)
    return FailureSpec(told, functions.decoded("key", node.key), functions.decoded("value", node.value))


def _unpacked(name: str, field: Field) -> str:
    return unpacked_key(field, "`key`") if name == "key" else unpacked(field.type, f"`{name}`")


def _stream(node: Node) -> dict[str, Field]:
    """Columns that a function of a key and a value is computed on."""
    schema = node.inputs[0].output()
    return {"key": schema.key, "value": schema.value}


def _folding(node: Node, position: int = 0) -> dict[str, Field]:
    schema = node.inputs[position].output()
    return {"key": schema.key, "value": schema.value, "aggregate": node.output().value}


def filter_(node: Filter, functions: Functions) -> spec.Filter:
    return spec.Filter(predicate=functions.condition(node, node.predicate, _stream(node)), keep=node.keep)


def map_(node: Map, functions: Functions) -> spec.Pair:
    return spec.Pair(pair=functions.pairs(node, node.pair, _stream(node)))


def map_values(node: MapValues | TableMapValues, functions: Functions) -> spec.Value:
    return spec.Value(value=functions.value(node, node.value, _stream(node)))


def flat_map(node: FlatMap, functions: Functions) -> spec.Pair:
    return spec.Pair(pair=functions.pairs(node, node.pairs, _stream(node)))


def flat_map_values(node: FlatMapValues, functions: Functions) -> spec.Values:
    return spec.Values(values=functions.items(node, node.values, _stream(node)))


def select_key(node: SelectKey, functions: Functions) -> spec.Key:
    return spec.Key(key=functions.key(node, node.key, _stream(node), node.output()))


def peek(node: Peek, functions: Functions) -> spec.Peek:
    return spec.Peek(shown=functions.shown(node, node.shown, _stream(node)))


def split(node: Split, functions: Functions) -> spec.Split:
    return spec.Split(predicates=tuple(functions.condition(node, one, _stream(node)) for one in node.predicates))


def nothing(_: Node, __: Functions) -> spec.Parameters:
    return spec.Parameters()


def versioned(node: VersionedTable | VersionedCopy, _: Functions) -> spec.Versioned:
    return spec.Versioned(history_ms=node.history_ms)


def drop_duplicates(node: DropDuplicates, functions: Functions) -> spec.DropDuplicates:
    id_ = None if node.id is None else functions.value(node, node.id, _stream(node))
    return spec.DropDuplicates(within_ms=node.within_ms, id=id_)


def reduce(node: Reduce, functions: Functions) -> spec.Reduce:
    return spec.Reduce(reducer=functions.value(node, node.reducer, _folding(node)))


def aggregate(node: Aggregate, functions: Functions) -> spec.Aggregate:
    return spec.Aggregate(
        aggregator=functions.value(node, node.aggregator, _folding(node)),
        initial=functions.constant(node.initial),
    )


def cogroup(node: Cogroup, functions: Functions) -> spec.Cogroup:
    return spec.Cogroup(
        aggregators=tuple(
            functions.value(node, one, _folding(node, position)) for position, one in enumerate(node.aggregators)
        ),
        initial=functions.constant(node.initial),
    )


def table_filter(node: TableFilter, functions: Functions) -> spec.TableFilter:
    return spec.TableFilter(
        predicate=functions.condition(node, node.predicate, _stream(node)),
        keep=node.keep,
        wants_old=node.wants_old(0),
        versioned=node.upstream.versioned,
    )


def table_group_by(node: TableGroupBy, functions: Functions) -> spec.TableGroupBy:
    pair = functions.pairs(node, node.pair, _stream(node), never_none="(key, value)")
    return spec.TableGroupBy(pair=pair, versioned=node.upstream.versioned)


def table_reduce(node: TableReduce, functions: Functions) -> spec.TableReduce:
    return spec.TableReduce(
        adder=functions.value(node, node.adder, _folding(node)),
        subtractor=functions.value(node, node.subtractor, _folding(node)),
    )


def table_aggregate(node: TableAggregate, functions: Functions) -> spec.TableAggregate:
    return spec.TableAggregate(
        adder=functions.value(node, node.adder, _folding(node)),
        subtractor=functions.value(node, node.subtractor, _folding(node)),
        initial=functions.constant(node.initial),
    )


def _joining(node: Node) -> dict[str, Field]:
    left, right = (upstream.output() for upstream in node.inputs)
    return {"key": left.key, "left": left.value, "right": right.value}


def stream_join(node: StreamJoin, functions: Functions) -> spec.StreamJoin:
    windows = node.windows
    return spec.StreamJoin(
        joiner=functions.value(node, node.joiner, _joining(node)),
        before_ms=windows.before_ms,
        after_ms=windows.after_ms,
        grace_ms=windows.grace_ms,
        retention_ms=windows.retention_ms,
        keeps=(node.keeps_unmatched(0), node.keeps_unmatched(1)),
        one_store=node.one_store,
        one_stream=node.left is node.right,
    )


def stream_table_join(node: StreamTableJoin, functions: Functions) -> spec.StreamTableJoin:
    joiner = functions.value(node, node.joiner, _joining(node))
    return spec.StreamTableJoin(joiner=joiner, keep_all=node.keep_all, grace_ms=node.grace_ms)


def table_join(node: TableJoin, functions: Functions) -> spec.TableJoin:
    return spec.TableJoin(
        joiner=functions.value(node, node.joiner, _joining(node)),
        side=node.side.value,
        named=node.store is not None,
        settles=node.settles,
        versioned=(node.left.versioned, node.right.versioned),
    )


def stream_global_join(node: StreamGlobalJoin, functions: Functions) -> spec.StreamGlobalJoin:
    return spec.StreamGlobalJoin(
        on=functions.key(node, node.on, _stream(node), node.table.output()),
        joiner=functions.value(node, node.joiner, _joining(node)),
        keep_all=node.keep_all,
    )


def repartition(node: Repartition, functions: Functions) -> spec.Repartition:
    count = str(node.partitions or functions.tasks)
    partitions = functions.partitions(node, _stream(node), text(node.name), count)
    return spec.Repartition(takes_none=node.takes_none, partitions=partitions)


def to(node: To, functions: Functions) -> spec.To:
    found = _stream(node)
    key, value = (functions.written(node, part, getattr(node, part), found[part]) for part in ("key", "value"))
    topic, named = "CAST(`left` AS STRING)", None
    if isinstance(node.topic, str):
        topic = text(node.topic)
    else:
        named = functions.topic(node, node.topic, found)
    partitions = None
    if node.partitioner is not None:
        partitions = functions.partitions(node, found, topic, f"hr_partition_count({topic})")
    headers = functions.headers(node, found) if node.writes_headers else None
    return spec.To(key=key, value=value, topic=named, partitions=partitions, headers=headers)


def foreign_key_subscribe(node: ForeignKeySubscribe, functions: Functions) -> spec.ForeignKeySubscribe:
    return spec.ForeignKeySubscribe(
        on=functions.key(node, node.on, _stream(node), node.output()),
        keep_all=node.keep_all,
        versioned=node.upstream.versioned,
    )


def foreign_key_match(node: ForeignKeyMatch, _: Functions) -> spec.ForeignKeyMatch:
    return spec.ForeignKeyMatch(versioned=node.table.versioned)


def foreign_key_join(node: ForeignKeyJoin, functions: Functions) -> spec.ForeignKeyJoin:
    left, right = node.left.output(), node.answers.output()
    sides = {"key": left.key, "left": left.value, "right": right.value}
    joiner = functions.value(node, node.joiner, sides)
    return spec.ForeignKeyJoin(joiner=joiner, keep_all=node.keep_all)


OPERATORS: dict[type[Node], Callable[[Any, Functions], spec.Parameters]] = {
    Aggregate: aggregate,
    Branch: nothing,
    Cogroup: cogroup,
    Copy: nothing,
    Count: nothing,
    DropDuplicates: drop_duplicates,
    Errors: nothing,
    Skipped: nothing,
    Everywhere: nothing,
    Expired: nothing,
    Filter: filter_,
    FlatMap: flat_map,
    FlatMapValues: flat_map_values,
    ForeignKeyJoin: foreign_key_join,
    ForeignKeyMatch: foreign_key_match,
    ForeignKeySubscribe: foreign_key_subscribe,
    Late: nothing,
    Map: map_,
    MapValues: map_values,
    Merge: nothing,
    Peek: peek,
    Reduce: reduce,
    Repartition: repartition,
    SelectKey: select_key,
    Source: nothing,
    Split: split,
    StreamGlobalJoin: stream_global_join,
    StreamJoin: stream_join,
    StreamTableJoin: stream_table_join,
    TableAggregate: table_aggregate,
    TableFilter: table_filter,
    TableGroupBy: table_group_by,
    TableJoin: table_join,
    TableMapValues: map_values,
    TableReduce: table_reduce,
    TableSource: nothing,
    Through: nothing,
    To: to,
    ToStream: nothing,
    ToTable: nothing,
    VersionedCopy: versioned,
    VersionedTable: versioned,
    WindowedCogroup: nothing,
    **WINDOWS,
}
