"""From a user's function to a typed expression."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from headrace.errors import NotTraceable, OptionInvalid, UnknownName, WrongType
from headrace.expr import Bound, Expr, Opaque, bind, check_parameters, only_computes, traced
from headrace.expr.choices import of_numbers
from headrace.expr.opaque import shown
from headrace.expr.syntax import tree_of
from headrace.model.records import is_record, record_type
from headrace.model.type_compatibility import holds
from headrace.model.types import (
    BOOL,
    BYTES,
    FLOAT,
    INT,
    OBJECT,
    STR,
    EnumType,
    ListType,
    PairType,
    StructType,
    Type,
    dict_of,
    list_of,
    pair_of,
    tuple_of,
)
from headrace.model.windows import Windowed, windowed_of
from headrace.plan.nodes import Initial, Node

VALUE = ("value",)
KEY_VALUE = ("key", "value")
AGGREGATE_VALUE = ("aggregate", "value")
KEY_VALUE_AGGREGATE = ("key", "value", "aggregate")

Function = Callable[..., Any] | Expr | Bound
"""A function as a front end gives it: a callable that is traced, an expression, or one bound to its symbols already."""

_HINTS = {str: STR, int: INT, float: FLOAT, bool: BOOL, bytes: BYTES}


@dataclass(frozen=True)
class Check:
    """Check of a function's result type."""

    run: Callable[[Type, str], None]
    """Raises for a type that does not fit."""

    untraced: Type
    """The type of a function that stays Python code and does not say its own."""

    whole: bool = False
    """Whether None has no meaning as the result."""


def bound(
    op: str,
    function: Function,
    forms: tuple[tuple[str, ...], ...],
    node: Node,
    here: str,
    check: Check | None = None,
) -> Bound:
    """The function, traced with symbols for its parameters and typed by what the node sends.

    `forms` are the parameter lists the operator takes; the function's own number of parameters picks one.
    """
    schema = node.output()
    symbols = {"key": schema.key.type, "value": schema.value.type, "timestamp": INT}
    return bound_on(op, function, forms, symbols, here, check)


def bound_on(
    op: str,
    function: Function,
    forms: tuple[tuple[str, ...], ...],
    symbols: Mapping[str, Type],
    here: str,
    check: Check | None = None,
) -> Bound:
    """Bind a function to given symbols and their types.

    A function that cannot be traced is kept as it is, with the reason: `Opaque`.
    """
    if isinstance(function, Bound):
        if check is not None:
            check.run(function.type, here)
        return function
    if not isinstance(function, Expr) and not callable(function):
        wanted = f"{op} a function, or an expression of hr.key and hr.value"
        raise OptionInvalid("function", function, wanted, here)
    check_ordinary(op, function, here)
    form = _form(function, forms)
    unknown = " and ".join(name for name in form if symbols[name] == OBJECT)
    if isinstance(function, Expr):
        result = bind(function, symbols, here)
    elif unknown:
        # An expression of it has no type either, and what the function does to it in place would not be seen.
        check_parameters(function, form, f"the function of {op}", here)
        result = _opaque(function, form, op, f"the type of its {unknown} is not known", here, check)
    else:
        result = _traced(op, function, form, symbols, here, check)
    if check is not None:
        check.run(result.type, here)
    return result


def _traced(
    op: str,
    function: Callable[..., Any],
    form: tuple[str, ...],
    symbols: Mapping[str, Type],
    here: str,
    check: Check | None,
) -> Bound:
    helped = False
    try:
        found = traced(function, form, here, op, predicate=check is not None and check.untraced == BOOL)
        helped = found.helped
        tree = tree_of(found.expr)
        expr = Expr(of_numbers(tree)) if _declared(function) == FLOAT else found.expr
        result = bind(expr, symbols, here)
        if helped and check is not None:
            check.run(result.type, here)
            if result.nullable and check.whole:
                raise NotTraceable(f"the function of {op}", "it gives None on one of the ways through it", here)
    except NotTraceable as exc:
        return _opaque(function, form, op, exc.reason, exc.where or here, check)
    except (WrongType, UnknownName) as exc:
        if not helped:
            raise
        return _opaque(function, form, op, exc.what, exc.where or here, check)
    return result


def waits(function: object) -> bool:
    """Whether calling it gives a coroutine: it is written with `async def`, or is a part of one that is, or an object.

    >>> async def fetch(url, timeout): ...
    >>> waits(functools.partial(fetch, timeout=3)), waits(print)
    (True, False)
    """
    return inspect.iscoroutinefunction(_called(function))


def awaited(op: str, function: Callable[..., Any], forms: tuple[tuple[str, ...], ...], here: str) -> Opaque:
    """A function written with `async def`: nothing of it is traced, and its annotation says what it ends with."""
    form = _form(function, forms)
    check_parameters(function, form, f"the function of {op}", here)
    type_ = _declared(_called(function)) or OBJECT
    return Opaque(
        type_, True, shown(_whole(function)), function, form, f"the function of {op}", "it is written with async", here
    )


def check_ordinary(op: str, function: object, here: str) -> None:
    """Raise for a function that waits, where none can."""
    if waits(function):
        ordinary = f"{op} an ordinary function; map_values of a stream takes one written with async def"
        raise OptionInvalid("function", function, ordinary, here)


def acting(op: str, function: Function, node: Node, here: str, *, traced: bool = True) -> Bound:
    """A function that may be there for what it does.

    It is traced only if it cannot do anything, for to be traced it is called once more than there are records.
    """
    if isinstance(function, Expr | Bound) or (traced and only_computes(function)):
        return bound(op, function, (KEY_VALUE,), node, here)
    if not callable(function):
        raise OptionInvalid("action", function, "a function (key, value)", here)
    check_ordinary(op, function, here)
    check_parameters(function, KEY_VALUE, f"the function of {op}", here)
    return _opaque(function, KEY_VALUE, op, "it may do more than compute", here, None)


def initial_of(value: Any, here: str, aggregator: Function) -> Initial:
    """Initial value of an aggregate, from a value or from a function that makes one.

    Where that does not tell the type, as `list` does not, its annotation or that of the aggregator does.
    """
    if callable(value):
        try:
            sample = value()
        except Exception as exc:
            raise OptionInvalid("initial", value, f"one that can be called: {exc}", here) from exc
        text = f"{getattr(value, '__name__', 'a function')}()"
        told = hinted(value if typing.get_origin(value) else type(sample))
        for function in (value, aggregator):
            if told is None and callable(function):
                told = _declared(function)
        return Initial(value, told or OBJECT, text)
    if value is not None and type(value) not in _HINTS:
        wanted = f"a function that makes it anew for each key, such as lambda: {value!r}"
        raise OptionInvalid("initial", value, wanted, here)
    return Initial(lambda: value, _HINTS.get(type(value), OBJECT), repr(value))


def exactly(needed: Type, what: str) -> Check:
    """A check that the result has one type."""

    def check(found: Type, here: str) -> None:
        alike = isinstance(needed, StructType) and holds(needed, found)  # a dict written out, for a TypedDict
        if found != needed and OBJECT not in (found, needed) and not alike:
            is_value = isinstance(found, EnumType) and found.of_values == needed
            raise WrongType(what, found, needed, here, "take the value of the member: .value" if is_value else None)

    return Check(check, needed)


def _list(found: Type, here: str) -> None:
    if not isinstance(found, ListType):
        raise WrongType("the result", found, "a list", here)


def _pair(found: Type, here: str) -> None:
    if not isinstance(found, PairType):
        raise WrongType("the result", found, "a tuple (key, value)", here)


def _pairs(found: Type, here: str) -> None:
    _list(found, here)
    assert isinstance(found, ListType)
    _pair(found.element, here)


list_type = Check(_list, list_of(OBJECT), whole=True)
pair_type = Check(_pair, pair_of(OBJECT, OBJECT), whole=True)
list_of_pairs = Check(_pairs, list_of(pair_of(OBJECT, OBJECT)), whole=True)


def _opaque(
    function: Callable[..., Any], form: tuple[str, ...], op: str, reason: str, line: str, check: Check | None
) -> Opaque:
    type_ = _declared(function) or (OBJECT if check is None else check.untraced)
    return Opaque(type_, True, shown(function), function, form, f"the function of {op}", reason, line)


def _declared(function: Callable[..., Any]) -> Type | None:
    """The type that a function's own annotation says it returns, if it is one that headrace knows."""
    try:
        return hinted(typing.get_type_hints(function).get("return"))
    except (TypeError, NameError, AttributeError):  # no annotations, or some that only a type checker understands
        return None


def hinted(hint: Any) -> Type | None:
    """The type that an annotation means, if it is one that headrace knows."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        present = [one for one in inner if one is not type(None)]
        return hinted(present[0]) if len(present) == 1 else None
    if origin is list:
        return list_of(hinted(inner[0]) or OBJECT)
    if origin is dict and inner[0] is str:
        return dict_of(hinted(inner[1]) or OBJECT)
    if origin is tuple and len(inner) >= 2 and ... not in inner:
        return tuple_of(*(hinted(one) or OBJECT for one in inner))
    if origin is Windowed:
        return windowed_of(hinted(inner[0]) or OBJECT)
    return record_type(hint, "?") if is_record(hint) else _HINTS.get(hint)


def _whole(function: object) -> object:
    """The function of which another one is a part."""
    while isinstance(function, functools.partial):
        function = function.func
    return function


def _called(function: object) -> Any:
    """The function that is called: of an object, that of its class."""
    whole = _whole(function)
    if inspect.isroutine(whole) or isinstance(whole, type):
        return whole
    return getattr(type(whole), "__call__", None)  # noqa: B004


def _form(function: Callable[..., Any] | Expr, forms: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    if len(forms) == 1 or isinstance(function, Expr):
        return forms[-1]
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return forms[0]
    required = [one for one in parameters if one.default is one.empty and one.kind <= one.POSITIONAL_OR_KEYWORD]
    return next((form for form in forms if len(form) == len(required)), forms[0])
