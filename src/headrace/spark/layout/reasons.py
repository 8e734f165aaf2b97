"""Reasons why a node runs in Python: it has no form in Spark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from headrace.expr import Bound, Opaque
from headrace.expr.bound import Applied
from headrace.model.types import is_object
from headrace.plan.nodes import Changelog, DeadLetters, Errors, Fold, GlobalTable, Node, Peek, Source
from headrace.plan.placement_nodes import Later
from headrace.serde import Serde
from headrace.serde.json.writing import is_writable
from headrace.serde.shapes import compares_itself, own_code, prints_itself
from headrace.spark.compile.operators import OPERATORS

IN_SPARK = frozenset(OPERATORS) | {Changelog, DeadLetters, GlobalTable, Later}
"""The nodes that have a form in Spark."""


def why_python(node: Node) -> str | None:
    """The first reason in words; None if it runs in Spark."""
    return next(_reasons(node), None)


def opaque_functions(node: Node) -> Iterator[Opaque]:
    """The functions of a node that stay Python code."""
    for name, one in parameters(node):
        if isinstance(one, Bound) and name != "timestamp":
            yield from _opaque_parts(one)


def stamps_in_python(source: Source) -> bool:
    """Whether the times of a source's records are found by a function that stays Python code."""
    return isinstance(source.timestamp, Bound) and any(_opaque_parts(source.timestamp))


def _reasons(node: Node) -> Iterator[str]:
    if type(node) not in IN_SPARK:
        yield f"{node.op} is the user's own code"
    yield from (f"{one.reason} ({one.line})" for one in opaque_functions(node))
    if isinstance(node, Errors) and not is_writable(node.failing().value.type):
        yield f"JSON cannot say values of type {node.failing().value.type}"
    for _, one in parameters(node):
        if isinstance(one, Serde) and one.facts.kernel is None:
            yield f"{one} is a serde of the user's own"
        elif isinstance(one, Bound):
            yield from _of_classes(one)
    schema = node.output()
    if any(is_object(part.type) for part in (schema.key, schema.value)):
        yield "it is not known what type its result has: write its function with def, and say what it returns"
    if isinstance(node, Source):
        own = own_code(node.key.type) or own_code(node.value.type)
        yield from [str(own)] if own else []
    if isinstance(node, Peek):
        printed = prints_itself(node.shown.type)
        yield from [f"{printed} prints itself in its own way"] if printed else []


def parameters(node: Node | Fold) -> Iterator[tuple[str, object]]:
    """Parameters of a node, by the names of its fields."""
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, Fold):
            yield from parameters(value)
        else:
            yield from ((field.name, one) for one in (value if isinstance(value, tuple) else (value,)))


def _opaque_parts(bound: Bound) -> Iterator[Opaque]:
    if isinstance(bound, Opaque):
        yield bound
    for part in bound.parts:
        yield from _opaque_parts(part)


def _of_classes(bound: Bound) -> Iterator[str]:
    """Comparisons, and conversions to text, that a class of the user's defines."""
    if isinstance(bound, Applied) and bound.function.name in ("==", "!=", "contains"):
        own = compares_itself(bound.args[-1].type)
        yield from [f"`{bound}`: {own} has an == of its own"] if own else []
    if isinstance(bound, Applied) and bound.function.name == "text":
        own = prints_itself(bound.args[-1].type)
        yield from [f"`{bound}`: {own} prints itself in its own way"] if own else []
    for part in bound.parts:
        yield from _of_classes(part)
