"""Which plans run on Spark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from headrace.errors import NotOnSparkYet
from headrace.expr import Bound, Opaque
from headrace.expr.bound import Applied
from headrace.model.types import NONE, ListType, PairType, Type
from headrace.plan.graph import Plan
from headrace.plan.nodes import Node, Source
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
        for function in _opaque(node):
            raise function.refusal()
        for unknown in _unknown(node):
            raise NotOnSparkYet(node.name, f"{node.op} with {unknown}", node.origin)


def _opaque(node: Node) -> Iterator[Opaque]:
    yield from (one for one in _parameters(node) if isinstance(one, Opaque))


def _unknown(node: Node) -> Iterator[object]:
    """What a node has to do with that has no form on Spark: serdes, types and functions of JSON records."""
    for one in _parameters(node):
        if isinstance(one, Serde) and one not in PRIMITIVES:
            yield one
        elif isinstance(one, Bound):
            yield from _unknown_parts(one)
    schema = node.output()
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
