"""A record that cannot be handled is told with its node, its reason and its place, from any plan Spark makes of it."""

from __future__ import annotations

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from headrace.errors import HeadraceError, RecordFailed, RecordUndecodable
from headrace.expr import Expr, bind, lit, value, when
from headrace.functions import coalesce, is_null
from headrace.model.types import INT, STR, Type
from headrace.serde import STRING
from headrace.spark.compile.sql import decode
from headrace.spark.faults import find_fault

pytestmark = pytest.mark.spark


def fault_of(frame: DataFrame) -> HeadraceError:
    with pytest.raises((PySparkException, Py4JJavaError)) as caught:
        frame.collect()
    found = find_fault(str(caught.value))
    assert found is not None, str(caught.value)
    return found


def sql(expr: Expr, type_: Type = INT) -> str:
    return bind(expr, {"value": type_}, "here").sql({"value": "v"})


def guarded(body: str, where: str = "concat('lines-', p, '@', o)") -> str:
    return f"hr_guard({body}, 'failed', 'map_values (app.py:7)', {where})"


@pytest.fixture
def records(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame([(0, 5, 10), (1, 6, 0), (2, 7, None)], "p int, o bigint, v bigint")


def test_a_fault_names_node_reason_and_place(records: DataFrame) -> None:
    error = fault_of(records.filter("v IS NOT NULL").selectExpr(guarded(sql(100 // value))))
    assert isinstance(error, RecordFailed)
    assert str(error).splitlines()[:2] == [
        "map_values (app.py:7) failed on a record: division by zero",
        "  at: lines-1@6",
    ]


def test_bytes_that_are_not_what_the_serde_says(spark: SparkSession) -> None:
    records = spark.createDataFrame([(bytearray(b"ab\xffc"),)], "v binary")
    error = fault_of(
        records.selectExpr(f"hr_guard({decode(STRING, 'v')}, 'undecodable', 'value STRING', 'lines-2@17')")
    )
    assert isinstance(error, RecordUndecodable)
    assert str(error).splitlines()[:2] == [
        "the value of a record is not STRING: byte 0xff at 2 is not UTF-8",
        "  at: lines-2@17",
    ]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("9223372036854775807L + o", "the result does not fit 64 bits"),
        ("o / 0", "division by zero"),
        ("o % 0", "division by zero"),
        ("CAST(concat('x', o) AS BIGINT)", "'x5' is not a bigint"),
        ("CAST(CAST(o AS DOUBLE) * 1e300 AS BIGINT)", "the result does not fit 64 bits"),
        ("element_at(array(1), 7)", "SparkArrayIndexOutOfBoundsException: [INVALID_ARRAY_INDEX_IN_ELEMENT_AT]"),
        ("hr_some(CAST(NULL AS STRING), 'None has no lower()')", "None has no lower()"),
        ("hr_some(CAST(NULL AS STRING), CAST(X'c3a922270a5c' AS STRING))", "é\"'\n\\"),
    ],
)
def test_reasons_are_words(records: DataFrame, body: str, reason: str) -> None:
    error = fault_of(records.limit(1).selectExpr(guarded(body)))
    assert error.what.startswith(f"map_values (app.py:7) failed on a record: {reason}")


def test_the_innermost_guard_speaks(records: DataFrame) -> None:
    inner = "hr_guard(100L DIV v, 'failed', 'inner', 'there')"
    assert "inner failed" in str(fault_of(records.selectExpr(guarded(inner))))


def test_the_place_is_computed_only_for_a_fault(records: DataFrame) -> None:
    whole = records.filter("v > 0").selectExpr(guarded("v + 1", where="raise_error('asked for the place')"))
    assert [tuple(row) for row in whole.collect()] == [(11,)]


def test_null_passes(records: DataFrame) -> None:
    found = records.selectExpr(f"{guarded('v')} AS v", f"{guarded('CAST(NULL AS STRING)')} AS n").collect()
    assert [tuple(row) for row in found] == [(10, None), (0, None), (None, None)]


def test_two_guards_share_nothing_outside_their_try(records: DataFrame) -> None:
    # Spark computes what several columns have in common once, before them: outside of both guards.
    common = "100L DIV v"
    frame = records.filter("p = 1").selectExpr(guarded(f"{common} + 1"), guarded(f"{common} + 2"))
    assert "division by zero" in str(fault_of(frame))


def test_a_place_that_several_guards_share_is_not_computed_ahead(records: DataFrame) -> None:
    body, place = guarded("v + 1", where="raise_error('asked')"), guarded("v + 2", where="raise_error('asked')")
    assert len(records.filter("v > 0").selectExpr(body, place).collect()) == 1


@pytest.mark.parametrize(
    "expr",
    [
        is_null(1 // value),
        (1 // value) == None,  # noqa: E711
        when((1 // value) > 0, 7).otherwise(7),
        ((1 // value) > 0) & lit(False),
        ((1 // value) > 0) | lit(True),
        coalesce(1 // value, 5),
        (1 // value) == (1 // value),
        lit(5) // lit(0),
        when(lit(True), lit(5) // lit(0)).otherwise(value),
    ],
    ids=repr,
)
def test_the_optimizer_drops_nothing_that_raises(expr: Expr, records: DataFrame) -> None:
    assert "division by zero" in str(fault_of(records.filter("p = 1").selectExpr(guarded(sql(expr)))))


@pytest.mark.parametrize("expr", [lit(False) & (1 // value > 0), when(value == 0, 0).otherwise(1 // value)], ids=repr)
def test_what_is_not_reached_does_not_raise(expr: Expr, records: DataFrame) -> None:
    assert len(records.filter("p = 1").selectExpr(guarded(sql(expr))).collect()) == 1


def test_a_constant_that_raises_waits_for_a_record(records: DataFrame) -> None:
    assert records.filter("p = 99").selectExpr(guarded(sql(lit(5) // lit(0)))).collect() == []


def test_filters_keep_their_order(records: DataFrame) -> None:
    names = records.selectExpr("CASE WHEN v > 0 THEN 'a' END AS v", "p", "o")
    kept = names.filter(guarded(sql(~is_null(value), STR))).selectExpr(f"{guarded(sql(value.upper(), STR))} AS u")
    assert [row.u for row in kept.filter("u = 'A'").collect()] == ["A"]
