"""What the kernel is told of each node that runs inside a stage: its parameters, and its functions as SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headrace.expr import Bound
from headrace.expr.sql import constant
from headrace.model.types import ListType, PairType, Type
from headrace.plan.nodes import (
    Aggregate,
    Branch,
    Cogroup,
    Count,
    Expired,
    Filter,
    FlatMap,
    FlatMapValues,
    Initial,
    Late,
    Map,
    MapValues,
    Merge,
    Node,
    Peek,
    Reduce,
    SelectKey,
    Split,
    StreamTableJoin,
    TableAggregate,
    TableFilter,
    TableGroupBy,
    TableJoin,
    TableMapValues,
    TableReduce,
    TableSource,
    ToStream,
    ToTable,
)
from headrace.spark.sql import guarded, packed, shown, text, unpacked

Parameters = dict[str, Any]


class Functions:
    """The functions of one stage, as SQL on the bytes of their arguments; operators know them by their numbers."""

    def __init__(self, where: str) -> None:
        self._where = where
        self.texts: list[str] = []

    def value(self, node: Node, bound: Bound, symbols: Mapping[str, Type], never_none: str = "") -> int:
        """A function whose result is a value, in the bytes it travels in."""
        return self._add(packed(bound.type, self._sql(node, bound, symbols, never_none)))

    def condition(self, node: Node, bound: Bound, symbols: Mapping[str, Type]) -> int:
        """A function whose result is true or not."""
        return self._add(f"coalesce({self._sql(node, bound, symbols)}, false)")

    def items(self, node: Node, bound: Bound, symbols: Mapping[str, Type]) -> int:
        """A function whose result is a list; each item in its bytes."""
        assert isinstance(bound.type, ListType)
        listed = self._sql(node, bound, symbols, "a list")
        return self._add(f"transform({listed}, item -> struct({packed(bound.type.element, 'item')}))")

    def pairs(self, node: Node, bound: Bound, symbols: Mapping[str, Type], never_none: str = "(key, value)") -> int:
        """A function whose result is a pair of key and value, or a list of them; each part in its bytes."""
        one = isinstance(bound.type, PairType)
        pair = bound.type if isinstance(bound.type, PairType) else bound.type.element  # type: ignore[attr-defined]
        listed = self._sql(node, bound, symbols, never_none if one else "a list")
        parts = f"struct({packed(pair.key, 'pair.key')}, {packed(pair.value, 'pair.value')})"
        return self._add(f"transform({f'array({listed})' if one else listed}, pair -> {parts})")

    def shown(self, node: Node, bound: Bound, symbols: Mapping[str, Type]) -> int:
        """A function whose result is printed."""
        return self._add(f"hr_peek({shown(bound.type, self._sql(node, bound, symbols))})")

    def constant(self, initial: Initial) -> int:
        """What an aggregate begins with."""
        return self._add(packed(initial.type, constant(initial.make(), initial.type)))

    def _sql(self, node: Node, bound: Bound, symbols: Mapping[str, Type], never_none: str = "") -> str:
        columns = {name: unpacked(type_, f"`{name}`") for name, type_ in symbols.items()}
        sql = bound.sql({**columns, "timestamp": "timestamp"})
        if never_none and bound.nullable:
            sql = f"hr_some({sql}, {text(f'None is not {never_none}')})"
        return guarded(sql, "failed", f"{node.name} ({node.origin})", self._where)

    def _add(self, sql: str) -> int:
        self.texts.append(sql)
        return len(self.texts) - 1


def _stream(node: Node) -> dict[str, Type]:
    """What a function of a key and a value is computed on."""
    schema = node.inputs[0].output()
    return {"key": schema.key.type, "value": schema.value.type}


def _folding(node: Node, position: int = 0) -> dict[str, Type]:
    schema = node.inputs[position].output()
    return {"key": schema.key.type, "value": schema.value.type, "aggregate": node.output().value.type}


def _emit(node: Any) -> Parameters:
    return {"emit": node.emit.value}


def filter_(node: Filter | TableFilter, functions: Functions) -> Parameters:
    return {"predicate": functions.condition(node, node.predicate, _stream(node)), "keep": node.keep}


def map_(node: Map, functions: Functions) -> Parameters:
    return {"pair": functions.pairs(node, node.pair, _stream(node))}


def map_values(node: MapValues | TableMapValues, functions: Functions) -> Parameters:
    return {"value": functions.value(node, node.value, _stream(node))}


def flat_map(node: FlatMap, functions: Functions) -> Parameters:
    return {"pair": functions.pairs(node, node.pairs, _stream(node))}


def flat_map_values(node: FlatMapValues, functions: Functions) -> Parameters:
    return {"values": functions.items(node, node.values, _stream(node))}


def select_key(node: SelectKey, functions: Functions) -> Parameters:
    return {"key": functions.value(node, node.key, _stream(node))}


def peek(node: Peek, functions: Functions) -> Parameters:
    return {"shown": functions.shown(node, node.shown, _stream(node))}


def split(node: Split, functions: Functions) -> Parameters:
    return {"predicates": [functions.condition(node, one, _stream(node)) for one in node.predicates]}


def nothing(_: Node, __: Functions) -> Parameters:
    return {}


def rows(node: Count | TableSource | ToTable, _: Functions) -> Parameters:
    return _emit(node)


def reduce(node: Reduce, functions: Functions) -> Parameters:
    return {"reducer": functions.value(node, node.reducer, _folding(node)), **_emit(node)}


def aggregate(node: Aggregate, functions: Functions) -> Parameters:
    return {
        "aggregator": functions.value(node, node.aggregator, _folding(node)),
        "initial": functions.constant(node.initial),
        **_emit(node),
    }


def cogroup(node: Cogroup, functions: Functions) -> Parameters:
    return {
        "aggregators": [
            functions.value(node, one, _folding(node, position)) for position, one in enumerate(node.aggregators)
        ],
        "initial": functions.constant(node.initial),
        **_emit(node),
    }


def table_filter(node: TableFilter, functions: Functions) -> Parameters:
    known = {"wants_old": node.wants_old(0), "versioned": node.upstream.versioned}
    return {**filter_(node, functions), **known, **_emit(node)}


def table_map_values(node: TableMapValues, functions: Functions) -> Parameters:
    return {**map_values(node, functions), **_emit(node)}


def table_group_by(node: TableGroupBy, functions: Functions) -> Parameters:
    pair = functions.pairs(node, node.pair, _stream(node), never_none="(key, value)")
    return {"pair": pair, "versioned": node.upstream.versioned}


def table_reduce(node: TableReduce | TableAggregate, functions: Functions) -> Parameters:
    return {
        "adder": functions.value(node, node.adder, _folding(node)),
        "subtractor": functions.value(node, node.subtractor, _folding(node)),
        **_emit(node),
    }


def table_aggregate(node: TableAggregate, functions: Functions) -> Parameters:
    return {**table_reduce(node, functions), "initial": functions.constant(node.initial)}


def _joining(node: Node) -> dict[str, Type]:
    left, right = (upstream.output() for upstream in node.inputs)
    return {"key": left.key.type, "left": left.value.type, "right": right.value.type}


def stream_table_join(node: StreamTableJoin, functions: Functions) -> Parameters:
    return {"joiner": functions.value(node, node.joiner, _joining(node)), "keep_all": node.keep_all}


def table_join(node: TableJoin, functions: Functions) -> Parameters:
    return {
        "joiner": functions.value(node, node.joiner, _joining(node)),
        "side": node.side.value,
        "named": node.store is not None,
        "settles": node.settles,
        "versioned": [int(upstream.versioned) for upstream in node.inputs],
        **_emit(node),
    }


OPERATORS: dict[type[Node], Callable[[Any, Functions], Parameters]] = {
    Aggregate: aggregate,
    Branch: nothing,
    Cogroup: cogroup,
    Count: rows,
    Expired: nothing,
    Filter: filter_,
    FlatMap: flat_map,
    FlatMapValues: flat_map_values,
    Late: nothing,
    Map: map_,
    MapValues: map_values,
    Merge: nothing,
    Peek: peek,
    Reduce: reduce,
    SelectKey: select_key,
    Split: split,
    StreamTableJoin: stream_table_join,
    TableAggregate: table_aggregate,
    TableFilter: table_filter,
    TableGroupBy: table_group_by,
    TableJoin: table_join,
    TableMapValues: table_map_values,
    TableReduce: table_reduce,
    TableSource: rows,
    ToStream: nothing,
    ToTable: rows,
}
