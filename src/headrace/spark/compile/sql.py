"""SQL fragments that several parts of a query share."""

from __future__ import annotations

from typing import Any

from headrace.expr.sql import constant
from headrace.model.types import STR, Type
from headrace.model.windows import LATEST_MS
from headrace.plan.nodes import Node
from headrace.plan.schema import Field
from headrace.serde import INT64, Serde
from headrace.serde.facts import KernelCodec, KernelForm, WindowedCodec
from headrace.serde.primitives import primitive_of
from headrace.serde.shapes import shape
from headrace.spark.compile.lane_formats import key_serde


def text(value: str) -> str:
    """A string as a literal."""
    return constant(value, STR)


def encode(serde: Serde[Any], sql: str) -> str:
    """The bytes of a value."""
    return _encode(_kernel(serde), sql)


def decode(serde: Serde[Any], sql: str, headers: str = "headers") -> str:
    """The value of some bytes; `headers` are those of the record, which few serdes look at."""
    seen = headers if serde.facts.headers else ""
    return _decode(_kernel(serde), sql, seen)


def headed(serde: Serde[Any], sql: str, headers: str) -> str:
    """The headers of a record, with those that a serde writes beside the bytes of a value."""
    if not serde.facts.headers:
        return headers
    form, of = _kernel(serde), sql
    while isinstance(form, WindowedCodec):
        form, of = form.key, f"{of}.key"
    return f"hr_headers({headers}, {of}, {_told(form)})"


def _kernel(serde: Serde[Any]) -> KernelForm:
    assert serde.facts.kernel is not None, f"{serde} has no codec in the kernel"
    return serde.facts.kernel


def _told(form: KernelCodec) -> str:
    return f"{text(form.codec)}, {text(form.settings())}"


def _encode(form: KernelForm, sql: str) -> str:
    if isinstance(form, KernelCodec):
        return f"hr_encode({sql}, {_told(form)})"
    times = encode(INT64, f"{sql}.start")
    if form.size_ms is None:
        times = f"{encode(INT64, f'{sql}.end')}, {times}"
    return f"concat({_encode(form.key, f'{sql}.key')}, {times})"


def _decode(form: KernelForm, sql: str, headers: str) -> str:
    if isinstance(form, KernelCodec):
        return f"hr_decode({sql}, {_told(form)}{headers and f', {headers}'})"
    start, size, end = f"hr_windowed_time({sql}, 8)", 8, ""
    if form.size_ms is None:
        size, end = 16, f"hr_windowed_time({sql}, 16)"
    else:
        end = f"hr_int_add(least({start}, {LATEST_MS - form.size_ms}L), {form.size_ms}L)"
    key = _decode(form.key, f"hr_windowed_key({sql}, {size})", headers)
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
