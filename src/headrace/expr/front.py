"""Where expressions begin, and the functions for what Python's syntax cannot say; all of it is in the front door."""

from __future__ import annotations

from headrace.expr.syntax import Expr, When, as_expr, call
from headrace.expr.tree import Symbol

key = Expr(Symbol("key"))
value = Expr(Symbol("value"))
timestamp = Expr(Symbol("timestamp"))


def lit(thing: object) -> Expr:
    """A constant as an expression: `hr.lit("a") + hr.text(hr.value)`."""
    return as_expr(thing)


def when(condition: object, then: object) -> When:
    """`hr.when(hr.value > 9, "many").when(hr.value > 1, "some").otherwise("one")`: Python's conditional."""
    return When(()).when(condition, then)


def length(of: object) -> Expr:
    """`len()`: characters of a str, bytes of a bytes, items of a list or dict."""
    return call("length", of)


def contains(whole: object, part: object) -> Expr:
    """`part in whole`: a part of a str or bytes, an item of a list, a key of a dict."""
    return call("contains", whole, part)


def is_null(thing: object) -> Expr:
    """`thing is None`."""
    return call("is_null", thing)


def coalesce(first: object, *others: object) -> Expr:
    """The first that is not None; None if all are."""
    *before, result = (first, *others)
    for thing in reversed(before):
        result = call("coalesce", thing, result)
    return as_expr(result)


def text(thing: object) -> Expr:
    """`str()` of a str, int, float, bool or None."""
    return call("text", thing)


def integer(thing: object) -> Expr:
    """`int()` of a str, int, float or bool; a fraction is cut off."""
    return call("integer", thing)


def floating(thing: object) -> Expr:
    """`float()` of a str, int, float or bool."""
    return call("floating", thing)
