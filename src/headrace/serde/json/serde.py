"""The JSON serde, typed and untyped."""

from __future__ import annotations

import typing
from dataclasses import dataclass, field
from typing import Any, TypeVar, overload

from headrace.model.records import record_type, type_of
from headrace.model.source_lines import calling_line
from headrace.model.type_compatibility import has_fields, holds
from headrace.model.types import JSON, StructType, Type
from headrace.serde.base import Serde
from headrace.serde.facts import Facts, KernelCodec, TextForm
from headrace.serde.json.parsing import holds_decimals, parsed_bytes
from headrace.serde.json.reading import Read, reader
from headrace.serde.json.writing import Write, compact, is_writable, writer
from headrace.serde.primitives import STRING
from headrace.serde.shapes import shape

T = TypeVar("T")


@dataclass(frozen=True, repr=False)
class JsonSerde(Serde[T]):
    """Values of one type as JSON, in UTF-8 without white space.

    Fields are written in the order of their class, the keys of dicts in their own: equal values have equal bytes.
    """

    type: Type
    name: str = field(default="json", init=False)
    _decimals: bool = field(init=False, compare=False)
    _from_json: Read = field(init=False, compare=False)
    _to_json: Write = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_decimals", holds_decimals(self.type))
        object.__setattr__(self, "_from_json", reader(self.type))
        object.__setattr__(self, "_to_json", writer(self.type))

    @property
    def facts(self) -> Facts:
        kernel = KernelCodec("JsonCodec", lambda: shape(self.type))
        return Facts(format=self.name, kernel=kernel, text=TextForm.BYTES)

    def for_type(self, type_: Type) -> Serde[Any] | None:
        """JSON without a record writes whatever JSON can say, each type in its own way."""
        found = super().for_type(type_)
        if found is None and self.type == JSON and is_writable(type_):
            return JsonSerde(type_)
        return self if found is None and holds(self.type, type_, narrowing=True) else found

    def reads(self, written: Serde[Any]) -> bool:
        """Whether the other is text, or JSON of records that have the fields that these need."""
        if written.facts.format != self.name:
            return written == STRING
        return JSON in (written.type, self.type) or has_fields(written.type, self.type)

    def write(self, value: T) -> bytes:
        try:
            return compact(self._to_json(value)).encode()
        except UnicodeEncodeError as exc:
            raise ValueError(f"U+{ord(exc.object[exc.start]):04X} in it has no UTF-8 form") from None
        except RecursionError:
            raise ValueError("it is nested too deeply") from None

    def read(self, data: bytes) -> T:
        return self._from_json(parsed_bytes(data, decimals=self._decimals))  # type: ignore[no-any-return]

    def __str__(self) -> str:
        return "JSON" if self.type == JSON else f"JSON({self.type})"

    __repr__ = __str__


@overload
def json() -> JsonSerde[Any]: ...


@overload
def json(record: type[T]) -> JsonSerde[T]: ...


@overload
def json(record: StructType) -> JsonSerde[dict[str, Any]]: ...


def json(record: type[Any] | StructType | None = None) -> JsonSerde[Any]:
    """Records as JSON: of a dataclass, a TypedDict or a pydantic model, or without one any JSON.

    Where a schema comes before any class, `headrace.types.record({...})` describes dicts.

    Several of them, or of plain types, are `list[Order]`, `dict[str, Order]` or a tuple, which is a list, too:
    `hr.json(tuple[str, int])` for the key of a table by two columns.

    Read: a field that is missing gets its default, or None if it may be None, or is refused; null is taken only where
    None may be; fields that the class does not have are left out; an int is taken for a float, nothing else is
    converted. A datetime is a text with its time zone, a date or a time of day one without, bytes are base64, a Decimal
    is a number or a text, an Enum is the value of its member. What does not fit is refused with the path of the field.

        orders = app.stream("orders", value=hr.json(Order))
        events = app.stream("events", value=hr.json())
    """
    here = calling_line() or "?"
    if isinstance(record, StructType):
        return JsonSerde(record)
    if typing.get_origin(record) in (tuple, list, dict):
        return JsonSerde(type_of(record, f"an item of {record}", here))
    return JsonSerde(JSON if record is None else record_type(record, here))
