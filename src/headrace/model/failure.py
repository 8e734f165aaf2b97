"""Failures: records that a user's function failed on, and what their dead letters say."""

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


@dataclass(frozen=True, slots=True)
class Letter:
    """Dead letter's account of a failure, without the value: a dead letter has the bytes of its origin."""

    node: str
    error: str
    message: str
    origin: str | None


ATTEMPT = "headrace.attempt"
"""The header of a dead letter that says how often its record has failed, and of a record that was sent again."""

CUT = "headrace.cut"
"""The header of a dead letter that has not all of its record, and why."""

HEADERS = tuple(f"headrace.{name}" for name in ("node", "error", "message", "origin"))
"""Those that tell of the failure, as `Letter` does."""
