"""Which types go together, and which row of the table takes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from headrace.expr.bound import Bound, Constant, Items, Pair, Retyped
from headrace.expr.functions import ANY, TABLE, Function
from headrace.model.types import FLOAT, INT, NONE, ListType, PairType, Type, list_of, pair_of

_ROWS: dict[str, list[Function]] = {}
for _row in TABLE:
    _ROWS.setdefault(_row.name, []).append(_row)


def rows_of(name: str) -> list[Function]:
    """The overloads of a function."""
    return _ROWS.get(name, [])


def methods_of(type_: Type) -> list[str]:
    """The names of the methods that a type has."""
    methods = (row for row in TABLE if row.name.startswith("."))
    return list(dict.fromkeys(row.name[1:] for row in methods if has_method(row, type_)))


def has_method(row: Function, type_: Type) -> bool:
    """Whether values of a type have the method of a row."""
    return _fit(row, row.takes[0], type_) is not None


def joint(first: Type, second: Type) -> Type | None:
    """The type that holds values of both: None goes with every type, an int becomes a float beside one."""
    return FLOAT if {first, second} == {INT, FLOAT} else _same(first, second)


def arguments(row: Function, types: tuple[Type, ...], widen: bool) -> tuple[Type, ...] | None:
    """The types to call a row with, given those that are there; None if it does not take them."""
    if len(row.takes) != len(types):
        return None
    needed = []
    for wanted, found in zip(row.takes, types, strict=True):
        fitting = FLOAT if widen and wanted == FLOAT and found == INT else _fit(row, wanted, found)
        if fitting is None:
            return None
        needed.append(fitting)
    common = _common(found for wanted, found in zip(row.takes, types, strict=True) if wanted == ANY)
    if common is None:
        return None
    return tuple(common if wanted == ANY else fitting for wanted, fitting in zip(row.takes, needed, strict=True))


def result(row: Function, needed: tuple[Type, ...]) -> Type:
    """The type that a row gives on arguments of these types."""
    return (
        next(found for wanted, found in zip(row.takes, needed, strict=True) if wanted == ANY)
        if row.gives == ANY
        else row.gives
    )


def retyped(bound: Bound, type_: Type) -> Bound:
    """The expression as one of another type, which `joint` or `arguments` found to hold its values."""
    if bound.type == type_:
        return bound
    match bound:
        case Constant(value=int(number)) if type_ == FLOAT:
            return replace(bound, type=type_, value=float(number))
        case Constant():
            return replace(bound, type=type_)
        case Items(items=items) if isinstance(type_, ListType):
            return replace(bound, type=type_, items=tuple(retyped(item, type_.element) for item in items))
        case Pair(key=key, value=value) if isinstance(type_, PairType):
            return replace(bound, type=type_, key=retyped(key, type_.key), value=retyped(value, type_.value))
    convert = float if type_ == FLOAT else _unchanged
    return Retyped(type_, bound.nullable, bound.text, bound, convert)


def _unchanged(thing: object) -> object:
    return thing


def _fit(row: Function, wanted: Type, found: Type) -> Type | None:
    if found == NONE and row.takes_none and wanted != ANY:
        return wanted
    if wanted in (ANY, found) or (wanted == list_of(ANY) and isinstance(found, ListType)):
        return found
    return None


def _common(types: Iterable[Type]) -> Type | None:
    common: Type | None = NONE
    for type_ in types:
        common = common and joint(common, type_)
    return common


def _same(first: Type, second: Type) -> Type | None:
    # Inside lists and pairs an int stays an int: their items are there already, and would have to be rebuilt.
    if first == second or second == NONE:
        return first
    if first == NONE:
        return second
    if isinstance(first, ListType) and isinstance(second, ListType):
        element = _same(first.element, second.element)
        return element and list_of(element)
    if isinstance(first, PairType) and isinstance(second, PairType):
        key, value = _same(first.key, second.key), _same(first.value, second.value)
        return key and value and pair_of(key, value)
    return None
