"""Untyped JSON, dicts and Decimals, and `==` of whatever else there is."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal, Overflow
from typing import Any

from headrace.expr.functions.items import item
from headrace.expr.functions.row import ANY, KEY, Function, Null
from headrace.model.types import BOOL, DECIMAL, FLOAT, INT, JSON, STR, Type, dict_of, list_of

_KINDS = {str: "a str", int: "an int", float: "a float", bool: "a bool", list: "a list", dict: "a dict"}


def _shown(thing: object) -> str:
    return _KINDS.get(type(thing), f"a {type(thing).__name__}")


def _value(whole: Any, key: Any) -> Any:
    if not isinstance(whole, dict):
        raise TypeError(f"{_shown(whole)} has no [{key!r}]")
    try:
        return whole[key]
    except KeyError:
        raise LookupError(f"there is no {key!r}") from None


def _get(whole: Any, key: Any, default: Any = None) -> Any:
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
        return _float(thing) if kinds[0] is float and thing is not None else _fitting(thing)

    return checked


def _float(number: float) -> float:
    try:
        return float(number)
    except OverflowError:
        raise OverflowError("the int does not fit a float") from None


def _fitting(thing: Any) -> Any:
    if type(thing) is int and not -(2**63) <= thing < 2**63:
        raise OverflowError("the int does not fit 64 bits")
    return thing


def _sized(thing: Any) -> int:
    if not isinstance(thing, str | list | dict):
        raise TypeError(f"{_shown(thing)} has no length")
    return len(thing)


def _within(whole: Any, part: str) -> bool:
    if not isinstance(whole, str | list | dict):
        raise TypeError(f"nothing is in {_shown(whole)}")
    return part in whole


def _maybe(name: str, takes: tuple[Type, ...], gives: Type, python: Callable[..., Any], sql: str) -> Function:
    return Function(name, takes, gives, python, sql, gives_none=lambda *_: True)


def _as_row(name: str, gives: Type, *kinds: type) -> Function:
    sql = f"hr_json_{name}({{0}})"
    return Function(name, (JSON,), gives, _as(*kinds), sql, null=Null.OWN, gives_none=lambda *_: True)


def _computing(function: Callable[..., Decimal]) -> Callable[..., Decimal]:
    def compute(*numbers: Decimal) -> Decimal:
        try:
            return function(*numbers)
        except Overflow:
            raise OverflowError("the result does not fit a Decimal") from None

    return compute


def _decimals(name: str, gives: Type, python: Callable[..., Any], sql: str) -> list[Function]:
    """A function of two Decimals, one of which may be an int."""
    texts = {DECIMAL: "{{{}}}", INT: "CAST({{{}}} AS STRING)"}
    return [
        Function(name, pair, gives, python, f"{sql}({', '.join(texts[one].format(at) for at, one in enumerate(pair))})")
        for pair in ((DECIMAL, DECIMAL), (DECIMAL, INT), (INT, DECIMAL))
    ]


_D = dict_of(ANY, KEY)
_NUMBERS = {"+": "add", "-": "sub", "*": "mul"}
_ORDERS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}

OBJECTS = (
    _maybe("[]", (JSON, STR), JSON, _value, "hr_json_value({0}, {1})"),
    _maybe("[]", (JSON, INT), JSON, _item, "hr_json_item({0}, {1})"),
    _maybe(".get", (JSON, STR), JSON, _get, "hr_json_get({0}, {1})"),
    _maybe("[]", (_D, KEY), ANY, _value, "hr_dict_value({0}, {1}, {keys})"),
    _maybe(".get", (_D, KEY), ANY, _get, "hr_dict_get({0}, {1}, {keys})"),
    _maybe(".get", (_D, KEY, ANY), ANY, _get, "hr_dict_get_or({0}, {1}, {2}, {keys})"),
    Function(".keys", (_D,), list_of(KEY), lambda whole: list(whole), "map_keys({0})"),
    Function(".values", (_D,), list_of(ANY), lambda whole: list(whole.values()), "map_values({0})"),
    Function("length", (_D,), INT, len, "CAST(cardinality({0}) AS BIGINT)"),
    Function("length", (JSON,), INT, _sized, "hr_json_length({0})"),
    Function("contains", (_D, KEY), BOOL, lambda whole, key: key in whole, "hr_dict_has({0}, {1}, {keys})"),
    Function("contains", (JSON, STR), BOOL, _within, "hr_json_contains({0}, {1})"),
    _as_row("as_str", STR, str),
    _as_row("as_int", INT, int),
    _as_row("as_float", FLOAT, float, int),
    _as_row("as_bool", BOOL, bool),
    _as_row("as_list", list_of(JSON), list),
    *(
        row
        for name, word in _NUMBERS.items()
        for row in _decimals(name, DECIMAL, _computing(getattr(operator, word)), f"hr_decimal_{word}")
    ),
    *(
        row
        for name, word in _ORDERS.items()
        for row in _decimals(name, BOOL, getattr(operator, word), f"hr_decimal_{word}")
    ),
    Function("-", (DECIMAL,), DECIMAL, _computing(operator.neg), "hr_decimal_neg({0})"),
    Function("floating", (DECIMAL,), FLOAT, float, "hr_decimal_float({0})"),
    Function("decimal", (INT,), DECIMAL, Decimal, "CAST({0} AS STRING)"),
    Function("==", (ANY, ANY), BOOL, operator.eq, "hr_equal({0}, {1}, {shape})", null=Null.OWN),
    Function("!=", (ANY, ANY), BOOL, operator.ne, "(NOT hr_equal({0}, {1}, {shape}))", null=Null.OWN),
)
