"""Constants and conversions as SQL text."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

from headrace.model.types import (
    DECIMAL,
    INT,
    JSON,
    NONE,
    STR,
    DictType,
    ListType,
    StructField,
    StructType,
    TupleType,
    Type,
    present,
    wider,
)
from headrace.serde.shapes import shape

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# Printable ASCII without what means something inside a quoted string or before parsing: ' \ and ${variables}.
_PLAIN = re.compile(r"[ !\"#%-&(-\[\]-~]*")
_OUT_OF_WORDS = {math.inf: "Infinity", -math.inf: "-Infinity"}


def constant(value: object, type_: Type) -> str:
    """A constant such that Spark's parser gives back exactly this value and type, whatever its settings."""
    match value:
        case None:
            return "NULL" if type_ == NONE else f"CAST(NULL AS {type_.sql})"
        case _ if type_ == JSON:
            return constant(json.dumps(value, ensure_ascii=False, separators=(",", ":")), STR)
        case _ if isinstance(type_, ListType | DictType | StructType | TupleType):
            return f"CAST({_parts(value, type_)} AS {type_.sql})"
        case Enum():
            return constant(value.value, type_)
        case int() | Decimal() if wider(type_) is not None:
            return f"CAST({value:f} AS {type_.sql})" if isinstance(value, Decimal) else f"CAST({value} AS {type_.sql})"
        case bool():
            return "TRUE" if value else "FALSE"
        case int():
            return f"{value}L" if value >= 0 else f"({value}L)"
        case float():
            if not math.isfinite(value):
                return f"CAST('{_OUT_OF_WORDS.get(value, 'NaN')}' AS DOUBLE)"
            return f"{value!r}D" if math.copysign(1, value) > 0 else f"({value!r}D)"
        case bytes():
            return f"X'{value.hex()}'"
        case datetime():
            return f"timestamp_micros({(value - _EPOCH) // timedelta(microseconds=1)}L)"
        case date():
            return f"DATE'{value.isoformat()}'"
        case time():
            return constant(_micros(value), INT)
        case Decimal():
            return constant(str(value), STR)
        case str():
            return f"'{value}'" if _PLAIN.fullmatch(value) else f"CAST(X'{value.encode().hex()}' AS STRING)"
    raise AssertionError(f"a new kind of constant: {value!r}")


def _micros(at: time) -> int:
    return ((at.hour * 60 + at.minute) * 60 + at.second) * 1_000_000 + at.microsecond


def _parts(value: Any, type_: Type) -> str:
    """SQL of several values, each as a constant."""
    match type_:
        case ListType(element=element):
            return f"array({', '.join(constant(item, present(element)) for item in value)})"
        case DictType(value=inner):
            told = (f"{constant(key, type_.key)}, {constant(item, present(inner))}" for key, item in value.items())
            return f"map({', '.join(told)})"
        case TupleType(items=items):
            parts = zip(type_.columns, value, items, strict=True)
            return _named((name, constant(item, present(inner))) for name, item, inner in parts)
        case StructType(fields=fields):
            return _named((one.name, _field(value, one, type_)) for one in fields)
    raise AssertionError(f"a new kind of type: {type_!r}")


def _field(value: Any, field: StructField, struct: StructType) -> str:
    if not struct.keyed:
        return constant(getattr(value, field.name), present(field.type))
    if field.name not in value:
        return "NULL"
    told = constant(value[field.name], present(field.type))
    return told if field.needed else _named([("value", told)])


def _named(parts: Iterable[tuple[str, str]]) -> str:
    return f"named_struct({', '.join(f'{constant(name, STR)}, {told}' for name, told in parts)})"


def converted(sql: str, found: Type, wanted: Type) -> str:
    """SQL of a value of one type as one of another that holds it, see `headrace.model.type_compatibility`."""
    if not _differs(present(found), present(wanted)):
        return sql if present(found) == present(wanted) else f"CAST({sql} AS {wanted.sql})"
    return f"hr_convert({sql}, {constant(shape(found), STR)}, {constant(shape(wanted), STR)})"


def _differs(found: Type, wanted: Type) -> bool:
    """Whether values of the types look different in rows, in more than what a cast changes."""
    match found, wanted:
        case (ListType(element=one), ListType(element=other)) | (DictType(value=one), DictType(value=other)):
            return _differs(present(one), present(other))
        case TupleType(items=ones), TupleType(items=others):
            return any(_differs(present(one), present(other)) for one, other in zip(ones, others, strict=True))
    if found == wanted or NONE in (found, wanted):
        return False
    limited = DECIMAL in (found, wanted) or wider(wanted) is not None  # a cast says it in other words, or not at all
    return wanted == JSON or isinstance(found, StructType) or limited
