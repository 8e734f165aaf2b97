"""Numbers: rounding, sizes, bits. Only what is the same to the last bit everywhere: no logarithms, no sines."""

from __future__ import annotations

import math

from headrace.expr.functions.numbers import fitting
from headrace.expr.functions.row import Function
from headrace.model.types import BOOL, FLOAT, INT


def _whole(number: float) -> float:
    if not math.isfinite(number):
        raise OverflowError(f"{number} is not an int")
    return number


def _power(number: int, power: int) -> int:
    if power < 0:
        raise ValueError("a negative power of an int is not an int")
    if abs(number) > 1 and power > 63:
        fitting(2**63)
    return fitting(number**power)


def _root(number: float) -> float:
    if number < 0:
        raise ValueError("a negative number has no square root")
    return math.sqrt(number)


def _digits(number: float, digits: int) -> float:
    try:
        return round(number, digits)
    except OverflowError:
        raise OverflowError("the rounded number does not fit a float") from None


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


_I, _F, _II, _FF = (INT,), (FLOAT,), (INT, INT), (FLOAT, FLOAT)
ROUNDING = (
    Function("absolute", _I, INT, lambda number: fitting(abs(number)), "hr_absolute({0})"),
    Function("absolute", _F, FLOAT, abs, "hr_absolute_float({0})"),
    Function("rounded", _I, INT, lambda number: number, "{0}"),
    Function("rounded", _F, INT, lambda number: fitting(round(_whole(number))), "hr_rounded({0})"),
    Function("rounded", (FLOAT, INT), FLOAT, _digits, "hr_rounded_to({0}, {1})"),
    Function("floor", _I, INT, lambda number: number, "{0}"),
    Function("floor", _F, INT, lambda number: fitting(math.floor(_whole(number))), "hr_floor({0})"),
    Function("ceil", _I, INT, lambda number: number, "{0}"),
    Function("ceil", _F, INT, lambda number: fitting(math.ceil(_whole(number))), "hr_ceil({0})"),
    Function("square_root", _F, FLOAT, _root, "hr_square_root({0})"),
    Function("sign", _I, INT, _sign, "hr_sign({0})"),
    Function("**", _II, INT, _power, "hr_power({0}, {1})"),
    Function("least", _II, INT, min, "least({0}, {1})"),
    Function("least", _FF, FLOAT, lambda a, b: b if b < a else a, "hr_least({0}, {1})"),
    Function("greatest", _II, INT, max, "greatest({0}, {1})"),
    Function("greatest", _FF, FLOAT, lambda a, b: b if b > a else a, "hr_greatest({0}, {1})"),
    Function("gcd", _II, INT, lambda a, b: fitting(math.gcd(a, b)), "hr_gcd({0}, {1})"),
    Function("is_nan", _F, BOOL, math.isnan, "isnan({0})"),
    Function("is_finite", _F, BOOL, math.isfinite, "hr_is_finite({0})"),
    Function(".is_integer", _F, BOOL, float.is_integer, "hr_is_integer({0})"),
    Function(".bit_length", _I, INT, int.bit_length, "hr_bit_length({0})"),
    Function(".bit_count", _I, INT, lambda number: bin(number).count("1"), "hr_bit_count({0})"),
    Function("bit_and", _II, INT, lambda a, b: a & b, "({0} & {1})"),
    Function("bit_or", _II, INT, lambda a, b: a | b, "({0} | {1})"),
    Function("bit_xor", _II, INT, lambda a, b: a ^ b, "({0} ^ {1})"),
)
