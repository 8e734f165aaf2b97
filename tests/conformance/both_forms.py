"""Runs expressions in both forms over many rows, few Spark jobs: values are compared, and so are refusals."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from headrace.errors import RecordFailed
from headrace.errors.printable import safe_lines
from headrace.expr import Bound
from headrace.model.types import (
    DECIMAL,
    JSON,
    TIME,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    StructType,
    TupleType,
    Type,
)
from headrace.spark.faults import find_fault

_MIDNIGHT = datetime(2000, 1, 1)

Row = tuple[Any, ...]
Form = tuple[Callable[..., object], str]
"""A function in Python, and the same as SQL text."""


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
    return _differences(spark, [str(bound) for bound in bounds], forms, types, rows, [bound.type for bound in bounds])


def differing(
    spark: SparkSession, python: Callable[..., object], sql: str, type_: Type, values: Sequence[object]
) -> list[str]:
    """Where a Python function and SQL text of the column `a0` give something else."""
    return all_differing(spark, [(python, sql)], type_, values)


def all_differing(spark: SparkSession, forms: Sequence[Form], type_: Type, values: Sequence[object]) -> list[str]:
    """Where any of several pairs of a Python function and SQL text do, in one go."""
    return _differences(spark, [sql for _, sql in forms], forms, [type_], [(value,) for value in values])


def _differences(
    spark: SparkSession,
    titles: Sequence[str],
    forms: Sequence[Form],
    types: Sequence[Type],
    rows: Sequence[Row],
    gives: Sequence[Type] = (),
) -> list[str]:
    # repr tells 0.0 from -0.0 and 1 from True, and takes NaN for NaN
    expected = [[_attempt(python, row) for row in rows] for python, _ in forms]
    for type_, wanted in zip(gives, expected, strict=False):
        if isinstance(type_, DictType):  # on the way back as well
            wanted[:] = [dict(sorted(one.items())) if isinstance(one, dict) else one for one in wanted]
    told = [tuple(as_told(value, type_) for value, type_ in zip(row, types, strict=True)) for row in rows]
    found = _in_catalyst(spark, [sql for _, sql in forms], types, told, expected)
    for type_, values in zip(gives, found, strict=False):
        values[:] = [as_meant(one, type_) for one in values]
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
        return Refused(safe_lines(str(exc)))  # as all errors of ours print


def _in_catalyst(
    spark: SparkSession, texts: Sequence[str], types: Sequence[Type], rows: Sequence[Row], expected: list[list[object]]
) -> list[list[object]]:
    """What SQL texts give for each row, all values in one job.

    A job ends with the first exception: rows that Python refuses run one by one, two for each reason, at most 100.
    """
    guarded = [f"hr_guard({sql}, 'failed', 'it', 'here')" for sql in texts]
    skips = [(*row, [isinstance(column[place], Refused) for column in expected]) for place, row in enumerate(rows)]
    collected = (
        _frame(spark, skips, types, "skip array<boolean>")
        .selectExpr(*(f"CASE WHEN NOT skip[{at}] THEN {sql} END AS r{at}" for at, sql in enumerate(guarded)))
        .collect()
    )
    results: list[list[object]] = [[plain(row[at]) for row in collected] for at in range(len(texts))]
    one_by_one = _OneByOne(_frame(spark, rows, types), guarded)
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


def as_told(value: Any, type_: Type) -> Any:
    """A value as rows have it: untyped JSON and Decimals as texts; dicts as lists, for pyspark mixes up their keys."""
    match value, type_:
        case (None, _) | (_, OptionalType()):
            return None if value is None else as_told(value, type_.of)  # type: ignore[attr-defined]
        case _, ListType(element=of):
            return [as_told(item, of) for item in value]
        case _, DictType(value=of, key=keys):
            return [(as_told(key, keys), as_told(item, of)) for key, item in value.items()]
        case _, TupleType(items=items):
            return tuple(as_told(item, of) for item, of in zip(value, items, strict=True))
        case _, StructType(fields=fields):
            get = value.__getitem__ if isinstance(value, dict) else value.__getattribute__
            return tuple(as_told(get(one.name), one.type) for one in fields)
        case _, EnumType():
            return value.value
    if type_ == TIME:
        return (datetime.combine(_MIDNIGHT, value) - _MIDNIGHT) // timedelta(microseconds=1)
    return json.dumps(value) if type_ == JSON else str(value) if type_ == DECIMAL else value


def as_meant(value: Any, type_: Type) -> Any:
    """What rows have as the value it stands for."""
    match value, type_:
        case (None | Refused(), _) | (_, OptionalType()):
            return value if value is None or isinstance(value, Refused) else as_meant(value, type_.of)  # type: ignore[attr-defined]
        case _, ListType(element=of):
            return [as_meant(item, of) for item in value]
        case _, DictType(value=of, key=keys):
            return {as_meant(key, keys): as_meant(value[key], of) for key in sorted(value)}
        case _, TupleType(items=items):
            return tuple(as_meant(item, of) for item, of in zip(value, items, strict=True))
        case _, StructType(fields=fields):
            parts = zip(fields, value, strict=True)
            return type_.made_of(**{one.name: as_meant(part, one.type) for one, part in parts})
        case _, EnumType(cls=member):
            return member(value)
    if type_ == TIME:
        return (_MIDNIGHT + timedelta(microseconds=value)).time()
    return json.loads(value) if type_ == JSON else Decimal(value) if type_ == DECIMAL else value


def plain(value: Any) -> object:
    """A value from Spark as the Python form has it."""
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, datetime):  # pyspark gives moments in the zone of the machine, without naming it
        return value.astimezone(UTC)
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def _sql(bound: Bound, width: int) -> str:
    return bound.sql({name: f"`{name}`" for name in names(width)})


def _frame(spark: SparkSession, rows: Sequence[Row], types: Sequence[Type], *more: str) -> DataFrame:
    """Rows of columns of these types, and of `more` behind them."""
    columns = list(zip(names(len(types)), types, strict=True))
    schema = [f"{name} {_told_as(type_)}" for name, type_ in columns]
    made = [f"map_from_entries({name}) AS {name}" if isinstance(type_, DictType) else name for name, type_ in columns]
    frame = spark.createDataFrame(rows, ", ".join([*schema, *more]), verifySchema=False)
    if made == names(len(types)):
        return frame
    return frame.selectExpr(*made, *(one.split()[0] for one in more)).localCheckpoint()


def _told_as(type_: Type) -> str:
    return f"array<struct<key:{type_.key.sql},value:{type_.value.sql}>>" if isinstance(type_, DictType) else type_.sql


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
            return Refused(f"no refusal but {done.join()}")
        message = done.exceptionally(java.function.Function.identity()).join().getCause().getMessage()
        fault = find_fault(str(message))
        if not isinstance(fault, RecordFailed):
            return Refused(f"no fault but {message}")
        return Refused(fault.what.removeprefix("it failed on a record: "))
