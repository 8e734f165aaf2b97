"""Types of keys and values, as headrace sees them: Python's types with their Catalyst twins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True)
class Type:
    """Type of a key or value; prints as Python would write it."""

    name: str
    sql: str

    def __str__(self) -> str:
        return self.name

    def __or__(self, other: None) -> Type:
        """Return the type that may be None as well: `T.decimal(10, 2) | None`."""
        return optional_of(self) if other is None else NotImplemented

    @property
    def parts(self) -> tuple[Type, ...]:
        """The types that it is made of."""
        return ()

    def nested(self) -> Iterator[Type]:
        """The type itself, then whatever it is made of, at any depth."""
        yield self
        for part in self.parts:
            yield from part.nested()


STR = Type("str", "string")
INT = Type("int", "bigint")
FLOAT = Type("float", "double")
BOOL = Type("bool", "boolean")
BYTES = Type("bytes", "binary")
NONE = Type("None", "void")
DATETIME = Type("datetime", "timestamp")
"""A moment: a datetime with its time zone."""
DECIMAL = Type("Decimal", "string")
"""Of any size: its text, as Python writes it."""
INT32 = Type("Int32", "int")
"""An int of 32 bits; where it is computed with, it is an int like others."""
DATE = Type("date", "date")
TIME = Type("time", "bigint")
"""A time of day without a zone: microseconds since midnight. Spark has a type of it only for those who switch it on."""
JSON = Type("json", "string")
"""Anything that JSON can say: None, bool, int, float, str, list, dict; None is null, anything else its text."""
OBJECT = Type("object", "")
"""Any value: what a function gives that stays Python code and does not say its type."""


@dataclass(frozen=True)
class DecimalType(Type):
    """A Decimal with so many digits in all, so many of them behind the point; computed with, it is any Decimal."""

    precision: int
    scale: int


def decimal_of(precision: int, scale: int) -> DecimalType:
    """The type of Decimals with these digits."""
    return DecimalType(f"decimal({precision}, {scale})", f"decimal({precision},{scale})", precision, scale)


def wider(type_: Type) -> Type | None:
    """The type without limits that Python computes with, of which a type takes some values only."""
    return INT if type_ == INT32 else DECIMAL if isinstance(type_, DecimalType) else None


@dataclass(frozen=True)
class ListType(Type):
    """A list of one type."""

    element: Type

    @property
    def parts(self) -> tuple[Type, ...]:
        return (self.element,)


@dataclass(frozen=True)
class TupleType(Type):
    """Several values in one, each of a type of its own: a key of several columns. Each of them may be None."""

    items: tuple[Type, ...]

    @property
    def parts(self) -> tuple[Type, ...]:
        return self.items

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the values in the Catalyst twin."""
        return tuple(f"_{number}" for number in range(1, len(self.items) + 1))


@dataclass(frozen=True)
class PairType(TupleType):
    """A tuple of two: a key with its value, as `map` and `flat_map` return them."""

    @property
    def key(self) -> Type:
        """The type of the first."""
        return self.items[0]

    @property
    def value(self) -> Type:
        """The type of the second."""
        return self.items[1]

    @property
    def columns(self) -> tuple[str, ...]:
        return ("key", "value")


def list_of(element: Type) -> ListType:
    """The type of a list of `element`."""
    return ListType(f"list[{element}]", f"array<{element.sql}>", element)


def pair_of(key: Type, value: Type) -> PairType:
    """The type of a (key, value) tuple."""
    return PairType(f"tuple[{key}, {value}]", f"struct<key:{key.sql},value:{value.sql}>", (key, value))


def tuple_of(*items: Type) -> TupleType:
    """The type of a tuple of these."""
    if len(items) == 2:
        return pair_of(*items)
    columns = ",".join(f"_{number}:{item.sql}" for number, item in enumerate(items, 1))
    return TupleType(f"tuple[{', '.join(map(str, items))}]", f"struct<{columns}>", items)


@dataclass(frozen=True)
class OptionalType(Type):
    """A field or an item that may be None. Keys and values as a whole always may, and have the type itself."""

    of: Type

    @property
    def parts(self) -> tuple[Type, ...]:
        return (self.of,)


@dataclass(frozen=True)
class DictType(Type):
    """A dict from one type, `str` most often, to another."""

    value: Type
    key: Type = STR

    @property
    def parts(self) -> tuple[Type, ...]:
        return (self.key, self.value)


@dataclass(frozen=True)
class EnumType(Type):
    """Members of an Enum, which travel as their values."""

    cls: type[Enum]

    @property
    def of_values(self) -> Type:
        """The type of the values of its members."""
        return STR if self.sql == STR.sql else INT


@dataclass(frozen=True)
class StructField:
    """Field of a record; without `needed`, it may be missing where records are read."""

    name: str
    type: Type
    needed: bool

    def sql(self, *, keyed: bool) -> str:
        """The Catalyst twin: a key that a dict may not have is in a struct of its own, null where it is missing."""
        return self.type.sql if self.needed or not keyed else f"struct<value:{self.type.sql}>"


@dataclass(frozen=True)
class StructType(Type):
    """A record with named fields: a dataclass or a model (`order.amount`), or a dict of known keys (`d["amount"]`)."""

    fields: tuple[StructField, ...]
    cls: type | None
    """The class that describes it; None for a dict whose keys are known without one."""
    keyed: bool
    """Whether its values are dicts."""

    @property
    def made_of(self) -> type:
        """The class of its values."""
        return dict if self.cls is None else self.cls

    @property
    def parts(self) -> tuple[Type, ...]:
        return tuple(one.type for one in self.fields)

    def field(self, name: str) -> StructField | None:
        """The field of that name."""
        return next((one for one in self.fields if one.name == name), None)


def optional_of(type_: Type) -> Type:
    """The type of a field or an item that may be None."""
    if isinstance(type_, OptionalType) or type_ in (NONE, JSON):
        return type_
    return OptionalType(f"{type_} | None", type_.sql, type_)


def present(type_: Type) -> Type:
    """The type without its None."""
    return type_.of if isinstance(type_, OptionalType) else type_


def dict_of(value: Type, key: Type = STR) -> DictType:
    """Return the type of a dict to `value`, from `str` unless `key` says another."""
    return DictType(f"dict[{key}, {value}]", f"map<{key.sql},{value.sql}>", value, key)


def is_key(type_: Type) -> bool:
    """Whether the keys of dicts can be of a type, in Python and in Catalyst."""
    if isinstance(type_, TupleType):
        return all(map(is_key, type_.items))
    return isinstance(type_, EnumType | DecimalType) or type_ in _KEYS


_KEYS = (STR, INT, INT32, FLOAT, BOOL, BYTES, DATETIME, DATE, TIME, DECIMAL)
_TEXTS = (STR, BYTES, DATETIME, DATE, TIME, DECIMAL)


def is_text(type_: Type) -> bool:
    """Whether values of a type are texts in JSON."""
    if isinstance(type_, EnumType):
        return type_.of_values == STR
    return isinstance(type_, DecimalType) or type_ in _TEXTS


def struct_of(name: str, fields: tuple[StructField, ...], cls: type | None, *, keyed: bool) -> StructType:
    """The type of a record with these fields."""
    columns = ",".join(f"`{one.name}`:{one.sql(keyed=keyed)}" for one in fields)
    return StructType(name, f"struct<{columns}>", fields, cls, keyed)


def keyed_struct(types: dict[str, Type]) -> StructType:
    """The type of a dict written out in an expression: `{"a": 1}` is `{'a': int}`."""
    return schema_struct(StructField(name, type_, True) for name, type_ in types.items())


def schema_struct(fields: Iterable[StructField], name: str | None = None) -> StructType:
    """The type of a dict with these keys, which no class describes; without a name it is called by its fields."""
    fields = tuple(fields)
    listed = ", ".join(f"{one.name!r}: {one.type}" for one in fields)
    return struct_of(name or f"{{{listed}}}", fields, None, keyed=True)


def is_object(type_: Type) -> bool:
    """Whether it is not known what values of a type are."""
    match type_:
        case ListType(element=inner) | OptionalType(of=inner) | DictType(value=inner):
            return is_object(inner)
        case TupleType(items=items):
            return any(map(is_object, items))
        case StructType(fields=fields):
            return any(is_object(field.type) for field in fields)
    return type_ == OBJECT
