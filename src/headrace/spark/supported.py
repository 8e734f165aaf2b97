"""Which plans run on Spark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from headrace.errors import NotOnSparkYet
from headrace.expr import Bound, Opaque
from headrace.expr.bound import Applied
from headrace.model.types import NONE, ListType, PairType, Type
from headrace.plan.graph import Plan
from headrace.plan.nodes import Node, Repartition, Source, Start, Times, To
from headrace.serde import PRIMITIVES, Serde
from headrace.serde.primitives import primitive_of
from headrace.spark.native import OPERATORS
from headrace.spark.operators import OPERATORS as KERNEL

SUPPORTED = frozenset(OPERATORS) | frozenset(KERNEL) | {Source}
"""The nodes that have a form on Spark."""


def check_supported(plan: Plan) -> None:
    """Raise for the first node that cannot run, before anything is started for the others."""
    for node in plan.nodes:
        if type(node) not in SUPPORTED:
            raise NotOnSparkYet(node.name, node.op, node.origin)
        for option in _options(node):
            raise NotOnSparkYet(node.name, f"{node.op} with {option}", node.origin)
        for function in _opaque(node):
            raise function.refusal()
        for unknown in _unknown(node):
            raise NotOnSparkYet(node.name, f"{node.op} with {unknown}", node.origin)


def _options(node: Node) -> Iterator[str]:
    """What a node is told that Spark does not do yet."""
    if isinstance(node, Source) and node.timestamp is not Times.FAIL:
        yield "timestamp="
    if isinstance(node, Source) and node.start is not Start.EARLIEST:
        yield f'start="{node.start.value}"'
    if isinstance(node, To | Repartition) and node.partitioner is not None:
        yield "partitioner="
    if getattr(node, "grace_ms", None) is not None:
        yield "grace"
    if getattr(node, "ttl_ms", None) is not None:
        yield "ttl"
    if getattr(getattr(node, "windows", None), "idle_ms", None) is not None:
        yield "idle_after"


def _opaque(node: Node) -> Iterator[Opaque]:
    for one in _parameters(node):
        yield from _opaque_parts(one) if isinstance(one, Bound) else ()


def _opaque_parts(bound: Bound) -> Iterator[Opaque]:
    if isinstance(bound, Opaque):
        yield bound
    for part in bound.parts:
        yield from _opaque_parts(part)


def _unknown(node: Node) -> Iterator[object]:
    """What a node has to do with that has no form on Spark: serdes, types and functions of JSON records."""
    for one in _parameters(node):
        if isinstance(one, Serde) and one not in PRIMITIVES:
            yield one
        elif isinstance(one, Bound):
            yield from _unknown_parts(one)
    schema = node.output()
    if (node.facts.stateful or node.facts.cuts) and primitive_of(schema.key.type) is None:
        yield f"keys of type {schema.key.type}"
    yield from (type_ for type_ in (schema.key.type, schema.value.type) if not _travels(type_))


def _unknown_parts(bound: Bound) -> Iterator[object]:
    if isinstance(bound, Applied) and bound.function.sql is None:
        yield f"`{bound}`"
    for part in bound.parts:
        yield from _unknown_parts(part)


def _travels(type_: Type) -> bool:
    """Whether values of a type can go from one stage to the next."""
    match type_:
        case ListType(element=element):
            return _travels(element)
        case PairType(key=key, value=value):
            return _travels(key) and _travels(value)
    return type_ == NONE or primitive_of(type_) is not None


def _parameters(node: Node) -> Iterator[object]:
    for field in fields(node):
        value = getattr(node, field.name)
        yield from value if isinstance(value, tuple) else (value,)
