"""Arithmetic. An int is 64 bits: a result that does not fit raises, in Python too."""

from __future__ import annotations

import operator
from collections.abc import Callable

from headrace.expr.functions.row import Function
from headrace.model.types import FLOAT, INT

TOO_BIG = "the result does not fit 64 bits"


def fitting(number: int) -> int:
    """The number, if 64 bits hold it."""
    if not -(2**63) <= number < 2**63:
        raise OverflowError(TOO_BIG)
    return number


def _checked(function: Callable[..., int]) -> Callable[..., int]:
    return lambda *numbers: fitting(function(*numbers))


def _dividing(function: Callable[..., float]) -> Callable[..., float]:
    def divide(number: float, by: float) -> float:
        if by == 0:  # one wording for ints, floats and remainders
            raise ZeroDivisionError("division by zero")
        return function(number, by)

    return divide


def _floored(number: int, by: int) -> int:
    if by == 0:
        raise ZeroDivisionError("division by zero")
    return fitting(number // by)


_II, _FF = (INT, INT), (FLOAT, FLOAT)

# The ints go through the kernel as well: Spark's own operators wrap or raise as the session's ANSI setting says.
NUMBERS = (
    Function("+", _II, INT, _checked(operator.add), "hr_int_add({0}, {1})"),
    Function("-", _II, INT, _checked(operator.sub), "hr_int_sub({0}, {1})"),
    Function("*", _II, INT, _checked(operator.mul), "hr_int_mul({0}, {1})"),
    Function("//", _II, INT, _floored, "hr_int_floordiv({0}, {1})"),
    Function("%", _II, INT, _dividing(operator.mod), "hr_int_mod({0}, {1})"),
    Function("/", _II, FLOAT, _dividing(operator.truediv), "hr_int_truediv({0}, {1})"),
    Function("-", (INT,), INT, _checked(operator.neg), "hr_int_neg({0})"),
    Function("+", _FF, FLOAT, operator.add, "({0} + {1})"),
    Function("-", _FF, FLOAT, operator.sub, "({0} - {1})"),
    Function("*", _FF, FLOAT, operator.mul, "({0} * {1})"),
    Function("//", _FF, FLOAT, _dividing(operator.floordiv), "hr_float_floordiv({0}, {1})"),
    Function("%", _FF, FLOAT, _dividing(operator.mod), "hr_float_mod({0}, {1})"),
    Function("/", _FF, FLOAT, _dividing(operator.truediv), "hr_float_truediv({0}, {1})"),
    Function("-", (FLOAT,), FLOAT, operator.neg, "hr_float_neg({0})"),
)
