"""Expressions: user functions as data. `trace` makes them, `bind` gives them types, `Bound` runs them."""

from headrace.expr.bind import bind
from headrace.expr.bound import Bound
from headrace.expr.front import key, lit, timestamp, value, when
from headrace.expr.meaning import Compiled
from headrace.expr.opaque import Opaque
from headrace.expr.syntax import Expr, as_expr
from headrace.expr.trace import check_parameters, trace, traced
from headrace.expr.untraceable_code import only_computes

__all__ = [
    "Bound",
    "Compiled",
    "Expr",
    "Opaque",
    "as_expr",
    "bind",
    "check_parameters",
    "key",
    "lit",
    "only_computes",
    "timestamp",
    "trace",
    "traced",
    "value",
    "when",
]
