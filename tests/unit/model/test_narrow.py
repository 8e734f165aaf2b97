"""Numbers that have to fit, and types with limits: what they print as, and what is said when they are wrong."""

from __future__ import annotations

from decimal import Decimal

import pytest

import headrace.types as T
from headrace.errors import OptionInvalid
from headrace.model.narrow import exactly, narrowed
from headrace.model.types import DECIMAL, INT, INT32, decimal_of, wider

PRICE = decimal_of(4, 2)


@pytest.mark.parametrize(
    ("number", "found"),
    [("1", "1.00"), ("1.5", "1.50"), ("-99.99", "-99.99"), ("1E+1", "10.00"), ("-0", "0.00"), ("0E+99", "0.00")]
    + [(number, None) for number in ("1.505", "100", "1E+999999", "1E-999999", "NaN", "Infinity")],
)
def test_a_decimal_has_all_its_digits_or_does_not_fit(number: str, found: str | None) -> None:
    assert str(exactly(Decimal(number), PRICE)) == str(found)


def test_what_does_not_fit_is_said() -> None:
    assert narrowed(2**31 - 1, INT32) == 2**31 - 1
    with pytest.raises(ValueError, match="it is 2147483648, which does not fit 32 bits"):
        narrowed(2**31, INT32)
    with pytest.raises(ValueError, match=r"it is 1\.505, which does not fit decimal\(4, 2\)"):
        narrowed(Decimal("1.505"), PRICE)


def test_limited_types_are_computed_with_as_others() -> None:
    assert [wider(one) for one in (INT32, PRICE, INT, DECIMAL)] == [INT, DECIMAL, None, None]
    assert (str(T.decimal(10, 2)), T.decimal(5), T.decimal(10, 2).sql) == (
        "decimal(10, 2)",
        decimal_of(5, 0),
        "decimal(10,2)",
    )


@pytest.mark.parametrize(
    ("precision", "scale", "words"),
    [(0, 0, "from 1 to 38"), (39, 0, "from 1 to 38"), (4, 5, "from 0 to the 4 in all"), (4, -1, "from 0 to the 4")],
)
def test_no_such_decimal(precision: int, scale: int, words: str) -> None:
    with pytest.raises(OptionInvalid, match=words):
        T.decimal(precision, scale)
