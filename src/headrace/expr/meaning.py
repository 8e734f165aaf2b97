"""What a row of a table of functions says about None, overflow and failure, done: in Python and in Catalyst."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from headrace.expr.functions import Fails, Function, Null, Overflow
from headrace.expr.functions.numbers import fitting, wrapped
from headrace.model.types import INT, INT32

Compiled = Callable[[Mapping[str, Any]], Any]
"""The Python form: from the values of the symbols to the value of the expression."""

FAILURES = (TypeError, ValueError, ArithmeticError, LookupError)
"""How functions of a table fail."""

_BITS = {INT: 64, INT32: 32}
_SUFFIX = {Overflow.RAISES: "", Overflow.OWN: "", Overflow.WRAPS: "_wraps"}


def python_form(row: Function, forms: list[Compiled]) -> Compiled:
    """The Python form of a function on arguments, given their forms."""
    whole = _applied(row, _limited(row), forms)
    if row.fails is Fails.GIVES_NULL:
        whole = _attempted(whole)
    return _or_false(whole) if row.null is Null.GIVES_FALSE else whole


def sql_form(row: Function, texts: list[str], shape: object, keys: object) -> str:
    """The Catalyst form of a function on arguments, given their texts, and what prints the shapes."""
    found = row.sql.format(*texts, shape=shape, keys=keys, overflow=_SUFFIX[row.overflow])
    if row.fails is Fails.GIVES_NULL:
        found = f"hr_attempt({found})"
    return f"coalesce({found}, FALSE)" if row.null is Null.GIVES_FALSE else found


def _limited(row: Function) -> Callable[..., Any]:
    """What it computes, as its type has room for it."""
    function = row.python
    if row.overflow is Overflow.OWN:
        return function
    limit, bits = (fitting if row.overflow is Overflow.RAISES else wrapped), _BITS[row.gives]
    return lambda *numbers: limit(function(*numbers), bits)


def _applied(row: Function, function: Callable[..., Any], forms: list[Compiled]) -> Compiled:
    if row.lazy:
        return lambda values: function(*[partial(form, values) for form in forms])
    if row.null in (Null.GIVES_NULL, Null.GIVES_FALSE):
        return _strict(function, forms)
    match forms:
        case [one]:
            return lambda values: function(one(values))
        case [first, second]:
            return lambda values: function(first(values), second(values))
    return lambda values: function(*[form(values) for form in forms])


def _strict(function: Callable[..., Any], forms: list[Compiled]) -> Compiled:
    """Compute None as soon as an argument is: those behind it are not computed, as Catalyst does not."""

    def compute(values: Mapping[str, Any]) -> Any:
        found = []
        for form in forms:
            one = form(values)
            if one is None:
                return None
            found.append(one)
        return function(*found)

    return compute


def _attempted(form: Compiled) -> Compiled:
    def compute(values: Mapping[str, Any]) -> Any:
        try:
            return form(values)
        except FAILURES:
            return None

    return compute


def _or_false(form: Compiled) -> Compiled:
    return lambda values: False if (found := form(values)) is None else found
