"""Symbols of a record, constants and choices: expressions begin with them. All of them are in the front door."""

from __future__ import annotations

from typing import Any, TypeVar, overload

from headrace.expr.syntax import Expr, When, as_expr
from headrace.expr.tree import Symbol

T = TypeVar("T")

key = Expr(Symbol("key"))
value = Expr(Symbol("value"))
timestamp = Expr(Symbol("timestamp"))


def lit(thing: object) -> Expr:
    """A constant as an expression: `hr.lit("a") + F.text(hr.value)`."""
    return as_expr(thing)


@overload
def when(condition: Expr, then: object) -> When[Expr]: ...


@overload
def when(condition: object, then: T) -> When[T]: ...


def when(condition: object, then: object) -> When[Any]:
    """`hr.when(hr.value > 9, "many").when(hr.value > 1, "some").otherwise("one")`: Python's conditional."""
    return When(()).when(condition, then)
