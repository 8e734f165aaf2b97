"""From values of a type to what the JSON writer takes: one function for each type, made once."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from operator import attrgetter, itemgetter
from typing import Any

from headrace.model.narrow import exactly, fits
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
    StructType,
    TupleType,
    Type,
    is_text,
    optional_of,
)
from headrace.serde.json.mismatch import Mismatch

Write = Callable[[Any], Any]

compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""The text of what JSON can say, without white space."""


def writer(type_: Type) -> Write:
    """The function that checks a value of a type and makes of it what JSON can say."""
    match type_:
        case OptionalType(of=of):
            write = writer(of)
            return lambda value: None if value is None else write(value)
        case ListType(element=element):
            return _list(type_, writer(element))
        case DictType(value=value):
            return _dict(type_, _key_writer(type_.key), writer(value))
        case EnumType(cls=cls):
            return _enum(type_, cls)
        case StructType():
            return _struct(type_)
        case DecimalType():
            return _exact(type_)
        case TupleType(items=items):
            return _tuple(type_, [writer(optional_of(item)) for item in items])
    return _PLAIN[type_]


def is_writable(type_: Type) -> bool:
    """Whether JSON can say values of a type."""
    match type_:
        case OptionalType(of=inner) | ListType(element=inner) | DictType(value=inner):
            return is_writable(inner)
        case StructType(fields=fields):
            return all(is_writable(one.type) for one in fields)
        case TupleType(items=items):
            return all(map(is_writable, items))
    return isinstance(type_, EnumType | DecimalType) or type_ in _PLAIN


def wrong(value: object, type_: object) -> Mismatch:
    """The error for a value of another type."""
    if value is None:
        return Mismatch(f"is None, {type_} is needed")
    text = repr(value)
    return Mismatch(f"is {text if len(text) <= 60 else text[:60] + '...'}, a {type(value).__name__}, {type_} is needed")


def _str(value: Any) -> str:
    if not isinstance(value, str):
        raise wrong(value, STR)
    return str.__str__(value)


def _int(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise wrong(value, INT)
    if not fits(value, 64):
        raise Mismatch(f"is {int(value)}, which does not fit 64 bits")
    return int(value)


def _float(value: Any) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise wrong(value, FLOAT)
    if not math.isfinite(value):
        raise Mismatch(f"is {value}, which JSON cannot say")
    return float(value)


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise wrong(value, BOOL)
    return value


def _bytes(value: Any) -> str:
    if not isinstance(value, bytes | bytearray):
        raise wrong(value, BYTES)
    return base64.b64encode(value).decode("ascii")


def _datetime(value: Any) -> str:
    if not isinstance(value, datetime):
        raise wrong(value, DATETIME)
    if value.tzinfo is None:
        raise Mismatch(f"is {value}, a datetime without a time zone: give one, such as timezone.utc")
    return value.astimezone(UTC).replace(tzinfo=None).isoformat() + "Z"


def _decimal(value: Any) -> str:
    if not isinstance(value, Decimal):
        raise wrong(value, DECIMAL)
    if not value.is_finite():
        raise Mismatch(f"is {value}, which JSON cannot say")
    return str(value)


def _int32(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise wrong(value, INT32)
    if not fits(value, 32):
        raise Mismatch(f"is {int(value)}, which does not fit 32 bits")
    return int(value)


def _date(value: Any) -> str:
    if not isinstance(value, date) or isinstance(value, datetime):
        raise wrong(value, DATE)
    return value.isoformat()


def _time(value: Any) -> str:
    if not isinstance(value, time):
        raise wrong(value, TIME)
    if value.tzinfo is not None:
        raise Mismatch(f"is {value}, a time with a time zone: give one without")
    return value.isoformat()


def _exact(type_: DecimalType) -> Write:
    def write_exact(value: Any) -> str:
        if not isinstance(value, Decimal):
            raise wrong(value, type_)
        number = exactly(value, type_)
        if number is None:
            raise Mismatch(f"is {value}, which does not fit {type_}")
        return f"{number:f}"

    return write_exact


def _json(value: Any) -> Any:
    match value:
        case None | bool():
            return value
        case str():
            return _str(value)
        case int():
            return int(value)
        case float():
            return _float(value)
        case list() | tuple():
            return _json_items(value)
        case dict():
            return _json_dict(value)
    raise wrong(value, "None, bool, int, float, str, list or dict")


def _json_items(values: list[Any] | tuple[Any, ...]) -> list[Any]:
    return _list(JSON, _json)(list(values))  # type: ignore[no-any-return]


def _json_dict(values: dict[Any, Any]) -> dict[str, Any]:
    return _dict(JSON, _str, _json)(values)  # type: ignore[no-any-return]


_PLAIN: dict[Type, Write] = {
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


def _list(type_: Type, write: Write) -> Write:
    def write_list(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise wrong(value, type_)
        result: list[Any] = []
        try:
            for item in value:
                result.append(write(item))  # its length tells which item failed
        except Mismatch as exc:
            raise exc.below(len(result)) from None
        return result

    return write_list


def _tuple(type_: Type, writes: list[Write]) -> Write:
    def write_tuple(value: Any) -> list[Any]:
        if not isinstance(value, tuple) or len(value) != len(writes):
            raise wrong(value, type_)
        result: list[Any] = []
        try:
            for item, write in zip(value, writes, strict=True):
                result.append(write(item))
        except Mismatch as exc:
            raise exc.below(len(result)) from None
        return result

    return write_tuple


def _key_writer(type_: Type) -> Write:
    """Write the keys of objects: texts as they are, others as their JSON."""
    write = writer(type_)
    return write if is_text(type_) else lambda value: compact(write(value))


def _dict(type_: Type, write_key: Write, write: Write) -> Write:
    needed = type_.key if isinstance(type_, DictType) else STR

    def write_dict(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise wrong(value, type_)
        told: dict[str, Any] = {}
        for key in value:
            try:
                told[write_key(key)] = key
            except Mismatch:
                raise Mismatch(f"has the key {key!r}, a {type(key).__name__}, {needed} is needed") from None
        result: dict[str, Any] = {}
        for text in sorted(told):  # equal dicts have equal bytes, or they could not be keys
            try:
                result[text] = write(value[told[text]])
            except Mismatch as exc:
                raise exc.below(text) from None
        return result

    return write_dict


def _enum(type_: Type, cls: type) -> Write:
    def write_enum(value: Any) -> Any:
        if not isinstance(value, cls):
            raise wrong(value, type_)
        return value.value  # type: ignore[attr-defined]

    return write_enum


def _is(value: Any, cls: type) -> bool:
    return isinstance(value, cls)


def _struct(type_: StructType) -> Write:
    get: Callable[[str], Callable[[Any], Any]] = itemgetter if type_.keyed else attrgetter
    fields = [(one.name, one.needed or not type_.keyed, get(one.name), writer(one.type)) for one in type_.fields]
    cls = dict if type_.keyed else type_.made_of

    def write_struct(value: Any) -> dict[str, Any]:
        if not _is(value, cls):
            raise wrong(value, type_)
        result: dict[str, Any] = {}
        for name, always, field, write in fields:
            if type_.keyed and name not in value:
                if always:
                    raise Mismatch("is missing").below(name)
                continue
            try:
                result[name] = write(field(value))
            except Mismatch as exc:
                raise exc.below(name) from None
        if type_.keyed and len(value) > len(result):
            other = next(key for key in value if key not in result)
            raise Mismatch(f"has the key {other!r}, which {type_} has not")
        return result

    return write_struct
