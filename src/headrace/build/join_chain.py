"""Joins of more than two sides in one call: a chain of joins of two, whose results in between nobody sees.

a.join([b, c], f) is a.join(b, (a, b)).join(c, f)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from headrace.build.functions import bound_on
from headrace.build.join_keys import On
from headrace.errors import OptionInvalid
from headrace.expr import Bound, Expr
from headrace.expr.bound import Input
from headrace.expr.tuples import Given, ItemOf, Tuple
from headrace.model.types import TupleType, tuple_of
from headrace.plan.nodes import Node


@dataclass(frozen=True)
class Gather:
    """The joiner of all joins of a chain but the last: puts the values so far into a tuple."""

    joined: int
    """How many values there are on the left."""

    def bound(self, _op: str, left: Node, right: Node, _here: str) -> Bound:
        """The expression for these two sides."""
        values = _values(left, right, self.joined)
        return Tuple(tuple_of(*(value.type for value in values)), False, f"({', '.join(map(str, values))})", values)


@dataclass(frozen=True)
class Spread:
    """The joiner of the last join of a chain: the user's function of all values, or of the key and all values."""

    function: Callable[..., Any] | Expr
    joined: int

    def bound(self, op: str, left: Node, right: Node, here: str) -> Bound:
        """The expression for these two sides."""
        values, key = _values(left, right, self.joined), left.output().key.type
        names = tuple(f"value{number}" for number in range(1, len(values) + 1))
        given = (("key", Input(key, True, "key", "key")), *zip(names, values, strict=True))
        symbols = {name: value.type for name, value in given}
        joiner = bound_on(op, self.function, (names, ("key", *names)), symbols, here)
        return Given(joiner.type, joiner.nullable, joiner.text, joiner, given)


Chained = Gather | Spread

Step = Callable[[Node, Node, On | None, Chained, str | None, str | None, bool], Node]
"""One join: left, right, on, joiner, store, name, and whether the left side has several values already."""


def join_chain(
    first: Node,
    others: Sequence[Node],
    joiner: Callable[..., Any] | Expr,
    on: object,
    store: str | None,
    name: str | None,
    here: str,
    step: Step,
) -> Node:
    """Join a node with the others, one after the other.

    The last join has the names the user gave, those before it the same with the path of what they have joined so far.
    """
    left = first
    for place, (right, by) in enumerate(zip(others, _each(on, others, here), strict=True), 1):
        if place == len(others):
            return step(left, right, by, Spread(joiner, place), store, name, place > 1)
        path = "-".join(other.name for other in others[:place])
        left = step(left, right, by, Gather(place), store and f"{store}.{path}", name and f"{name}.{path}", place > 1)
    raise AssertionError("there is a last one")


def _each(on: Any, others: Sequence[Node], here: str) -> list[On | None]:
    if on is None:
        return [None] * len(others)
    if not isinstance(on, list | tuple) or len(on) != len(others):
        allowed = f"a list of {len(others)}, one for each of the others: a function, names of fields, or None"
        raise OptionInvalid("on", on, allowed, here)
    return list(on)


def _values(left: Node, right: Node, joined: int) -> tuple[Bound, ...]:
    so_far = Input(left.output().value.type, True, "left" if joined > 1 else "value1", "left")
    new = Input(right.output().value.type, True, f"value{joined + 1}", "right")
    if joined == 1:
        return (so_far, new)
    assert isinstance(so_far.type, TupleType)
    items = enumerate(so_far.type.items)
    # In an outer join the whole left side may be None.
    taken = [ItemOf(type_, True, f"value{at + 1}", so_far, at, or_none=True) for at, type_ in items]
    return (*taken, new)
