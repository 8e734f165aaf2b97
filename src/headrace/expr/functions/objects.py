"""Untyped JSON, dicts and Decimals. They come from JSON records, which Spark does not read yet: no Catalyst forms."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from headrace.expr.functions.items import item
from headrace.expr.functions.row import ANY, Function
from headrace.model.types import BOOL, DECIMAL, FLOAT, INT, JSON, STR, Type, dict_of, list_of

_KINDS = {str: "a str", int: "an int", float: "a float", bool: "a bool", list: "a list", dict: "a dict"}


def _shown(thing: object) -> str:
    return _KINDS.get(type(thing), f"a {type(thing).__name__}")


def _value(whole: Any, key: str) -> Any:
    if not isinstance(whole, dict):
        raise TypeError(f"{_shown(whole)} has no [{key!r}]")
    try:
        return whole[key]
    except KeyError:
        raise LookupError(f"there is no {key!r}") from None


def _get(whole: Any, key: str, default: Any = None) -> Any:
    if not isinstance(whole, dict):
        raise TypeError(f"{_shown(whole)} has no get()")
    return whole.get(key, default)


def _item(whole: Any, index: int) -> Any:
    if not isinstance(whole, list):
        raise TypeError(f"{_shown(whole)} has no [{index}]")
    return item(whole, index)


def _as(*kinds: type) -> Callable[[Any], Any]:
    def checked(thing: Any) -> Any:
        if thing is not None and type(thing) not in kinds:
            raise TypeError(f"it is {_shown(thing)}, {_KINDS[kinds[0]]} is needed")
        return kinds[0](thing) if len(kinds) > 1 and thing is not None else thing

    return checked


def _sized(thing: Any) -> int:
    if not isinstance(thing, str | list | dict):
        raise TypeError(f"{_shown(thing)} has no length")
    return len(thing)


def _within(whole: Any, part: str) -> bool:
    if not isinstance(whole, str | list | dict):
        raise TypeError(f"nothing is in {_shown(whole)}")
    return part in whole


def _maybe(name: str, takes: tuple[Type, ...], gives: Type, python: Callable[..., Any]) -> Function:
    return Function(name, takes, gives, python, None, gives_none=lambda *_: True)


def _as_row(name: str, gives: Type, *kinds: type) -> Function:
    return Function(name, (JSON,), gives, _as(*kinds), None, takes_none=True, gives_none=lambda *_: True)


_D = dict_of(ANY)
_NUMBERS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_PAIRS = ((DECIMAL, DECIMAL), (DECIMAL, INT), (INT, DECIMAL))

OBJECTS = (
    _maybe("[]", (JSON, STR), JSON, _value),
    _maybe("[]", (JSON, INT), JSON, _item),
    _maybe(".get", (JSON, STR), JSON, _get),
    _maybe("[]", (_D, STR), ANY, _value),
    _maybe(".get", (_D, STR), ANY, _get),
    Function(".get", (_D, STR, ANY), ANY, _get, None, gives_none=lambda *_: True),
    Function(".keys", (_D,), list_of(STR), lambda whole: list(whole), None),
    Function(".values", (_D,), list_of(ANY), lambda whole: list(whole.values()), None),
    Function("length", (_D,), INT, len, None),
    Function("length", (JSON,), INT, _sized, None),
    Function("contains", (_D, STR), BOOL, lambda whole, key: key in whole, None),
    Function("contains", (JSON, STR), BOOL, _within, None),
    _as_row("as_str", STR, str),
    _as_row("as_int", INT, int),
    _as_row("as_float", FLOAT, float, int),
    _as_row("as_bool", BOOL, bool),
    _as_row("as_list", list_of(JSON), list),
    *(Function(name, pair, DECIMAL, python, None) for name, python in _NUMBERS.items() for pair in _PAIRS),
    *(Function(name, pair, BOOL, python, None) for name, python in _ORDERS.items() for pair in _PAIRS),
    Function("-", (DECIMAL,), DECIMAL, operator.neg, None),
    Function("text", (DECIMAL,), STR, str, None, takes_none=True),
    Function("floating", (DECIMAL,), FLOAT, float, None),
    Function("decimal", (INT,), DECIMAL, Decimal, None),
    Function("==", (ANY, ANY), BOOL, operator.eq, None, takes_none=True),
    Function("!=", (ANY, ANY), BOOL, operator.ne, None, takes_none=True),
)
