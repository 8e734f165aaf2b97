"""Expressions that mean the same as Python's own functions, which want a value."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable
from functools import partial
from typing import Any

from headrace.expr.choices import choice, truth
from headrace.expr.functions import PYTHON
from headrace.expr.syntax import Expr, as_expr, call, replaced, tree_of
from headrace.expr.texts import filled
from headrace.expr.ways import MOST_WAYS, ValueNeeded

Twin = Callable[..., Any]


def _bool(thing: object) -> Expr:
    return Expr(truth(tree_of(as_expr(thing))))


_NAMES: tuple[tuple[object, str], ...] = (
    (str, "text"),
    (int, "integer"),
    (float, "floating"),
    (len, "length"),
    (math.sqrt, "square_root"),
    (math.isnan, "is_nan"),
    (math.isfinite, "is_finite"),
    (math.gcd, "gcd"),
)
"""Builtins, and the functions of the table that mean the same."""

_OTHERS: tuple[tuple[object, Twin], ...] = ((bool, _bool), (dataclasses.replace, replaced))


def twin_of(function: Any) -> Twin | None:
    """The expression of a builtin: `len`, `str.upper`, or `", ".join`; None if there is none."""
    name = getattr(function, "__name__", "")
    for builtin, row in _NAMES:
        if builtin is function:
            return partial(_of_table, name, row)
    for builtin, twin in _OTHERS:
        if builtin is function:
            return twin
    if inspect.ismethoddescriptor(function) and getattr(function, "__objclass__", None) is str:
        return lambda target, *args: call(f".{name}", target, *args)
    target = getattr(function, "__self__", None)
    if isinstance(target, str) and name == "format":
        return lambda *args, **named: filled(target, args, named)
    if isinstance(target, dict) and name == "get":
        return lambda key, otherwise=None: _got(target, key, otherwise)
    if isinstance(target, str | bytes) and PYTHON.named(f".{name}"):
        return lambda *args: call(f".{name}", target, *(as_expr(one) for one in map(_listed, args)))
    return None


def _of_table(builtin: str, row: str, *args: object, **named: object) -> Expr:
    """A call of a builtin, if it has just the arguments that the function of the table takes."""
    if named or len(args) != len(PYTHON.named(row)[0].takes):
        raise ValueNeeded(f"{builtin}() with other arguments than `F.{row}` takes needs the value now")
    return call(row, *args)


def _got(known: dict[Any, Any], key: Any, otherwise: Any) -> Any:
    """`known.get(key, otherwise)` of a dict of the program's own, of which only the key is a symbol."""
    if not isinstance(key, Expr) or isinstance(otherwise, Expr) or not 0 < len(known) <= MOST_WAYS:
        raise ValueNeeded(
            f"get() of a dict of {len(known)} needs the value now: from 1 to {MOST_WAYS} can be looked up"
        )
    found = tree_of(as_expr(otherwise))
    for one, value in reversed(known.items()):
        found = choice(tree_of(call("==", key, one)), tree_of(as_expr(value)), found)
    return Expr(found)


def _listed(thing: object) -> object:
    return list(thing) if inspect.isgenerator(thing) else thing
