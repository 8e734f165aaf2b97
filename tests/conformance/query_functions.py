"""Functions as a language of queries means them: ints wrap, a comparison with null is false, a bad cast gives null."""

from __future__ import annotations

import operator
from typing import Any

from headrace.expr.functions import ANY, Fails, Function, FunctionTable, Null, Overflow
from headrace.model.types import BOOL, INT, INT32, STR, Type


def wrapping(name: str, python: Any, sql: str) -> list[Function]:
    """Arithmetic of ints that wraps, and gives null for null."""
    return [
        Function(
            name,
            (type_, type_),
            type_,
            python,
            f"hr_{bits}_{sql}{{overflow}}({{0}}, {{1}})",
            Null.GIVES_NULL,
            Overflow.WRAPS,
        )
        for type_, bits in ((INT32, "int32"), (INT, "int"))
    ]


def comparing(name: str, python: Any, type_: Type) -> Function:
    """A comparison that is false with null."""
    return Function(name, (type_, type_), BOOL, python, f"({{0}} {name} {{1}})", Null.GIVES_FALSE)


def whole_quotient(number: int, by: int) -> int:
    if by == 0:
        raise ZeroDivisionError("division by zero")
    return number // by


QUERIES = FunctionTable(
    (
        *wrapping("+", operator.add, "add"),
        *wrapping("-", operator.sub, "sub"),
        *wrapping("*", operator.mul, "mul"),
        comparing("<", operator.lt, INT32),
        comparing("<", operator.lt, INT),
        comparing("<", operator.lt, STR),
        Function(
            "/",
            (INT, INT),
            INT,
            whole_quotient,
            "hr_int_floordiv({0}, {1})",
            Null.GIVES_NULL,
            Overflow.RAISES,
            Fails.GIVES_NULL,
        ),
        Function("cast_int", (STR,), INT, int, "hr_text_int({0})", Null.GIVES_NULL, Overflow.RAISES, Fails.GIVES_NULL),
        Function("cast_int32", (INT,), INT32, int, "hr_int_int32{overflow}({0})", Null.GIVES_NULL, Overflow.WRAPS),
        Function("exact_int32", (INT,), INT32, int, "hr_int_int32{overflow}({0})", Null.RAISES, Overflow.RAISES),
        Function(
            "case",
            (BOOL, ANY, ANY),
            ANY,
            lambda condition, then, otherwise: then() if condition() else otherwise(),
            "(CASE WHEN {0} THEN {1} ELSE {2} END)",
            Null.OWN,
            gives_none=lambda _, then, otherwise: then or otherwise,
            lazy=True,
        ),
    ),
    field_of_none=Null.GIVES_NULL,
)
