"""Runs expressions in both forms over many rows, few Spark jobs: values are compared, and so are refusals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from headrace.errors import RecordFailed
from headrace.expr import Bound
from headrace.model.types import Type
from headrace.runtime.faults import find_fault

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Refused:
    """Instead of a value: the words with which a form raised."""

    reason: str


def names(count: int) -> list[str]:
    """The symbols that stand for the columns of a row."""
    return [f"a{place}" for place in range(count)]


def differences(spark: SparkSession, bounds: Sequence[Bound], types: Sequence[Type], rows: Sequence[Row]) -> list[str]:
    """Where the two forms of expressions over columns of these types give something else."""
    symbols = names(len(types))
    forms = []
    for bound in bounds:
        python = bound.python()
        forms.append((lambda *row, run=python: run(dict(zip(symbols, row, strict=True))), _sql(bound, len(types))))
    return _differences(spark, [str(bound) for bound in bounds], forms, types, rows)


def differing(
    spark: SparkSession, python: Callable[..., object], sql: str, type_: Type, values: Sequence[object]
) -> list[str]:
    """Where a Python function and SQL text of the column `a0` give something else."""
    return _differences(spark, [sql], [(python, sql)], [type_], [(value,) for value in values])


def _differences(
    spark: SparkSession,
    titles: Sequence[str],
    forms: Sequence[tuple[Callable[..., object], str]],
    types: Sequence[Type],
    rows: Sequence[Row],
) -> list[str]:
    # repr tells 0.0 from -0.0 and 1 from True, and takes NaN for NaN
    expected = [[_attempt(python, row) for row in rows] for python, _ in forms]
    found = _in_catalyst(spark, [sql for _, sql in forms], types, rows, expected)
    return [
        f"{title}, {row!r}: Python {want!r}, Catalyst {have!r}"
        for title, wants, haves in zip(titles, expected, found, strict=True)
        for row, want, have in zip(rows, wants, haves, strict=True)
        if repr(want) != repr(have)
    ]


def _attempt(python: Callable[..., object], row: Row) -> object:
    try:
        return python(*row)
    except (TypeError, ValueError, ArithmeticError, LookupError) as exc:
        return Refused(str(exc))


def _in_catalyst(
    spark: SparkSession, texts: Sequence[str], types: Sequence[Type], rows: Sequence[Row], expected: list[list[object]]
) -> list[list[object]]:
    """What SQL texts give for each row, all values in one job.

    A job ends with the first exception: rows that Python refuses run one by one, two for each reason, at most 100.
    """
    guarded = [f"hr_guard({sql}, 'failed', 'it', 'here')" for sql in texts]
    skips = [(*row, [isinstance(column[place], Refused) for column in expected]) for place, row in enumerate(rows)]
    collected = (
        spark.createDataFrame(skips, f"{_schema(types)}, skip array<boolean>", verifySchema=False)
        .selectExpr(*(f"CASE WHEN NOT skip[{at}] THEN {sql} END AS r{at}" for at, sql in enumerate(guarded)))
        .collect()
    )
    results: list[list[object]] = [[plain(row[at]) for row in collected] for at in range(len(texts))]
    one_by_one = _OneByOne(spark.createDataFrame(rows, _schema(types), verifySchema=False), guarded)
    for at, (wanted, result) in enumerate(zip(expected, results, strict=True)):
        by_reason: dict[str, list[int]] = {}
        for place, one in enumerate(wanted):
            if isinstance(one, Refused):
                result[place] = one
                by_reason.setdefault(one.reason, []).append(place)
        places = [place for some in by_reason.values() for place in some[:2]][:100]
        for place, reason in zip(places, one_by_one.refusals(at, places), strict=True):
            result[place] = reason
    return results


def plain(value: Any) -> object:
    """A value from Spark as the Python form has it."""
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, datetime):  # pyspark gives moments in the zone of the machine, without naming it
        return value.astimezone(UTC)
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    return [plain(item) for item in value] if isinstance(value, list) else value


def _sql(bound: Bound, width: int) -> str:
    return bound.sql({name: f"`{name}`" for name in names(width)})


def _schema(types: Sequence[Type]) -> str:
    return ", ".join(f"{name} {type_.sql}" for name, type_ in zip(names(len(types)), types, strict=True))


class _OneByOne:
    """The generated code of expressions, called from here row by row."""

    def __init__(self, frame: DataFrame, expressions: Sequence[str]) -> None:
        self._jvm: Any = frame.sparkSession._jvm
        self._plan = frame.selectExpr(*expressions)._jdf.queryExecution().optimizedPlan()
        self._rows = frame._jdf.queryExecution().executedPlan().executeCollect()

    def refusals(self, at: int, places: Sequence[int]) -> list[object]:
        """How one of the expressions refuses the rows at these places."""
        if not places:
            return []
        projection = self._jvm.org.apache.spark.sql.catalyst.expressions.UnsafeProjection.create(
            self._plan.expressions().slice(at, at + 1), self._plan.children().head().output()
        )
        compiled = self._jvm.scala.jdk.javaapi.FunctionConverters.asJavaFunction(projection)
        return [self._refusal(compiled, self._rows[place]) for place in places]

    def _refusal(self, compiled: Any, row: Any) -> object:
        # A future keeps the exception in the JVM: bringing each over with its stack would take ten times as long.
        java = self._jvm.java.util
        done = java.concurrent.CompletableFuture.completedFuture(row).thenApply(compiled)
        if not done.isCompletedExceptionally():
            return f"no refusal but {done.join()}"
        message = done.exceptionally(java.function.Function.identity()).join().getCause().getMessage()
        fault = find_fault(str(message))
        if not isinstance(fault, RecordFailed):
            return f"no fault but {message}"
        return Refused(fault.what.removeprefix("it failed on a record: "))
