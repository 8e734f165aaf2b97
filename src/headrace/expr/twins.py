"""Expressions that mean the same as Python's own functions, which want a value."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable
from typing import Any

from headrace.expr.choices import truth
from headrace.expr.fit import rows_of
from headrace.expr.front import floating, integer, length, text
from headrace.expr.named import gcd, is_finite, is_nan, square_root
from headrace.expr.syntax import Expr, as_expr, call, replaced, tree_of

Twin = Callable[..., Expr]


def _bool(thing: object) -> Expr:
    return Expr(truth(tree_of(as_expr(thing))))


_TWINS: tuple[tuple[object, Twin], ...] = (
    (str, text),
    (int, integer),
    (float, floating),
    (len, length),
    (bool, _bool),
    (math.sqrt, square_root),
    (math.isnan, is_nan),
    (math.isfinite, is_finite),
    (math.gcd, gcd),
    (dataclasses.replace, replaced),
)


def twin_of(function: Any) -> Twin | None:
    """The expression of a builtin: `len`, `str.upper`, or `", ".join`; None if there is none."""
    for builtin, twin in _TWINS:
        if builtin is function:
            return twin
    name = getattr(function, "__name__", "")
    if inspect.ismethoddescriptor(function) and getattr(function, "__objclass__", None) is str:
        return lambda target, *args: call(f".{name}", target, *args)
    target = getattr(function, "__self__", None)
    if isinstance(target, str | bytes) and rows_of(f".{name}"):
        return lambda *args: call(f".{name}", target, *(as_expr(one) for one in map(_listed, args)))
    return None


def _listed(thing: object) -> object:
    return list(thing) if inspect.isgenerator(thing) else thing
