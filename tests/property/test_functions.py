"""Functions of any of the syntax that is traced give as expressions what Python gives, and fail where it fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.drawn_functions import PARAMETERS, ROWS, drawn
from headrace.expr import Bound


def outcome(function: Callable[..., Any], row: tuple[Any, ...]) -> str:
    """What a function gives as text, which tells 1 from True and 0.0 from -0.0; or that it fails."""
    try:
        return repr(function(*row))
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError):
        return "it fails"


def computed(bound: Bound) -> Callable[..., Any]:
    run = bound.python()
    return lambda *row: run(dict(zip(PARAMETERS, row, strict=True)))


def test_drawn_functions_mean_the_same_as_expressions() -> None:
    functions = drawn(seed=7, count=500)
    wrong = [
        f"{source}{row}: Python {outcome(function, row)}, {bound} {outcome(computed(bound), row)}"
        for source, function, bound in functions
        if bound is not None
        for row in ROWS
        if outcome(function, row) != outcome(computed(bound), row)
    ]
    assert wrong == []
    assert sum(bound is not None for *_, bound in functions) > 0.6 * len(functions)
