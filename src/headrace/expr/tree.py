"""Expression trees, before anything is known about types: plain values that print as Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum

from headrace.model.types import Type

Scalar = str | int | float | bytes | datetime | date | time | Decimal | Enum | None
"""What a constant can be."""

# How tightly Python binds; what is not here (calls, names) binds tightest.
_STRENGTH = {"if": -1, "|": 1, "&": 2, "==": 0, "!=": 0, "<": 0, "<=": 0, ">": 0, ">=": 0, "+": 3, "-": 3}
_STRENGTH |= {"*": 4, "/": 4, "//": 4, "%": 4, "~": 5, "**": 6}
_SIGN = 5
_ATOM = 9


@dataclass(frozen=True)
class Tree:
    """Node of an expression; `line` is where the user wrote it, and no part of what it means."""

    line: str | None = field(default=None, kw_only=True, compare=False, repr=False)

    def strength(self) -> int:
        """Strength of binding in print."""
        return _ATOM

    @property
    def parts(self) -> tuple[Tree, ...]:
        """The nodes that it is made of."""
        return tuple(part for one in fields(self) for part in _trees(getattr(self, one.name)))


@dataclass(frozen=True)
class Symbol(Tree):
    """A part of the record: its key, its value, its timestamp."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class Literal(Tree):
    """A constant; its type tells 1 from True and from 1.0."""

    value: Scalar
    type: Type

    def __str__(self) -> str:
        value = self.value
        return f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)

    def strength(self) -> int:
        return _SIGN if str(self).startswith("-") else _ATOM


@dataclass(frozen=True)
class Listed(Tree):
    """`[a, b]`"""

    items: tuple[Tree, ...]

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.items))}]"


@dataclass(frozen=True)
class Paired(Tree):
    """`(key, value)`"""

    key: Tree
    value: Tree

    def __str__(self) -> str:
        return f"({self.key}, {self.value})"


@dataclass(frozen=True)
class Tupled(Tree):
    """`(a, b, c)`"""

    items: tuple[Tree, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True)
class Mapped(Tree):
    """`{"a": b}`"""

    items: tuple[tuple[str, Tree], ...]

    def __str__(self) -> str:
        return f"{{{', '.join(f'{name!r}: {item}' for name, item in self.items)}}}"


@dataclass(frozen=True)
class Built(Tree):
    """`Order(customer=a, amount=b)`"""

    cls: type
    fields: tuple[tuple[str, Tree], ...]

    def __str__(self) -> str:
        return f"{self.cls.__name__}({', '.join(f'{name}={item}' for name, item in self.fields)})"


@dataclass(frozen=True)
class Replaced(Tree):
    """`dataclasses.replace(target, amount=b)`"""

    target: Tree
    fields: tuple[tuple[str, Tree], ...]

    def __str__(self) -> str:
        return f"replace({self.target}, {', '.join(f'{name}={item}' for name, item in self.fields)})"


@dataclass(frozen=True)
class Attribute(Tree):
    """`target.name`, not called."""

    target: Tree
    name: str

    def __str__(self) -> str:
        return f"{_within(self.target, _ATOM)}.{self.name}"


@dataclass(frozen=True)
class Call(Tree):
    """A function of the table on its arguments: an operator `+`, a method `.lower`, or a plain name `length`."""

    function: str
    args: tuple[Tree, ...]
    in_place: bool = field(default=False, kw_only=True, compare=False, repr=False)
    """Whether it was written as `+=`, which is the same for what cannot change, and only for that."""

    def __str__(self) -> str:
        name, args = self.function, self.args
        if name == "when":
            return "hr" + _when(self)
        if name == "if":
            condition, then, otherwise = args
            return f"{_within(then, 0)} if {_within(condition, 0)} else {otherwise}"
        if name == "[]":
            return f"{_within(args[0], _ATOM)}[{args[1]}]"
        if name == "[::-1]":
            return f"{_within(args[0], _ATOM)}{name}"
        if name == "[:]":
            start = "" if isinstance(args[1], Literal) and args[1].value == 0 else str(args[1])
            return f"{_within(args[0], _ATOM)}[{start}:{'' if len(args) == 2 else args[2]}]"
        if name.startswith("@"):
            return f"{_within(args[0], _ATOM)}.{name[1:]}"
        if name.startswith("."):
            return f"{_within(args[0], _ATOM)}{name}({', '.join(map(str, args[1:]))})"
        if name.isidentifier():
            return f"{spelled(name)}({', '.join(map(str, args))})"
        if len(args) == 1:
            return f"{name}{_within(args[0], self.strength())}"
        # The right side of a - (b - c), and both sides of (a < b) == c, keep their parentheses.
        here = self.strength()
        left, right = (here + 1, here) if name == "**" else (here or 1, here + 1)
        return f"{_within(args[0], left)} {name} {_within(args[1], right)}"

    def strength(self) -> int:
        return _SIGN if len(self.args) == 1 and self.function == "-" else _STRENGTH.get(self.function, _ATOM)


def spelled(function: str) -> str:
    """A function of the table as users write it: `F.length`, `hr.when`, or what Python has itself, `bool`."""
    if function in ("bool", "format", "if"):
        return function
    return "hr.when" if function == "when" else f"F.{function}"


def _trees(thing: object) -> Iterator[Tree]:
    if isinstance(thing, Tree):
        yield thing
    elif isinstance(thing, tuple):
        for one in thing:
            yield from _trees(one)


def _within(tree: Tree, needed: int) -> str:
    return str(tree) if tree.strength() >= needed else f"({tree})"


def _when(call: Call) -> str:
    condition, then, otherwise = call.args
    head = f".when({condition}, {then})"
    if isinstance(otherwise, Call) and otherwise.function == "when":
        return head + _when(otherwise)
    return f"{head}.otherwise({otherwise})"
