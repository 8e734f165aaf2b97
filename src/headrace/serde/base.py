"""What every serde is: a name, a type, and two directions."""

from __future__ import annotations

import functools
import typing
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from headrace.errors import FieldTypeUnknown
from headrace.model.records import type_of
from headrace.model.source_lines import calling_line
from headrace.model.types import OBJECT, Type

T = TypeVar("T")


class Serde(ABC, Generic[T]):
    """How values of one type are written as the bytes of a record, and read back.

    A serde of one's own is a class with these two methods, of the type that it stands for. `None` has no bytes: it is
    written as null, and null is read as `None`, whatever the serde. What cannot be written or read raises, with a
    reason in words. Serdes of one class with the same attributes are equal.

        class Reversed(hr.Serde[str]):
            def write(self, value: str) -> bytes:
                return value[::-1].encode()

            def read(self, data: bytes) -> str:
                return data.decode()[::-1]
    """

    name: str
    """What messages call it; unless it is given, that of the class."""

    type: Type
    """Of its values; unless it is given, that of the class's own `Serde[...]`."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.partition(".")[0] == __name__.partition(".")[0]:
            return
        name = cls.__name__.removesuffix("Serde") or cls.__name__
        for attribute, told in (("name", name), ("type", _typed(cls))):
            if told is not None and attribute not in {*vars(cls), *vars(cls).get("__annotations__", ())}:
                setattr(cls, attribute, told)
        for method in {"read", "write"} & vars(cls).keys():
            setattr(cls, method, _saying_why(getattr(cls, method)))

    def encode(self, value: T | None) -> bytes | None:
        """The bytes of a value."""
        return None if value is None else self.write(value)

    def decode(self, data: bytes | None) -> T | None:
        """The value of some bytes."""
        return None if data is None else self.read(data)

    @abstractmethod
    def write(self, value: T) -> bytes:
        """The bytes of a value that is not None."""

    @abstractmethod
    def read(self, data: bytes) -> T:
        """The value of bytes that are there."""

    def __str__(self) -> str:
        return self.name.upper()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(type(self))


def _typed(cls: type[Serde[Any]]) -> Type | None:
    """The type of the values of a class that is written as `Serde[...]`; what headrace does not know is any object."""
    for base in vars(cls).get("__orig_bases__", ()):
        origin, annotations = typing.get_origin(base), typing.get_args(base)
        if isinstance(origin, type) and issubclass(origin, Serde) and not isinstance(annotations[0], TypeVar):
            try:
                return type_of(annotations[0], f"the type of {cls.__name__}", calling_line() or "?")
            except FieldTypeUnknown:
                return OBJECT
    return None if hasattr(cls, "type") else OBJECT


def _saying_why(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A method of the user's: whatever it raises says that a value cannot be written or read."""

    @functools.wraps(function)
    def call(self: Any, given: Any) -> Any:
        try:
            return function(self, given)
        except ValueError:
            raise
        except Exception as exc:
            raise ValueError(f"{type(exc).__name__}: {exc}") from exc

    return call
