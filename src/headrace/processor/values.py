"""Stored values of processors, kept as bytes so that nobody changes them from outside."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import deepcopy
from typing import Any, Generic, NamedTuple, TypeVar

from headrace.serde import Serde
from headrace.state.keyvalue import Stored

V = TypeVar("V")


class Timestamped(NamedTuple, Generic[V]):
    """A value and the time that belongs to it, in milliseconds."""

    value: V
    ts: int


class Values(ABC):
    """Values of one store, on their way in and out."""

    @abstractmethod
    def kept(self, value: Any) -> tuple[Any, int]:
        """Stored form of a value that is not None, and its time; None for one that counts as deleted."""

    @abstractmethod
    def seen(self, stored: Stored) -> Any:
        """Value as a processor sees it, from its stored form."""


class PlainValues(Values):
    """Values alone: by a serde, or as the rows of a table are kept, which are copied."""

    def __init__(self, serde: Serde[Any] | None) -> None:
        self.write: Callable[[Any], Any] = deepcopy if serde is None else serde.write
        """The value, as nobody else can change it."""
        self.read: Callable[[Any], Any] = deepcopy if serde is None else serde.read
        """The value, for somebody who may change it."""

    def kept(self, value: Any) -> tuple[Any, int]:
        return self.write(value), 0

    def seen(self, stored: Stored) -> Any:
        return self.read(stored.value)


class TimestampedValues(PlainValues):
    """Values with their times."""

    def kept(self, value: Any) -> tuple[Any, int]:
        if not isinstance(value, Timestamped):
            raise ValueError(f"{value!r} is a {type(value).__name__}, a Timestamped(value, ts) is needed")
        if value.ts < 0:
            raise ValueError(f"the time of a value cannot be {value.ts}")
        return None if value.value is None else self.write(value.value), value.ts

    def seen(self, stored: Stored) -> Any:
        return Timestamped(self.read(stored.value), stored.ts)


def values_of(serde: Serde[Any] | None, *, timestamped: bool) -> Values:
    """Form in which a store keeps its values."""
    return TimestampedValues(serde) if timestamped else PlainValues(serde)
