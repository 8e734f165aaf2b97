"""From one type to another, as `str()`, `int()` and `float()` do it."""

from __future__ import annotations

from headrace.expr.functions.numbers import fitting
from headrace.expr.functions.row import ANY, Function, Null
from headrace.model.types import BOOL, DECIMAL, FLOAT, INT, STR, Type


def _integer(thing: str | float) -> int:
    try:
        number = int(thing)
    except ValueError:
        if isinstance(thing, str):
            raise ValueError(f"{shown(thing)} is not an int") from None
        raise ValueError("nan is not an int") from None
    except OverflowError:
        raise OverflowError(f"{thing} is not an int") from None
    return fitting(number)


def _floating(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{shown(text)} is not a float") from None


def shown(text: str) -> str:
    """A text in an error, quoted and not too long; the kernel quotes in the same way."""
    return f"'{text}'" if len(text) <= 40 else f"'{text[:40]}'..."


def _text(type_: Type, sql: str) -> Function:
    # str() of None is "None" in Python, and that of a member of an Enum is not always that of its value.
    return Function("text", (type_,), STR, str, f"coalesce({sql}, 'None')", null=Null.OWN, of_members=False)


CONVERT = (
    _text(STR, "{0}"),
    _text(INT, "CAST({0} AS STRING)"),
    _text(FLOAT, "hr_float_text({0})"),
    _text(BOOL, "initcap(CAST({0} AS STRING))"),
    _text(DECIMAL, "{0}"),
    _text(ANY, "hr_shown({0}, {shape})"),
    Function("integer", (STR,), INT, _integer, "hr_text_int({0})"),
    Function("integer", (FLOAT,), INT, _integer, "hr_float_int({0})"),
    Function("integer", (BOOL,), INT, int, "CAST({0} AS BIGINT)"),
    Function("integer", (INT,), INT, int, "{0}"),
    Function("floating", (STR,), FLOAT, _floating, "hr_text_float({0})"),
    Function("floating", (INT,), FLOAT, float, "CAST({0} AS DOUBLE)"),
    Function("floating", (BOOL,), FLOAT, float, "CAST({0} AS DOUBLE)"),
    Function("floating", (FLOAT,), FLOAT, float, "{0}"),
)
