"""`peek` prints on Spark what Python's `str` gives."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest

from headrace.expr import as_expr, bind
from headrace.model.types import BYTES, STR, list_of
from headrace.spark.compile.sql import shown

pytestmark = pytest.mark.spark

VALUES = ["text", 7, -0.0, 1e100, True, None, ("key", 1), (None, 2.5), ["a", "b"], [1, 2], [(False, "x")]]

TEXTS = [
    "",
    "it's",
    'say "so"',
    """it's "both" """,
    "back\\slash\\n",
    "line\nend\r\ttab",
    "nul\0 bell\x07 delete\x7f",
    "zoë, 東京, 𝄞, 👩‍🚀",
    "no-break\xa0space, soft\xadhyphen, line\u2028separator, wide\u3000space",
    "private\ue000use, unassigned\u0378, tag\U000e0041, last\U0010ffff",
    "b'not bytes'",
]


def test_shown_as_python_prints_it(spark: Any) -> None:
    bound = [bind(as_expr(value), {}, "here") for value in VALUES]
    columns = ", ".join(shown(one.type, one.sql({})) for one in bound)
    assert list(spark.sql(f"SELECT {columns}").first()) == [str(value) for value in VALUES]


def test_texts_have_quotes_and_escapes_inside_of_something(spark: Any) -> None:
    bound = [bind(as_expr(value), {}, "here") for text in TEXTS for value in (text, (text, text), [text])]
    columns = ", ".join(shown(one.type, one.sql({})) for one in bound)
    printed = [str(value) for text in TEXTS for value in (text, (text, text), [text])]
    assert list(spark.sql(f"SELECT {columns}").first()) == printed


def test_every_character(spark: Any) -> None:
    # Which characters are assigned depends on the age of a Unicode table: Python's and ICU's may differ there.
    known = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) not in ("Cn", "Co", "Cs")]
    rows = [("".join(known[start : start + 500]),) for start in range(0, len(known), 500)]
    found = spark.createDataFrame(rows, "text string").selectExpr(shown(list_of(STR), "array(text)")).collect()
    assert [row[0] for row in found] == [repr([text]) for (text,) in rows]


def test_bytes(spark: Any) -> None:
    rows = [(bytearray(data),) for data in (b"", bytes(range(256)), b"it's", b'say "so"', b"text", b"\xff\n")]
    found = spark.createDataFrame(rows, "data binary").selectExpr(shown(BYTES, "data")).collect()
    assert [row[0] for row in found] == [str(bytes(data)) for (data,) in rows]
