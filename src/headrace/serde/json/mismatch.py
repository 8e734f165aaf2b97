"""Mismatch of a value and its type, and where in the record it is."""

from __future__ import annotations

from decimal import Decimal


class Mismatch(ValueError):
    """A part of a record is not what its type says. Grows its path on the way out."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason, self.path = reason, ""

    def below(self, step: str | int) -> Mismatch:
        """The same, seen from one level up."""
        inner = self.path if not self.path or self.path.startswith("[") else f".{self.path}"
        self.path = f"[{step}]{inner}" if isinstance(step, int) else f"{step}{inner}"
        return self

    def __str__(self) -> str:
        return f"{self.path or 'it'} {self.reason}"


def needed(found: object, type_: object) -> Mismatch:
    """The error for something that is there, but of another type."""
    return Mismatch(f"is {shown(found)}, {type_} is needed")


def shown(thing: object) -> str:
    """A part of a record in an error: in JSON's words, and not too long."""
    match thing:
        case None:
            return "null"
        case bool():
            return "true" if thing else "false"
        case str():
            return f"the text '{thing}'" if len(thing) <= 40 else f"the text '{thing[:40]}'..."
        case int() | float() | Decimal():
            return f"the number {thing}"
        case list():
            return "a list"
        case dict():
            return "an object"
    return f"{thing!r}, a {type(thing).__name__}"
