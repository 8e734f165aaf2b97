"""Natural serdes: the one that goes with each type."""

from __future__ import annotations

from typing import Any

from headrace.errors import NoSerde
from headrace.model.types import NONE, OBJECT, Type
from headrace.model.windows import WindowedType
from headrace.serde.base import Serde
from headrace.serde.json import JsonSerde
from headrace.serde.json.writing import is_writable
from headrace.serde.primitives import PRIMITIVES, primitive_of
from headrace.serde.windowed import SessionWindowedSerde


def serde_of(type_: Type, origin: str | None = None) -> Serde[Any]:
    """The serde that writes values of a type when the user names none: Kafka's own for primitives, else JSON."""
    primitive = primitive_of(type_)
    if primitive is not None:
        return primitive
    if isinstance(type_, WindowedType):
        return SessionWindowedSerde(serde_of(type_.key, origin))  # with both its times: its size is not known
    if type_ not in (NONE, OBJECT) and is_writable(type_):
        return JsonSerde(type_)
    raise NoSerde(type_, [str(known.type) for known in PRIMITIVES if known is primitive_of(known.type)], origin)
