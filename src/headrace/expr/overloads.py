"""Overloads: the types that go together, and the row of the table that takes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from enum import Enum
from operator import attrgetter

from headrace.expr.bound import Bound, Constant, Items, Pair, Retyped
from headrace.expr.functions import ANY, KEY, Function, FunctionTable, Null
from headrace.model.narrow import narrowed
from headrace.model.type_compatibility import holds
from headrace.model.types import (
    FLOAT,
    INT,
    INT32,
    JSON,
    NONE,
    STR,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    PairType,
    StructType,
    TupleType,
    Type,
    dict_of,
    keyed_struct,
    list_of,
    optional_of,
    pair_of,
    present,
    wider,
)


def methods_of(type_: Type, functions: FunctionTable) -> list[str]:
    """The names of the methods that a type has."""
    methods = (row for row in functions.rows if row.name.startswith("."))
    return list(dict.fromkeys(row.name[1:] for row in methods if has_method(row, type_)))


def has_method(row: Function, type_: Type) -> bool:
    """Whether values of a type have the method of a row."""
    return _fit(row, row.takes[0], type_) is not None


def joint(first: Type, second: Type) -> Type | None:
    """The type that holds values of both: None goes with every type, an int becomes a float beside one."""
    if {first, second} in ({INT, FLOAT}, {INT32, FLOAT}):
        return FLOAT
    return _same(first, second)


def arguments(row: Function, types: tuple[Type, ...], widen: bool) -> tuple[Type, ...] | None:
    """The types to call a row with, given those that are there; None if it does not take them."""
    if len(row.takes) != len(types):
        return None
    needed, whole, inner = [], [], []
    for wanted, found in zip(row.takes, types, strict=True):
        fitting = FLOAT if widen and wanted == FLOAT and found in (INT, INT32) else _fit(row, wanted, found)
        if fitting is None:
            return None
        needed.append(fitting)
        if wanted == ANY:
            whole.append(found)
        elif _open(wanted):
            inner.append(_inner(found))
    # What is inside of something is there already: an int in a list does not become a float.
    common = _common([*inner, *whole], _same if inner or row.name == "if" else joint)
    keys = _keys(row, types)
    if common is None or keys is None:
        return None
    return tuple(_put(wanted, common, fitting, keys) for wanted, fitting in zip(row.takes, needed, strict=True))


def result(row: Function, needed: tuple[Type, ...]) -> Type:
    """The type that a row gives on arguments of these types."""
    if row.gives == list_of(KEY):
        return list_of(next(one.key for one in needed if isinstance(one, DictType)))
    if row.gives != ANY and not _open(row.gives):
        return row.gives
    for wanted, found in zip(row.takes, needed, strict=True):
        if wanted == ANY:
            return _put(row.gives, found, row.gives)
        if _open(wanted):
            return _put(row.gives, _inner(found), row.gives)
    raise AssertionError(f"nothing tells what {row.name} gives")


def assigned(bound: Bound, wanted: Type) -> Bound | None:
    """The expression as a part of that type of a record, not considering None; None if it cannot be."""
    wanted = present(wanted)
    if joint(wanted, bound.type) == wanted:
        return retyped(bound, wanted)
    if wider(wanted) is not None and wider(wanted) in (bound.type, wider(bound.type)):
        return _narrowed(bound, wanted)
    return bound if wanted != FLOAT and holds(wanted, bound.type) else None


def retyped(bound: Bound, type_: Type) -> Bound:
    """The expression as one of another type, which `joint` or `arguments` found to hold its values."""
    if bound.type == type_:
        return bound
    match bound:
        case Constant(value=int(number)) if type_ == FLOAT:
            return replace(bound, type=type_, value=float(number))
        case Constant(value=Enum() as member) if type_ in (STR, INT):
            return replace(bound, type=type_, value=member.value)
        case Constant():
            return replace(bound, type=type_)
        case Items(items=items) if isinstance(type_, ListType):
            return replace(bound, type=type_, items=tuple(retyped(item, type_.element) for item in items))
        case Pair(key=key, value=value) if isinstance(type_, PairType):
            return replace(bound, type=type_, key=retyped(key, type_.key), value=retyped(value, type_.value))
    convert = float if type_ == FLOAT else attrgetter("value") if isinstance(bound.type, EnumType) else _unchanged
    return Retyped(type_, bound.nullable, bound.text, bound, convert)


def _narrowed(bound: Bound, type_: Type) -> Bound:
    """The expression as one of a type that may have no room for its values; those raise."""
    return Retyped(type_, bound.nullable, bound.text, bound, lambda number: narrowed(number, type_))


def _unchanged(thing: object) -> object:
    return thing


def _fit(row: Function, wanted: Type, found: Type) -> Type | None:
    if found == NONE and row.null is not Null.RAISES and wanted != ANY:
        return wanted
    if isinstance(found, EnumType) and row.of_members and wanted == _mixed_in(found):
        return wanted
    if wanted == wider(found):
        return wanted
    if wanted in (ANY, KEY, found) or (_open(wanted) and type(wanted) is type(found)):
        return found
    return None


def always_true(type_: Type) -> bool:
    """Whether all values of a type but None are true, as those of classes are that do not say otherwise."""
    match type_:
        case TupleType() | PairType():
            return True
        case StructType(keyed=True, fields=fields):
            return any(one.needed for one in fields)
        case StructType():
            return not _says_truth(type_.made_of)
        case EnumType(cls=cls):
            return _mixed_in(type_) is None and not _says_truth(cls)
    return False


def _says_truth(cls: type) -> bool:
    return any(name in vars(one) for one in cls.__mro__ for name in ("__bool__", "__len__"))


def _mixed_in(type_: EnumType) -> Type | None:
    """The type that the members of an Enum are of as well: str for a `class Colour(str, Enum)`."""
    return STR if issubclass(type_.cls, str) else INT if issubclass(type_.cls, int) else None


def _open(type_: Type) -> bool:
    """Whether a type of a row is a list or a dict of something."""
    return isinstance(type_, ListType | DictType) and _inner(type_) == ANY


def _inner(type_: Type) -> Type:
    assert isinstance(type_, ListType | DictType)
    return type_.element if isinstance(type_, ListType) else type_.value


def _keys(row: Function, types: tuple[Type, ...]) -> tuple[Type, Type] | None:
    """Return the type of the keys of the dict that a row is called with, and of the key that is looked for in it.

    An int is looked for among those of 32 bits as well, and a Decimal among those with limits.
    """
    own = next((one.key for one in types if isinstance(one, DictType)), STR)
    found = next((one for wanted, one in zip(row.takes, types, strict=True) if wanted == KEY), own)
    looked_for = None if found == NONE else _same(own, found)
    return None if looked_for is None or looked_for not in (own, wider(own)) else (own, looked_for)


def _put(wanted: Type, something: Type, otherwise: Type, keys: tuple[Type, Type] = (STR, STR)) -> Type:
    """A type of a row with what stands for any type put in."""
    own, looked_for = keys
    if wanted == KEY:
        return looked_for
    if wanted == ANY:
        return something
    if not _open(wanted):
        return otherwise
    return list_of(something) if isinstance(wanted, ListType) else dict_of(something, own)


def _common(types: Iterable[Type], of_two: Callable[[Type, Type], Type | None]) -> Type | None:
    common: Type | None = NONE
    for type_ in types:
        common = common and of_two(common, type_)
    return common


def _same(first: Type, second: Type) -> Type | None:
    # Inside lists and pairs an int stays an int: their items are there already, and would have to be rebuilt.
    if first == second or second == NONE:
        return first
    if first == NONE:
        return second
    if JSON in (first, second):
        return JSON if holds(JSON, first) and holds(JSON, second) else None
    for one, other in ((first, second), (second, first)):
        if (isinstance(one, EnumType) and other == _mixed_in(one)) or other == wider(one):
            return other
    if wider(first) is not None and wider(first) == wider(second):
        return wider(first)
    if isinstance(first, OptionalType) or isinstance(second, OptionalType):
        both = _same(present(first), present(second))
        return both and optional_of(both)
    if isinstance(first, ListType) and isinstance(second, ListType):
        element = _same(first.element, second.element)
        return element and list_of(element)
    if isinstance(first, DictType) and isinstance(second, DictType):
        return _same_dicts(first, second)
    if isinstance(first, StructType) and isinstance(second, StructType):
        return _same_keys(first, second)
    if isinstance(first, PairType) and isinstance(second, PairType):
        key, value = _same(first.key, second.key), _same(first.value, second.value)
        return key and value and pair_of(key, value)
    return None


def _same_dicts(first: DictType, second: DictType) -> Type | None:
    # Of the keys of one that is known to be empty nothing is known.
    if first.key != second.key:
        return second if first.value == NONE else first if second.value == NONE else None
    value = _same(first.value, second.value)
    return value and dict_of(value, first.key)


def _same_keys(first: StructType, second: StructType) -> Type | None:
    """The type of two dicts that were written out with the same keys."""
    if not (first.cls is second.cls is None) or [one.name for one in first.fields] != [
        one.name for one in second.fields
    ]:
        return None
    types = {one.name: _same(one.type, other.type) for one, other in zip(first.fields, second.fields, strict=True)}
    return keyed_struct({name: type_ for name, type_ in types.items() if type_}) if all(types.values()) else None
