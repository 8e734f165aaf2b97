"""SQL fragments that several parts of a query share."""

from __future__ import annotations

from typing import Any

from headrace.expr.sql import constant
from headrace.model.types import INT32, STR, Type
from headrace.model.windows import LATEST_MS
from headrace.plan.nodes import Node
from headrace.plan.schema import Field
from headrace.serde import JsonSerde, Serde, SessionWindowedSerde, TimeWindowedSerde
from headrace.serde.primitives import primitive_of
from headrace.serde.shapes import shape
from headrace.spark.compile.lane_formats import key_serde


def text(value: str) -> str:
    """A string as a literal."""
    return constant(value, STR)


def encode(serde: Serde[Any], sql: str) -> str:
    """The bytes of a value."""
    match serde:
        case JsonSerde(type=type_):
            return f"hr_encode_json({sql}, {text(shape(type_))})"
        case TimeWindowedSerde(inner=inner):
            return f"concat({encode(inner, f'{sql}.key')}, hr_encode_int64({sql}.start))"
        case SessionWindowedSerde(inner=inner):
            times = f"hr_encode_int64({sql}.end), hr_encode_int64({sql}.start)"
            return f"concat({encode(inner, f'{sql}.key')}, {times})"
    return f"hr_encode_{serde.name}({sql})"


def decode(serde: Serde[Any], sql: str) -> str:
    """The value of some bytes."""
    match serde:
        case JsonSerde(type=type_):
            return f"hr_decode_json({sql}, {text(shape(type_))})"
        case TimeWindowedSerde(inner=inner, size_ms=size):
            start = f"hr_windowed_time({sql}, 8)"
            return _windowed(inner, sql, 8, start, f"hr_int_add(least({start}, {LATEST_MS - size}L), {size}L)")
        case SessionWindowedSerde(inner=inner):
            return _windowed(inner, sql, 16, f"hr_windowed_time({sql}, 8)", f"hr_windowed_time({sql}, 16)")
    found = f"hr_decode_{serde.name}({sql})"
    return f"CAST({found} AS INT)" if serde.type == INT32 else found


def _windowed(inner: Serde[Any], sql: str, times: int, start: str, end: str) -> str:
    key = decode(inner, f"hr_windowed_key({sql}, {times})")
    return f"if({sql} IS NULL, NULL, named_struct('key', {key}, 'start', {start}, 'end', {end}))"


def packed(type_: Type, sql: str) -> str:
    """A value of any type in the bytes it travels in between stages: those of its serde, or else of a row."""
    primitive = primitive_of(type_)
    return f"hr_pack({sql})" if primitive is None else encode(primitive, sql)


def unpacked(type_: Type, sql: str) -> str:
    """Value that `packed` has made into bytes."""
    primitive = primitive_of(type_)
    return f"hr_unpack({sql}, {text(type_.sql)})" if primitive is None else decode(primitive, sql)


def packed_key(field: Field, sql: str) -> str:
    """A key in the bytes it travels in: those by which stores know it, or of a row if it can be in none."""
    serde = key_serde(field)
    return packed(field.type, sql) if serde is None else encode(serde, sql)


def unpacked_key(field: Field, sql: str) -> str:
    """Key that `packed_key` has made into bytes."""
    serde = key_serde(field)
    return unpacked(field.type, sql) if serde is None else decode(serde, sql)


def label(node: Node) -> str:
    """Label of a node in failures of its functions."""
    return f"{node.name} ({node.origin})"


def guarded(sql: str, kind: str, subject: str, where: str) -> str:
    """An expression that tells which record it failed on, and at what."""
    return f"hr_guard({sql}, {text(kind)}, {text(subject)}, {where})"


def some(sql: str, reason: str) -> str:
    """Result of a function that cannot be None; it failed then, without an exception of its own."""
    return f"hr_some({sql}, {text(reason)}, 'RecordFailed')"


def shown(type_: Type, sql: str) -> str:
    """A value as Python prints it."""
    return f"coalesce(hr_shown({sql}, {text(shape(type_))}), 'None')"
