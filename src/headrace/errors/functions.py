"""Functions and types that users write, found while the topology is declared."""

from __future__ import annotations

from collections.abc import Sequence

from headrace.errors.plan import PlanError


class NotTraceable(PlanError):
    """A function of the user's could not be turned into an expression."""

    code = "not-traceable"

    def __init__(self, function: str, reason: str, origin: str) -> None:
        self.reason = reason
        super().__init__(
            f"{function} can only run in Python: {reason}",
            where=origin,
            fix="write it in the words that headrace knows (docs/guide/functions.md), or leave strict_native away",
        )


class NumberTooLarge(PlanError):
    """A whole number in an expression needs more than 64 bits."""

    code = "number-too-large"

    def __init__(self, number: int, origin: str) -> None:
        super().__init__(
            f"{number} does not fit 64 bits",
            where=origin,
            fix="use a number from -2**63 to 2**63 - 1, or a Decimal",
        )


class WrongType(PlanError):
    """An expression has a type that does not fit where it stands."""

    code = "wrong-type"

    def __init__(self, what: str, found: object, needed: object, origin: str, fix: str | None = None) -> None:
        super().__init__(f"{what} is {found}, {needed} is needed", where=origin, fix=fix)


class UnknownName(PlanError):
    """An expression names a method, a function, a field or a symbol that is not there."""

    code = "unknown-name"

    def __init__(
        self, what: str, known: Sequence[str], near: Sequence[str], origin: str, fix: str | None = None
    ) -> None:
        listed = f"there are {', '.join(known)}" if known else None
        super().__init__(what, where=origin, fix=fix or (f"did you mean {' or '.join(near)}?" if near else listed))


class WrongParameters(PlanError):
    """A function of the user's takes another number of arguments than its operator gives it."""

    code = "wrong-parameters"

    def __init__(self, function: str, takes: str, gives: Sequence[str], origin: str) -> None:
        count = f"{len(gives)} argument{'' if len(gives) == 1 else 's'}"
        super().__init__(
            f"{function} takes {takes}, it is called with {count}: {', '.join(gives)}",
            where=origin,
            fix=f"write it as lambda {', '.join(gives)}: ...",
        )


class NotARecord(PlanError):
    """A class that describes no records is given as the type of some."""

    code = "not-a-record"

    def __init__(self, name: str, origin: str) -> None:
        super().__init__(
            f"{name} does not describe records",
            where=origin,
            fix="give a dataclass, a TypedDict or a pydantic model; hr.json() without one reads any JSON",
        )


class FieldTypeUnknown(PlanError):
    """A field of a record has a type that records cannot hold."""

    code = "field-type-unknown"

    def __init__(self, field: str, found: str, origin: str) -> None:
        super().__init__(
            f"{field} is {found}, which a record cannot hold",
            where=origin,
            fix="use str, int, float, bool, bytes, datetime, Decimal, an Enum of str or int, list[...], dict[str, ...],"
            " tuple[..., ...], a dataclass, a TypedDict, a pydantic model, one of these | None, or Any",
        )


class FieldsNotRead(PlanError):
    """The fields of a class cannot be found out."""

    code = "fields-not-read"

    def __init__(self, name: str, reason: str, origin: str) -> None:
        super().__init__(
            f"the fields of {name} cannot be read: {reason}",
            where=origin,
            fix="declare the classes of its fields at the top of their module, and none inside itself",
        )


class NoSerde(PlanError):
    """No serde writes values of a type."""

    code = "no-serde"

    def __init__(
        self, type_: object, known: Sequence[str], origin: str | None = None, *, own: object | None = None
    ) -> None:
        """`own` is the serde of the user's with which keys came whose type headrace does not know."""
        fix = f"map them to one of {', '.join(known)} first"
        if own is not None:
            fix = f"stores find keys by the bytes of their type, not by {own}: make the class of the keys a dataclass"
        elif str(type_) == "object":
            fix = (
                "write the function that they come from with def, and say what it returns: -> str, or give key=, value="
            )
        super().__init__(f"no serde writes values of type {type_}", where=origin, fix=fix)
