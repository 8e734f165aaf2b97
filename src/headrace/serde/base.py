"""Contract of serdes: a name, a type, two directions, and facts of the bytes."""

from __future__ import annotations

import functools
import typing
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from headrace.errors import FieldTypeUnknown
from headrace.model.record import Header
from headrace.model.records import type_of
from headrace.model.source_lines import calling_line
from headrace.model.types import NONE, OBJECT, Type, wider
from headrace.serde.facts import Facts, Side

T = TypeVar("T")

Headers = tuple[Header, ...]

_USERS_METHODS = frozenset({"read", "write", "read_with", "headers_of", "for_topic"})


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

    @property
    def facts(self) -> Facts:
        """What is known of its bytes."""
        return _UNKNOWN

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__module__.partition(".")[0] == __name__.partition(".")[0]:
            return
        name = cls.__name__.removesuffix("Serde") or cls.__name__
        for attribute, told in (("name", name), ("type", _typed(cls))):
            if told is not None and attribute not in {*vars(cls), *vars(cls).get("__annotations__", ())}:
                setattr(cls, attribute, told)
        for method in _USERS_METHODS & vars(cls).keys():
            setattr(cls, method, _saying_why(getattr(cls, method)))

    def encode(self, value: T | None) -> bytes | None:
        """The bytes of a value."""
        return None if value is None else self.write(value)

    def decode(self, data: bytes | None, headers: Headers = ()) -> T | None:
        """The value of some bytes, with the headers of their record for a serde that looks at them."""
        if data is None:
            return None
        return self.read_with(data, headers) if self.facts.headers else self.read(data)

    def headed(self, headers: Headers, value: T | None) -> Headers:
        """The headers of a record, with those that go with a value, and without older ones of the serde's own."""
        names = self.facts.headers
        if not names:
            return headers
        others = tuple(one for one in headers if one[0] not in names)
        return others if value is None else (*others, *self.headers_of(value))

    @abstractmethod
    def write(self, value: T) -> bytes:
        """The bytes of a value that is not None."""

    @abstractmethod
    def read(self, data: bytes) -> T:
        """The value of bytes that are there."""

    # -- what formats have that need more than the bytes

    def for_topic(self, topic: str | None, side: Side) -> Serde[T]:  # noqa: ARG002
        """The serde bound to one side of the records of a topic, called once for each when a topology is declared.

        A format whose schemas go by topics looks them up here; ValueError if it cannot do without one. `topic` is None
        where there is not one alone: of several topics, of a pattern, or where a function names it. What was bound to
        one topic may be bound to another.
        """
        return self

    def for_type(self, type_: Type) -> Serde[T] | None:
        """The serde as one that writes values of a type; None if it cannot."""
        return self if type_ in (self.type, NONE, OBJECT) or wider(type_) == self.type else None

    def read_with(self, data: bytes, headers: Headers) -> T:  # noqa: ARG002
        """The value of bytes that are there, with the headers of the record: called where facts name headers."""
        return self.read(data)

    def headers_of(self, value: T) -> Headers:  # noqa: ARG002
        """The headers to write beside a value that is not None: called where facts name headers."""
        return ()

    def reads(self, written: Serde[Any]) -> bool:
        """Whether it reads what another serde has written, as far as anything is known of both."""
        mine, other = self.facts.format, written.facts.format
        return self.type == written.type if mine is other is None else mine == other

    def __str__(self) -> str:
        return self.name.upper()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(type(self))


_UNKNOWN = Facts()


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


def _saying_why(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method of the user's: whatever it raises says that a value cannot be written or read."""

    @functools.wraps(function)
    def call(self: Any, *given: Any) -> Any:
        try:
            return function(self, *given)
        except ValueError:
            raise
        except Exception as exc:
            raise ValueError(f"{type(exc).__name__}: {exc}") from exc

    return call
