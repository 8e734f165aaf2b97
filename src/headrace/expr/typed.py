"""Types of functions by name, for type checkers: values give values, expressions give expressions.

They are written with the types of what they compute, which is what lambdas of records see; an expression is what they
give, always. So a checker is told the types of `lambda order: F.length(order.customer)`, and those of
`F.length(hr.value)`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar, cast, overload

from headrace.expr.syntax import Expr, call

R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
T = TypeVar("T")


class OfOne(Protocol[R_co]):
    """A function of one argument."""

    @overload
    def __call__(self, thing: Expr, /) -> Expr: ...

    @overload
    def __call__(self, thing: object, /) -> R_co: ...


class OfTwo(Protocol[R_co]):
    """A function of two arguments, one of which may be an expression."""

    @overload
    def __call__(self, first: Expr, second: object, /) -> Expr: ...

    @overload
    def __call__(self, first: object, second: Expr, /) -> Expr: ...

    @overload
    def __call__(self, first: object, second: object, /) -> R_co: ...


class OfText(Protocol[R_co]):
    """A function of a text and a pattern."""

    @overload
    def __call__(self, text: Expr, pattern: str) -> Expr: ...

    @overload
    def __call__(self, text: object, pattern: str) -> R_co: ...


class OfSome(Protocol):
    """A function that gives one of its arguments, or something made of them, of their type."""

    @overload
    def __call__(self, first: Expr, /, *others: object) -> Expr: ...

    @overload
    def __call__(self, first: object, second: Expr, /, *others: object) -> Expr: ...

    @overload
    def __call__(self, first: T, /, *others: T) -> T: ...


class OfMaybe(Protocol):
    """A function that gives the first of its arguments that is there."""

    @overload
    def __call__(self, first: Expr, /, *others: object) -> Expr: ...

    @overload
    def __call__(self, first: object, second: Expr, /, *others: object) -> Expr: ...

    @overload
    def __call__(self, first: T | None, /, *others: T) -> T: ...


@overload
def on_values(function: Callable[[object], R]) -> OfOne[R]: ...


@overload
def on_values(function: Callable[[object, object], R]) -> OfTwo[R]: ...


def on_values(function: Any) -> Any:
    """A function with the types of what it computes, for a type checker."""
    return function


def on_texts(function: Callable[[object, str], R]) -> OfText[R]:
    """Types of a function of a text and a pattern."""
    return cast(OfText[R], function)


def of_some(function: Callable[..., Expr]) -> OfSome:
    """Types of a function whose result has the type of its arguments."""
    return cast(OfSome, function)


def of_maybe(function: Callable[..., Expr]) -> OfMaybe:
    """Types of a function that gives the first of its arguments that is there."""
    return cast(OfMaybe, function)


def computed(function: str, *args: object) -> R:  # type: ignore[type-var]
    """Expression of a function of the table, which stands for a value of the type that is written."""
    return cast(R, call(function, *args))
