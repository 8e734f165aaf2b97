"""From parsed JSON to values of a type: one function for each type, made once."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import Any

from headrace.model.narrow import exactly, fits
from headrace.model.texts import base64_bytes, date_of, moment_of, time_of
from headrace.model.types import (
    BOOL,
    BYTES,
    DATE,
    DATETIME,
    DECIMAL,
    FLOAT,
    INT,
    INT32,
    JSON,
    NONE,
    OBJECT,
    STR,
    TIME,
    DecimalType,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    StructField,
    StructType,
    TupleType,
    Type,
    is_text,
    optional_of,
)
from headrace.serde.json.mismatch import Mismatch, needed, shown
from headrace.serde.json.parsing import holds_decimals, parsed

Read = Callable[[Any], Any]

_DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def reader(type_: Type) -> Read:
    """The function that makes a value of a type from what the JSON parser found."""
    match type_:
        case OptionalType(of=of):
            read = reader(of)
            return lambda found: None if found is None else read(found)
        case ListType(element=element):
            return _list(type_, reader(element))
        case DictType(value=value):
            return _dict(type_, _key_reader(type_.key), reader(value))
        case EnumType(cls=cls):
            return _enum(type_, {member.value: member for member in cls})
        case StructType():
            return _struct(type_)
        case DecimalType():
            return _exact(type_)
        case TupleType(items=items):
            return _tuple(type_, [reader(optional_of(item)) for item in items])
    return _PLAIN[type_]


def _str(found: Any) -> str:
    if type(found) is not str:
        raise needed(found, STR)
    return found


def _int(found: Any) -> int:
    if type(found) is not int:
        raise needed(found, INT)
    if not fits(found, 64):
        raise Mismatch(f"is the number {found}, which does not fit 64 bits")
    return found


def _float(found: Any) -> float:
    if type(found) is not float and type(found) is not int and not isinstance(found, Decimal):
        raise needed(found, FLOAT)
    try:
        number = float(found)
    except OverflowError:
        number = math.inf
    if math.isinf(number):
        raise Mismatch("is a number that does not fit a float")
    return number


def _bool(found: Any) -> bool:
    if type(found) is not bool:
        raise needed(found, BOOL)
    return found


def _bytes(found: Any) -> bytes:
    try:
        return base64_bytes(_str(found))
    except ValueError:
        raise needed(found, "bytes in base64") from None


def _datetime(found: Any) -> datetime:
    try:
        return moment_of(_str(found))
    except ValueError:
        raise needed(found, "a datetime such as 2024-05-31T12:30:00Z") from None


def _decimal(found: Any) -> Decimal:
    if isinstance(found, Decimal | int) and not isinstance(found, bool):
        return Decimal(found)
    try:
        if isinstance(found, str) and _DECIMAL.fullmatch(found):
            return Decimal(found)
    except InvalidOperation:
        pass
    raise needed(found, DECIMAL)


def _int32(found: Any) -> int:
    if type(found) is not int:
        raise needed(found, INT32)
    if not fits(found, 32):
        raise Mismatch(f"is the number {found}, which does not fit 32 bits")
    return found


def _date(found: Any) -> date:
    try:
        return date_of(_str(found))
    except ValueError:
        raise needed(found, "a date such as 2024-05-31") from None


def _time(found: Any) -> time:
    try:
        return time_of(_str(found))
    except ValueError:
        raise needed(found, "a time such as 12:30:00") from None


def _exact(type_: DecimalType) -> Read:
    def read_exact(found: Any) -> Decimal:
        try:
            number = exactly(_decimal(found), type_)
        except Mismatch:
            number = None
        if number is None:
            raise needed(found, type_)
        return number

    return read_exact


def _json(found: Any) -> Any:
    # Decimals are there only because some other field is one.
    if isinstance(found, Decimal):
        return _float(found)
    if isinstance(found, list):
        return [_json(item) for item in found]
    return {key: _json(value) for key, value in found.items()} if isinstance(found, dict) else found


_PLAIN: dict[Type, Read] = {
    STR: _str,
    INT: _int,
    FLOAT: _float,
    BOOL: _bool,
    BYTES: _bytes,
    DATETIME: _datetime,
    DECIMAL: _decimal,
    INT32: _int32,
    DATE: _date,
    TIME: _time,
    JSON: _json,
    NONE: _json,
    OBJECT: _json,
}


def _list(type_: Type, read: Read) -> Read:
    def read_list(found: Any) -> list[Any]:
        if type(found) is not list:
            raise needed(found, type_)
        result: list[Any] = []
        try:
            for item in found:
                result.append(read(item))  # its length tells which item failed
        except Mismatch as exc:
            raise exc.below(len(result)) from None
        return result

    return read_list


def _tuple(type_: Type, reads: list[Read]) -> Read:
    def read_tuple(found: Any) -> tuple[Any, ...]:
        if type(found) is not list or len(found) != len(reads):
            raise needed(found, f"{type_} (a list of {len(reads)})")
        result: list[Any] = []
        try:
            for item, read in zip(found, reads, strict=True):
                result.append(read(item))
        except Mismatch as exc:
            raise exc.below(len(result)) from None
        return tuple(result)

    return read_tuple


def _key_reader(type_: Type) -> Read:
    """Read the keys of objects: texts as they are, others out of their JSON."""
    if type_ == STR:
        return _str
    read, known = reader(type_), is_text(type_)

    def read_key(found: str) -> Any:
        try:
            return read(found if known else parsed(found, decimals=holds_decimals(type_)))
        except ValueError:
            raise Mismatch(f"has {shown(found)} as a key, {type_} is needed") from None

    return read_key


def _dict(type_: Type, read_key: Read, read: Read) -> Read:
    def read_dict(found: Any) -> dict[Any, Any]:
        if type(found) is not dict:
            raise needed(found, type_)
        result: dict[Any, Any] = {}
        for key, value in found.items():
            known = read_key(key)
            try:
                result[known] = read(value)
            except Mismatch as exc:
                raise exc.below(key) from None
        return result

    return read_dict


def _enum(type_: Type, members: dict[Any, Any]) -> Read:
    def read_enum(found: Any) -> Any:
        member = members.get(found) if type(found) in (str, int) else None
        if member is None:
            raise Mismatch(f"is {shown(found)}, {type_} is one of {', '.join(map(repr, members))}")
        return member

    return read_enum


def _struct(type_: StructType) -> Read:
    fields = [(one, reader(one.type)) for one in type_.fields]
    make = type_.made_of
    # What __init__ does not take is set behind it, as it was when it was written.
    later = {one.name for one in dataclasses.fields(make) if not one.init} if dataclasses.is_dataclass(make) else set()

    def read_struct(found: Any) -> Any:
        if type(found) is not dict:
            raise needed(found, f"{type_} (an object)")
        given: dict[str, Any] = {}
        for field, read in fields:
            name = field.name
            if name in found:
                try:
                    given[name] = read(found[name])
                except Mismatch as exc:
                    raise exc.below(name) from None
            elif field.needed:
                _check_missing(field)
                given[name] = None
        if not later:
            return _made(make, given)
        made = _made(make, {name: value for name, value in given.items() if name not in later})
        for name in later & given.keys():
            object.__setattr__(made, name, given[name])
        return made

    return read_struct


def _check_missing(field: StructField) -> None:
    if not isinstance(field.type, OptionalType) and field.type != JSON:
        raise Mismatch("is missing").below(field.name)


def _made(make: Callable[..., Any], given: dict[str, Any]) -> Any:
    try:
        return make(**given)
    except Mismatch:
        raise
    except (ValueError, TypeError, ArithmeticError, LookupError) as exc:  # the class's own checks
        name = getattr(make, "__name__", "the class")
        raise Mismatch(f"is refused by {name}: {_words(exc)}") from exc


def _words(exc: Exception) -> str:
    """What a class says against its fields, on one line; pydantic has a list of it."""
    listed = getattr(exc, "errors", None)
    if not callable(listed):
        return str(exc)
    return "; ".join(f"{'.'.join(map(str, one['loc'])) or 'it'}: {one['msg']}" for one in listed())
