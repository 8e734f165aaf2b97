"""Lane formats: the bytes of keys and values between Spark and Python processes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from headrace.errors import NoSerde
from headrace.model.types import Type, is_object
from headrace.plan.schema import Field
from headrace.serde import JsonSerde, Serde, WindowedSerde, serde_of
from headrace.serde.json.writing import is_writable
from headrace.serde.pickled import PICKLED
from headrace.serde.primitives import primitive_of


def crosses(field: Field, *, key: bool = False) -> bool:
    """Whether values of a type mean the same on both sides: what only Python knows does not leave it."""
    return (key_form(field) if key else value_form(field.type)) is not PICKLED


def value_form(type_: Type) -> Serde[Any]:
    """The bytes of values that both sides read."""
    primitive = primitive_of(type_)
    if primitive is not None:
        return primitive
    return JsonSerde(type_) if is_writable(type_) and not is_object(type_) else PICKLED


def own_form(type_: Type) -> Serde[Any]:
    """The bytes of values that go from Python to Python."""
    return primitive_of(type_) or PICKLED


def key_form(field: Field) -> Serde[Any]:
    """The bytes of keys, which tell their tasks: those by which stores know them, wherever they can be in one."""
    return key_serde(field) or value_form(field.type)


def key_serde(field: Field) -> Serde[Any] | None:
    """The bytes by which stores know a key; None if it can be in none."""
    try:
        serde = field.store_serde()
    except NoSerde:
        return None
    if isinstance(serde, WindowedSerde):
        # Windows are made around the keys of records, which travel in the bytes of their types.
        return replace(serde, inner=serde_of(serde.inner.type))
    return serde
