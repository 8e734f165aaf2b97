"""Types of keys and values, as headrace sees them: Python's types with their Catalyst twins."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Type:
    """One type of key or value; prints as Python would write it."""

    name: str
    sql: str

    def __str__(self) -> str:
        return self.name


STR = Type("str", "string")
INT = Type("int", "bigint")
FLOAT = Type("float", "double")
BOOL = Type("bool", "boolean")
BYTES = Type("bytes", "binary")
NONE = Type("None", "void")


@dataclass(frozen=True)
class ListType(Type):
    """A list of one type."""

    element: Type


@dataclass(frozen=True)
class PairType(Type):
    """A key with its value, as `map` and `flat_map` return them."""

    key: Type
    value: Type


def list_of(element: Type) -> ListType:
    """The type of a list of `element`."""
    return ListType(f"list[{element}]", f"array<{element.sql}>", element)


def pair_of(key: Type, value: Type) -> PairType:
    """The type of a (key, value) tuple."""
    return PairType(f"tuple[{key}, {value}]", f"struct<key:{key.sql},value:{value.sql}>", key, value)
