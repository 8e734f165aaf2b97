"""Upper and lower case, and the kinds of letters, over all characters there are."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

# Letters that older Unicode has, and that got a partner or another kind after Python 3.11's Unicode 14.
CHANGED = set("\u019b\u0264\ua7d3\ua7d5\u0295\U0001171e\u10fc\ua7f2\ua7f3\ua7f4\uab69")
KNOWN = [
    letter
    for letter in map(chr, range(0x110000))
    if unicodedata.category(letter) not in ("Cn", "Cs", "Co") and letter not in CHANGED
]


def texts() -> list[str]:
    """Every letter, alone and beside a sigma or a dot, whose case depends on what stands around."""
    rng = random.Random(3)
    cased = [letter for letter in KNOWN if len({letter, letter.lower(), letter.upper(), letter.casefold()}) > 1]
    around = [form.format(letter) for letter in cased for form in ("aΣ{}", "a{}Σ", "aΣ{}b", "{}\u0307", "I{}\u0307")]
    marks = "Σ\u03c3ςAaİ\u0131Iß'\u2019.:·\u0307\u0301 ʰ1_ﬁǅΐ\u00ad\u180e"
    return KNOWN + around + ["".join(rng.choice(marks) for _ in range(6)) for _ in range(5000)]


def test_letters_change_their_case_as_in_python(spark: SparkSession) -> None:
    forms: dict[str, Callable[[str], object]] = {"lower": str.lower, "upper": str.upper, "casefold": str.casefold}
    forms |= {"capitalize": str.capitalize, "title": str.title, "swapcase": str.swapcase}
    compare(spark, forms, texts())


def test_letters_are_of_the_same_kind_as_in_python(spark: SparkSession) -> None:
    kinds = ["alpha", "digit", "decimal", "alnum", "space", "upper", "lower", "ascii"]
    compare(spark, {f"is{kind}": getattr(str, f"is{kind}") for kind in kinds}, texts())


def compare(spark: SparkSession, forms: dict[str, Callable[[str], object]], texts: list[str]) -> None:
    frame = spark.createDataFrame([(text,) for text in texts], "t string", verifySchema=False)
    found = frame.selectExpr("t", *(f"hr_{name}(t) AS {name}" for name in forms)).collect()
    for name, python in forms.items():
        assert [(row.t, row[name]) for row in found if row[name] != python(row.t)] == []
