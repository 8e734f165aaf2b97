"""Expressions: what a user's function becomes. `trace` makes them, `bind` gives them types, `Bound` runs them."""

from headrace.expr.bind import bind
from headrace.expr.bound import Bound, Compiled
from headrace.expr.front import (
    coalesce,
    contains,
    floating,
    integer,
    is_null,
    key,
    length,
    lit,
    text,
    timestamp,
    value,
    when,
)
from headrace.expr.syntax import Expr, as_expr
from headrace.expr.trace import trace

__all__ = [
    "Bound",
    "Compiled",
    "Expr",
    "as_expr",
    "bind",
    "coalesce",
    "contains",
    "floating",
    "integer",
    "is_null",
    "key",
    "length",
    "lit",
    "text",
    "timestamp",
    "trace",
    "value",
    "when",
]
