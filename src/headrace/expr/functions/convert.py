"""From one type to another, as `str()`, `int()` and `float()` do it."""

from __future__ import annotations

from headrace.expr.functions.numbers import TOO_BIG
from headrace.expr.functions.row import Function
from headrace.model.types import BOOL, FLOAT, INT, STR


def _integer(thing: str | float) -> int:
    try:
        number = int(thing)
    except ValueError:
        if isinstance(thing, str):
            raise ValueError(f"{shown(thing)} is not an int") from None
        raise ValueError("nan is not an int") from None
    except OverflowError:
        raise OverflowError(f"{thing} is not an int") from None
    if not -(2**63) <= number < 2**63:
        raise OverflowError(TOO_BIG)
    return number


def _floating(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{shown(text)} is not a float") from None


def shown(text: str) -> str:
    """A text in an error, quoted and not too long; the kernel quotes in the same way."""
    return f"'{text}'" if len(text) <= 40 else f"'{text[:40]}'..."


# str() of None is "None" in Python, hence takes_none.
CONVERT = (
    Function("text", (STR,), STR, str, "coalesce({0}, 'None')", takes_none=True),
    Function("text", (INT,), STR, str, "coalesce(CAST({0} AS STRING), 'None')", takes_none=True),
    Function("text", (FLOAT,), STR, str, "coalesce(hr_float_text({0}), 'None')", takes_none=True),
    Function("text", (BOOL,), STR, str, "coalesce(initcap(CAST({0} AS STRING)), 'None')", takes_none=True),
    Function("integer", (STR,), INT, _integer, "hr_text_int({0})"),
    Function("integer", (FLOAT,), INT, _integer, "hr_float_int({0})"),
    Function("integer", (BOOL,), INT, int, "CAST({0} AS BIGINT)"),
    Function("integer", (INT,), INT, int, "{0}"),
    Function("floating", (STR,), FLOAT, _floating, "hr_text_float({0})"),
    Function("floating", (INT,), FLOAT, float, "CAST({0} AS DOUBLE)"),
    Function("floating", (BOOL,), FLOAT, float, "CAST({0} AS DOUBLE)"),
    Function("floating", (FLOAT,), FLOAT, float, "{0}"),
)
