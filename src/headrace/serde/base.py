"""What every serde is: a name, a type, and two directions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from headrace.model.types import Type

T = TypeVar("T")


class Serde(ABC, Generic[T]):
    """How values of one type are written as the bytes of a record, and read back.

    `None` has no bytes: it is written as null, and null is read as `None`, whatever the serde. Whatever cannot be
    written or read raises `ValueError` with a reason in words.
    """

    name: str
    type: Type

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
