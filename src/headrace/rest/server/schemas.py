"""Types as JSON Schema, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

from headrace.model.types import (
    BOOL,
    BYTES,
    DATE,
    DATETIME,
    DECIMAL,
    FLOAT,
    INT,
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
)
from headrace.model.types import INT32 as NARROW_INT
from headrace.serde import INT32, Serde
from headrace.serde.facts import TextForm

Schema = dict[str, Any]

NUMBERS_BEYOND = ("NaN", "Infinity", "-Infinity")
"""What JSON has no numbers for: told as strings."""

_BITS = {32: {"format": "int32"}, 64: {"format": "int64"}}


def schema_of(type_: Type) -> Schema:
    """Schema of a value's JSON."""
    match type_:
        case OptionalType(of=inner):
            return {"anyOf": [schema_of(inner), {"type": "null"}]}
        case ListType(element=element):
            return {"type": "array", "items": schema_of(element)}
        case DictType(value=value):
            return {"type": "object", "additionalProperties": schema_of(value)}
        case DecimalType():
            return {"type": "string"}
        case EnumType(cls=cls):
            return {"enum": [member.value for member in cls]}
        case TupleType(items=items):
            maybe = [{"anyOf": [schema_of(item), {"type": "null"}]} for item in items]
            return {"type": "array", "prefixItems": maybe, "minItems": len(items), "maxItems": len(items)}
        case StructType(fields=fields):
            return {
                "type": "object",
                "properties": {one.name: schema_of(one.type) for one in fields},
                "required": [one.name for one in fields if one.needed],
            }
    return dict(_PLAIN.get(type_, {}))


def text_schema_of(serde: Serde[Any]) -> Schema:
    """Schema of a key in a path or a parameter; for all but plain types it is a text of JSON."""
    if serde.facts.text is not TextForm.PLAIN:
        return schema_of(serde.type)
    if serde.type == BYTES:
        return {"type": "string", "pattern": "^([A-Za-z0-9_-]{4})*([A-Za-z0-9_-]{2,3})?$"}
    return whole(32) if serde == INT32 else schema_of(serde.type)


def whole(bits: int = 64, least: int | None = None, most: int | None = None) -> Schema:
    """Schema of a whole number."""
    bound = 1 << (bits - 1)
    return {
        "type": "integer",
        **_BITS[bits],
        "minimum": -bound if least is None else least,
        "maximum": bound - 1 if most is None else most,
    }


_PLAIN: dict[Type, Schema] = {
    STR: {"type": "string"},
    INT: whole(),
    FLOAT: {"anyOf": [{"type": "number"}, {"enum": list(NUMBERS_BEYOND)}]},
    BOOL: {"type": "boolean"},
    BYTES: {"type": "string", "contentEncoding": "base64"},
    DATETIME: {"type": "string", "format": "date-time"},
    DECIMAL: {"type": "string"},
    NARROW_INT: whole(32),
    DATE: {"type": "string", "format": "date"},
    TIME: {"type": "string", "format": "time"},
}
