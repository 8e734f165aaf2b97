"""Arithmetic. An int is 64 bits: a result that does not fit raises, in Python too."""

from __future__ import annotations

import operator
from collections.abc import Callable

from headrace.expr.functions.row import Function, Overflow
from headrace.model.narrow import fits
from headrace.model.types import FLOAT, INT, Type


def fitting(number: int, bits: int = 64) -> int:
    """The number, if so many bits hold it."""
    if not fits(number, bits):
        raise OverflowError(f"the result does not fit {bits} bits")
    return number


def wrapped(number: int, bits: int) -> int:
    """The lowest bits of a number, as two's complement."""
    half = 1 << (bits - 1)
    return ((number + half) & ((1 << bits) - 1)) - half


def _dividing(function: Callable[..., float]) -> Callable[..., float]:
    def divide(number: float, by: float) -> float:
        if by == 0:  # one wording for ints, floats and remainders
            raise ZeroDivisionError("division by zero")
        return function(number, by)

    return divide


def _floored(number: int, by: int) -> int:
    if by == 0:
        raise ZeroDivisionError("division by zero")
    return number // by


def _ints(name: str, takes: tuple[Type, ...], python: Callable[..., int], sql: str) -> Function:
    return Function(name, takes, INT, python, sql, overflow=Overflow.RAISES)


_II, _FF = (INT, INT), (FLOAT, FLOAT)

# The ints go through the kernel as well: Spark's own operators wrap or raise as the session's ANSI setting says.
NUMBERS = (
    _ints("+", _II, operator.add, "hr_int_add{overflow}({0}, {1})"),
    _ints("-", _II, operator.sub, "hr_int_sub{overflow}({0}, {1})"),
    _ints("*", _II, operator.mul, "hr_int_mul{overflow}({0}, {1})"),
    _ints("//", _II, _floored, "hr_int_floordiv({0}, {1})"),
    Function("%", _II, INT, _dividing(operator.mod), "hr_int_mod({0}, {1})"),
    Function("/", _II, FLOAT, _dividing(operator.truediv), "hr_int_truediv({0}, {1})"),
    _ints("-", (INT,), operator.neg, "hr_int_neg{overflow}({0})"),
    Function("+", _FF, FLOAT, operator.add, "({0} + {1})"),
    Function("-", _FF, FLOAT, operator.sub, "({0} - {1})"),
    Function("*", _FF, FLOAT, operator.mul, "({0} * {1})"),
    Function("//", _FF, FLOAT, _dividing(operator.floordiv), "hr_float_floordiv({0}, {1})"),
    Function("%", _FF, FLOAT, _dividing(operator.mod), "hr_float_mod({0}, {1})"),
    Function("/", _FF, FLOAT, _dividing(operator.truediv), "hr_float_truediv({0}, {1})"),
    Function("-", (FLOAT,), FLOAT, operator.neg, "hr_float_neg({0})"),
)
