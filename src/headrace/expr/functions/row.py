"""Row of the table of functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from headrace.expr.tree import spelled
from headrace.model.types import Type

ANY = Type("T", "")
"""Stands for one type, the same wherever it occurs in a row."""
KEY = Type("K", "")
"""Stands for the type of the keys of the dicts in a row."""


class Null(Enum):
    """None as an argument of a function."""

    RAISES = "raises"
    GIVES_NULL = "gives null"
    """The result is None then, and nothing is computed."""
    GIVES_FALSE = "gives false"
    """The result is False then, of a function that gives True or False; nothing is computed."""
    OWN = "own"
    """None is a value like others for it."""


class Overflow(Enum):
    """An int as a result that its type has no room for."""

    RAISES = "raises"
    WRAPS = "wraps"
    """The lowest bits are the result."""
    OWN = "own"
    """There is none, or the function sees to it."""


class Fails(Enum):
    """A failure of a function, or of what computes its arguments."""

    RAISES = "raises"
    GIVES_NULL = "gives null"


@dataclass(frozen=True)
class Function:
    """A function on given types: how it is written, what it means in Python, and the same in Catalyst.

    `name` says how it is written: an operator `+`, a method `.lower`, an attribute `@year`, or a function `length`, of
    which users write `F.length`. Several rows of one name are overloads. `sql` has a place `{0}`, `{1}`... for each
    argument, and may have one for the `{shape}` of the last one's type, which the kernel compares values by, and one
    for that of the `{keys}` that are looked for in a dict.
    """

    name: str
    takes: tuple[Type, ...]
    gives: Type
    python: Callable[..., Any]
    """Of values that are there, without a limit: `null`, `overflow` and `fails` say what becomes of others."""
    sql: str
    """Of null it gives null; a place `{overflow}` says in the name of a function of the kernel what `overflow` says."""
    null: Null = Null.RAISES
    overflow: Overflow = Overflow.OWN
    fails: Fails = Fails.RAISES
    gives_none: Callable[..., bool] = lambda *_: False
    """Whether what it computes may be None, from whether each argument may be."""
    of_members: bool = True
    """Whether a member of an Enum that is a str or an int as well counts as such."""
    lazy: bool = False
    """Whether the Python form gets its arguments as callables, and may leave some uncalled."""

    def may_give_none(self, *of_arguments: bool) -> bool:
        """Whether the result may be None, from whether each argument may be, however it comes to be."""
        if self.null is Null.GIVES_FALSE:
            return False
        strict = self.null is Null.GIVES_NULL and any(of_arguments)
        return strict or self.fails is Fails.GIVES_NULL or self.gives_none(*of_arguments)

    def refusal(self, position: int) -> str:
        """The reason why None is no argument."""
        if self.name.startswith("@"):
            return f"None has no {self.name[1:]}"
        if self.name.startswith("."):
            return f"None has no {self.name[1:]}()" if position == 0 else f"{self.name[1:]}() does not take None"
        if self.name.isidentifier():
            return f"{spelled(self.name)}() does not take None"
        if self.name.startswith("["):
            return "None has no items" if position == 0 else "None is no index"
        return f"None cannot be used with {self.name}"


def signature(name: str, types: tuple[Type, ...]) -> str:
    """A call as a text of its types: `str + int`, `str.split(str)`, `F.length(str)`."""
    if name.startswith("."):
        return f"{types[0]}{name}({', '.join(map(str, types[1:]))})"
    if name.isidentifier():
        return f"{spelled(name)}({', '.join(map(str, types))})"
    if name == "[::-1]":
        return f"{types[0]}{name}"
    if name in ("[]", "[:]"):
        return f"{types[0]}[{':'.join(map(str, types[1:]))}{':' if name == '[:]' and len(types) == 2 else ''}]"
    return f"{name}{types[0]}" if len(types) == 1 else f"{types[0]} {name} {types[1]}"
