"""Comparison, truth, choice, None."""

from __future__ import annotations

import operator

from headrace.expr.functions.row import ANY, KEY, Function, Null
from headrace.model.types import BOOL, BYTES, DATE, DATETIME, FLOAT, INT, STR, TIME, dict_of, list_of

_SPARKS = (INT, STR, BOOL, BYTES, DATETIME, DATE, TIME)
# Spark takes NaN for equal to NaN and for the greatest number, Python for neither; and an int with a float is compared
# exactly, not after rounding the int: the kernel compares these.
_KERNELS = ((FLOAT, FLOAT), (INT, FLOAT), (FLOAT, INT))


def _equality() -> list[Function]:
    rows = []
    for types, same in [((type_, type_), "({0} <=> {1})") for type_ in _SPARKS] + [
        (types, "hr_same({0}, {1})") for types in _KERNELS
    ]:
        rows += [
            Function("==", types, BOOL, operator.eq, same, null=Null.OWN),
            Function("!=", types, BOOL, operator.ne, f"(NOT {same})", null=Null.OWN),
        ]
    return rows


def _order() -> list[Function]:
    rows = []
    for name, word in {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}.items():
        python = getattr(operator, word)
        rows += [Function(name, (type_, type_), BOOL, python, f"({{0}} {name} {{1}})") for type_ in _SPARKS]
        rows += [Function(name, types, BOOL, python, f"hr_{word}({{0}}, {{1}})") for types in _KERNELS]
    return rows


def _truth() -> list[Function]:
    """`bool()`, whose rows take None: it is false."""
    tests = {
        BOOL: "{0}",
        STR: "octet_length({0}) > 0",
        BYTES: "octet_length({0}) > 0",
        INT: "{0} != 0",
        FLOAT: "({0} IS NOT NULL AND NOT hr_same({0}, 0D))",
        list_of(ANY): "cardinality({0}) > 0",
        dict_of(ANY, KEY): "cardinality({0}) > 0",
        DATETIME: "{0} IS NOT NULL",
        DATE: "{0} IS NOT NULL",
        TIME: "{0} IS NOT NULL",
    }
    return [
        Function("bool", (type_,), BOOL, bool, f"coalesce({test}, FALSE)", null=Null.OWN)
        for type_, test in tests.items()
    ]


def _choices() -> list[Function]:
    """Both stop early; the parts of an `if` have one type, for what it gives is Python's own value."""
    return [
        Function(
            name,
            (BOOL, ANY, ANY),
            ANY,
            lambda condition, then, otherwise: then() if condition() else otherwise(),
            "(CASE WHEN {0} THEN {1} ELSE {2} END)",
            null=Null.OWN,
            gives_none=lambda _, then, otherwise: then or otherwise,
            lazy=True,
        )
        for name in ("when", "if")
    ]


LOGIC = (
    *_equality(),
    *_order(),
    # Both stop early, as `and` and `or` do: they stand in for what Python does not let an expression overload.
    Function("&", (BOOL, BOOL), BOOL, lambda left, right: left() and right(), "hr_and({0}, {1})", lazy=True),
    Function("|", (BOOL, BOOL), BOOL, lambda left, right: left() or right(), "hr_or({0}, {1})", lazy=True),
    Function("~", (BOOL,), BOOL, operator.not_, "(NOT {0})"),
    *_choices(),
    *_truth(),
    Function(
        "coalesce",
        (ANY, ANY),
        ANY,
        lambda first, second: second() if (found := first()) is None else found,
        "coalesce({0}, {1})",
        null=Null.OWN,
        gives_none=lambda first, second: first and second,
        lazy=True,
    ),
    Function("is_null", (ANY,), BOOL, lambda thing: thing is None, "({0} IS NULL)", null=Null.OWN),
    Function(".is_null", (ANY,), BOOL, lambda thing: thing is None, "({0} IS NULL)", null=Null.OWN),
)
