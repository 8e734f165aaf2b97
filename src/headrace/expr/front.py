"""Where expressions begin, and the functions for what Python's syntax cannot say; all of it is in the front door."""

from __future__ import annotations

from typing import Any, TypeVar, overload

from headrace.expr.syntax import Expr, When, as_expr, call
from headrace.expr.tree import Symbol
from headrace.expr.typed import computed, of_maybe, on_values

T = TypeVar("T")

key = Expr(Symbol("key"))
value = Expr(Symbol("value"))
timestamp = Expr(Symbol("timestamp"))


def lit(thing: object) -> Expr:
    """A constant as an expression: `hr.lit("a") + hr.text(hr.value)`."""
    return as_expr(thing)


@overload
def when(condition: Expr, then: object) -> When[Expr]: ...


@overload
def when(condition: object, then: T) -> When[T]: ...


def when(condition: object, then: object) -> When[Any]:
    """`hr.when(hr.value > 9, "many").when(hr.value > 1, "some").otherwise("one")`: Python's conditional."""
    return When(()).when(condition, then)


@on_values
def length(of: object) -> int:
    """`len()`: characters of a str, bytes of a bytes, items of a list or dict."""
    return computed("length", of)


@on_values
def contains(whole: object, part: object) -> bool:
    """`part in whole`: a part of a str or bytes, an item of a list, a key of a dict."""
    return computed("contains", whole, part)


@on_values
def is_null(thing: object) -> bool:
    """`thing is None`."""
    return computed("is_null", thing)


@of_maybe
def coalesce(first: object, *others: object) -> Expr:
    """The first that is not None; None if all are."""
    *before, result = (first, *others)
    for thing in reversed(before):
        result = call("coalesce", thing, result)
    return as_expr(result)


@on_values
def text(thing: object) -> str:
    """`str()` of a str, int, float, bool or None."""
    return computed("text", thing)


@on_values
def integer(thing: object) -> int:
    """`int()` of a str, int, float or bool; a fraction is cut off."""
    return computed("integer", thing)


@on_values
def floating(thing: object) -> float:
    """`float()` of a str, int, float or bool."""
    return computed("floating", thing)
