"""Which plans run on Spark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from headrace.errors import NotOnSparkYet
from headrace.expr import Bound, Opaque
from headrace.expr.bound import Applied
from headrace.model.types import OBJECT, ListType, OptionalType, TupleType, Type
from headrace.plan.graph import Plan
from headrace.plan.nodes import Errors, Fold, GlobalTable, Node, Peek, Source
from headrace.serde import PRIMITIVES, JsonSerde, Serde, SessionWindowedSerde, TimeWindowedSerde
from headrace.serde.json.writing import is_writable
from headrace.serde.shapes import compares_itself, own_code, prints_itself
from headrace.spark.native import OPERATORS
from headrace.spark.operators import OPERATORS as KERNEL

SUPPORTED = frozenset(OPERATORS) | frozenset(KERNEL) | {GlobalTable}
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
    if isinstance(node, Errors) and not is_writable(node.failing().value.type):
        yield f"values of type {node.failing().value.type}"


def _opaque(node: Node) -> Iterator[Opaque]:
    for one in _parameters(node):
        yield from _opaque_parts(one) if isinstance(one, Bound) else ()


def _opaque_parts(bound: Bound) -> Iterator[Opaque]:
    if isinstance(bound, Opaque):
        yield bound
    for part in bound.parts:
        yield from _opaque_parts(part)


def _unknown(node: Node) -> Iterator[object]:
    """What a node has to do with that has no form on Spark."""
    for one in _parameters(node):
        if isinstance(one, Serde) and not _known(one):
            yield one
        elif isinstance(one, Bound):
            yield from _comparing(one)
    schema = node.output()
    yield from (f"{part.type} values" for part in (schema.key, schema.value) if _is_object(part.type))
    if isinstance(node, Source):
        own = own_code(node.key.type) or own_code(node.value.type)
        yield from [own] if own else []
    if isinstance(node, Peek):
        printed = prints_itself(node.shown.type)
        yield from [f"the way {printed} prints itself"] if printed else []


def _is_object(type_: Type) -> bool:
    """Whether it is not known what values of a type are."""
    match type_:
        case ListType(element=inner) | OptionalType(of=inner):
            return _is_object(inner)
        case TupleType(items=items):
            return any(map(_is_object, items))
    return type_ == OBJECT


def _known(serde: Serde[Any]) -> bool:
    """Whether the kernel reads and writes the bytes of a serde."""
    if isinstance(serde, TimeWindowedSerde | SessionWindowedSerde):
        return _known(serde.inner)
    return serde in PRIMITIVES or isinstance(serde, JsonSerde)


def _comparing(bound: Bound) -> Iterator[object]:
    """Where values are compared in a way that their class defines."""
    if isinstance(bound, Applied) and bound.function.name in ("==", "!=", "contains"):
        own = compares_itself(bound.args[-1].type)
        yield from [f"`{bound}`: {own} has an == of its own"] if own else []
    for part in bound.parts:
        yield from _comparing(part)


def _parameters(node: Node | Fold) -> Iterator[object]:
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, Fold):
            yield from _parameters(value)
        else:
            yield from value if isinstance(value, tuple) else (value,)
