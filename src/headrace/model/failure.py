"""Records that a user's function failed on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Failure(Generic[V]):
    """The value of a record as it was, and what failed on it."""

    value: V | None
    node: str
    """The operator."""

    error: str
    """The class of the exception."""

    message: str
    origin: str | None
    """topic-partition@offset of the record of a topic that it comes from."""
