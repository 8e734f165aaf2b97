"""From a user's function to a typed expression."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from headrace.errors import WrongType
from headrace.expr import Bound, Expr, bind, trace
from headrace.model.types import INT, ListType, PairType, Type
from headrace.plan.nodes import Node

VALUE = ("value",)
KEY_VALUE = ("key", "value")

Check = Callable[[Type, str], None]


def bound(
    op: str,
    function: Callable[..., Any] | Expr,
    forms: tuple[tuple[str, ...], ...],
    node: Node,
    here: str,
    check: Check | None = None,
) -> Bound:
    """The function, traced with symbols for its parameters and typed by what the node sends.

    `forms` are the parameter lists the operator takes; the function's own number of parameters picks one.
    """
    schema = node.output()
    traced = trace(function, _form(function, forms), here, op)
    types = {"key": schema.key.type, "value": schema.value.type, "timestamp": INT}
    result = bind(traced, types, here)
    if check is not None:
        check(result.type, here)
    return result


def exactly(needed: Type, what: str) -> Check:
    """A check that the result has one type."""

    def check(found: Type, here: str) -> None:
        if found != needed:
            raise WrongType(what, found, needed, here)

    return check


def list_type(found: Type, here: str) -> None:
    """A check that the result is a list."""
    if not isinstance(found, ListType):
        raise WrongType("the result", found, "a list", here)


def pair_type(found: Type, here: str) -> None:
    """A check that the result is a key with its value."""
    if not isinstance(found, PairType):
        raise WrongType("the result", found, "a tuple (key, value)", here)


def list_of_pairs(found: Type, here: str) -> None:
    """A check that the result is a list of keys with their values."""
    list_type(found, here)
    assert isinstance(found, ListType)
    pair_type(found.element, here)


def _form(function: Callable[..., Any] | Expr, forms: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    if len(forms) == 1 or isinstance(function, Expr):
        return forms[-1]
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return forms[0]
    required = [one for one in parameters if one.default is one.empty and one.kind <= one.POSITIONAL_OR_KEYWORD]
    return next((form for form in forms if len(form) == len(required)), forms[0])
