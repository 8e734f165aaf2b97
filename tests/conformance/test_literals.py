"""Constants come back from Spark's parser as they went in, whatever they hold."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from conformance.both_forms import plain
from conformance.samples import BYTESES, FLOATS, INTS, STRS
from headrace.expr import bind, lit

pytestmark = pytest.mark.spark

NASTY = ["'", "''", "\\", "\\'", '"', "`", "${spark.app.name}", "${", "$", "--", "/* */", ";", "?", ":x", "{0}", "{}"]
NASTY += ["\n", "\r\n", "\t", "\x00", "\x1a", "\\n", "\\u0041", "\\0", "\u2028", "😀", "'😀'", "a'||'b", "r'x'", "\x7f"]
ODD: list[Any] = [
    True,
    False,
    None,
    [],
    [None],
    ["a", None],
    ("k", None),
    [("a", 1), ("b", None)],
    [[1], []],
    (None, []),
]
EDGES: dict[str, list[Any]] = {"nasty": NASTY, "str": STRS, "int": INTS, "float": FLOATS, "bytes": BYTESES, "odd": ODD}

constants = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.text("'\\$`{}\"\n\x00%_-x"),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.binary(max_size=9),
)


def back(spark: SparkSession, values: list[Any]) -> list[object]:
    bounds = [bind(lit(value), {}, "here") for value in values]
    frame = spark.range(1).selectExpr(*(f"{bound.sql({})} AS c{at}" for at, bound in enumerate(bounds)))
    assert [field.dataType.simpleString() for field in frame.schema] == [bound.type.sql for bound in bounds]
    return [plain(value) for value in frame.collect()[0]]


@pytest.mark.parametrize("values", EDGES.values(), ids=EDGES.keys())
def test_edges_come_back(values: list[Any], spark: SparkSession) -> None:
    assert repr(back(spark, values)) == repr(values)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(constants, min_size=30, max_size=60))
def test_drawn_constants_come_back(spark: SparkSession, values: list[Any]) -> None:
    assert repr(back(spark, values)) == repr(values)


def test_a_constant_does_not_depend_on_how_the_session_reads_strings(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.parser.escapedStringLiterals", "true")
    try:
        assert back(spark, NASTY) == NASTY
    finally:
        spark.conf.unset("spark.sql.parser.escapedStringLiterals")
