"""Schema of an edge of the plan: key type and value type of its records."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from headrace.errors import NoSerde
from headrace.model.types import OBJECT, Type
from headrace.model.windows import WindowedType
from headrace.serde import Serde, serde_of


@dataclass(frozen=True)
class Field:
    """The type of a key or a value, and the serde it came with while it is unchanged."""

    type: Type
    serde: Serde[Any] | None = None

    @staticmethod
    def of(serde: Serde[Any]) -> Field:
        """A field as it is read from a topic."""
        return Field(serde.type, serde)

    def default_serde(self, origin: str | None = None) -> Serde[Any]:
        """The serde that writes this field when the user names none; `origin` is the line to name without one."""
        return self.serde or serde_of(self.type, origin)

    def store_serde(self, origin: str | None = None) -> Serde[Any]:
        """The serde of the bytes by which a key is found in stores: its type's, or what a windowed key came with."""
        if isinstance(self.type, WindowedType) and self.serde is not None:
            return self.serde
        if self.type == OBJECT and self.serde is not None:
            raise NoSerde(self.type, [], origin, own=self.serde)
        return serde_of(self.type, origin)

    def meets(self, other: Field) -> bool:
        """Whether keys of both can be the same: of one type and, where they have windows, of windows of one kind."""
        windowed = isinstance(self.type, WindowedType)
        return self.type == other.type and (not windowed or self.store_serde() == other.store_serde())

    def __str__(self) -> str:
        return str(self.serde or self.type)


@dataclass(frozen=True)
class Schema:
    """Key and value of the records on an edge."""

    key: Field
    value: Field

    def with_key(self, type_: Type) -> Schema:
        """Schema with a computed key."""
        return replace(self, key=Field(type_))

    def with_value(self, type_: Type) -> Schema:
        """Schema with a computed value."""
        return replace(self, value=Field(type_))

    def __str__(self) -> str:
        return f"({self.key}, {self.value})"
