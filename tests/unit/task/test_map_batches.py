"""Functions of batches: what they are given, what they may give, and the words of what fails."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, NotRequired, TypedDict

import pyarrow as pa
import pytest

import headrace as hr
import headrace.functions as F
from headrace.dsl import Builder
from headrace.errors import RecordFailed, WrongRows
from headrace.model.types import OBJECT
from headrace.task.arrow import ArrowValues
from headrace.testing import TopologyTestDriver


class Colour(Enum):
    RED = "red"


class Size(Enum):
    SMALL = 1


@dataclass
class Place:
    name: str
    floor: int | None = None


class Extra(TypedDict):
    note: str
    more: NotRequired[int]


@dataclass
class Everything:
    text: str
    number: int
    share: float
    yes: bool
    raw: bytes
    at: datetime
    price: Decimal
    colour: Colour
    size: Size
    place: Place
    extra: Extra
    places: list[Place]
    counts: dict[str, int | None]
    anything: Any
    perhaps: str | None = None
    tags: list[str] = field(default_factory=list)


FULL = Everything(
    text="x",
    number=2**62,
    share=0.5,
    yes=True,
    raw=b"\x00",
    at=datetime(2024, 1, 2, 3, 4, 5, 6, UTC),
    price=Decimal("1.50"),
    colour=Colour.RED,
    size=Size.SMALL,
    place=Place("hall", 3),
    extra={"note": "n", "more": 1},
    places=[Place("a"), Place("b", 1)],
    counts={"a": 1, "b": None},
    anything="any",
)


def app_of(function: Any, *, value: Any = None, read: Any = hr.STRING, key: Any = hr.STRING, **options: Any) -> Builder:
    app = Builder("app")
    app.stream("in", key=key, value=read).map_batches(function, value=value, **options).to("out", value=value or read)
    return app


def run(app: Builder, *values: Any, key: Any = "k") -> list[Any]:
    with TopologyTestDriver(app) as driver, driver.batch():
        for value in values:
            driver.input("in").pipe(value, key=key, ts=7)
    return [value for _, value in driver.output("out").read_all()]


def failure_of(app: Builder, *values: Any) -> RecordFailed:
    with pytest.raises(RecordFailed) as caught:
        run(app, *values)
    return caught.value


# -- what goes in and what comes out


def test_records_of_all_types_go_through_as_they_are() -> None:
    seen: list[Any] = []

    def noted(table: Any) -> Any:
        seen.append(table)
        return table

    serde = hr.json(Everything)
    assert run(app_of(noted, read=serde, value=serde), FULL, FULL) == [FULL, FULL]
    types = {one.name: str(one.type) for one in seen[0].schema}
    assert types["at"] == "timestamp[us, tz=UTC]"
    assert types["colour"] == "string"
    assert types["size"] == "int64"
    assert types["place"] == "struct<name: string, floor: int64>"
    assert types["price"] == "decimal128(3, 2)"
    assert seen[0].column_names[0] == "key"
    assert seen[0]["timestamp"].to_pylist() == [7, 7]


def test_keys_of_several_columns() -> None:
    seen: list[Any] = []

    def noted(table: Any) -> Any:
        seen.extend(table["key"].to_pylist())
        return table

    run(app_of(noted, key=hr.json(tuple[str, int])), "v", key=("a", 1))
    assert seen == [{"key": "a", "value": 1}]


def test_keys_with_windows() -> None:
    seen: list[Any] = []

    def noted(table: Any) -> Any:
        seen.extend(table["key"].to_pylist())
        return table

    app = Builder("app")
    counts = app.stream("in", key=hr.STRING, value=hr.STRING).group_by_key().windowed_by(hr.tumbling("10ms")).count()
    counts.to_stream().map_batches(noted, value=hr.INT64).to("out")
    with TopologyTestDriver(app) as driver:
        driver.input("in").pipe("v", key="k", ts=12)
    assert seen == [{"key": "k", "start": 10, "end": 20}]
    assert driver.output("out").read_all() == [(hr.Windowed("k", 10, 20), 1)]


def test_the_function_is_called_for_so_many_and_for_the_rest() -> None:
    sizes = []

    def noted(table: Any) -> Any:
        sizes.append(table.num_rows)
        return table

    assert run(app_of(noted, size=3), *"abcdefgh") == list("abcdefgh")
    assert sizes == [3, 3, 2]


def test_fields_that_have_a_default_may_be_left_out() -> None:
    app = app_of(lambda table: table.rename_columns(["key", "name", "timestamp"]), value=hr.json(Place))
    assert run(app, "hall") == [Place("hall")]


def test_maps_are_dicts() -> None:
    def mapped(_: Any) -> Any:
        return pa.table({"value": pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int64()))})

    assert run(app_of(mapped, value=hr.json()), "x", "y") == [{"a": 1}, None]


# -- what is refused


def keyless(table: Any) -> Any:
    return table.select(["value"])


@pytest.mark.parametrize(
    ("function", "value", "words"),
    [
        (lambda _: None, None, "the function gave builtins.NoneType: give a pyarrow.Table"),
        (lambda t: t.to_pylist(), None, "the function gave builtins.list: give a pyarrow.Table"),
        (
            lambda t: t.slice(1),
            None,
            "the function was given 2 rows and gave 1: give a row for each row, in their order",
        ),
        (lambda t: pa.concat_tables([t, t]), None, "the function was given 2 rows and gave 4: give a row for each row"),
        (lambda t: t.take([1, 0]), None, "the column 'key' is not the one that was given: rows were moved, or it was"),
        (
            lambda t: t.set_column(2, "timestamp", [[8, 8]]),
            None,
            "the column 'timestamp' is not the one that was given",
        ),
        (lambda t: t.select(["key"]), None, "the result has no columns of its own: give the new values in a column"),
        (
            lambda t: t.append_column("value", t["value"]),
            None,
            "two columns have one name: key, value, timestamp, value: rename or drop one of them",
        ),
        (
            lambda t: t.append_column("more", t["value"]),
            hr.STRING,
            "the columns of the result are value, more, and value= says str: give the new values in one column",
        ),
        (
            keyless,
            hr.json(Place),
            "the columns of the result are value, the fields of Place are name, floor: select(...) and rename_columns",
        ),
        (
            lambda t: pa.table({"floor": [1, 2]}),  # noqa: ARG005
            hr.json(Place),
            "the columns of the result are floor, the fields of Place are name, floor",
        ),
    ],
)
def test_what_a_function_may_not_give(function: Any, value: Any, words: str) -> None:
    app = Builder("app")
    app.stream("in", key=hr.STRING, value=hr.STRING).map_batches(function, value=value).to(
        "out", value=value or hr.json()
    )
    driver = TopologyTestDriver(app)
    with pytest.raises(RecordFailed) as caught, driver.batch():
        driver.input("in").pipe("x", key="a")
        driver.input("in").pipe("y", key="b")
    failure = caught.value
    assert failure.reason.startswith(words)
    assert failure.reason.endswith(" (in a batch of 2, of which this is the first)")
    assert failure.node.startswith("in.map_batches (test_map_batches.py:")
    assert failure.where == "in-0@0"
    assert isinstance(failure.__cause__, WrongRows)


def test_words_for_other_rows_say_what_to_do() -> None:
    given = pa.table({"key": ["a", "b"], "timestamp": [1, 2]})
    with pytest.raises(WrongRows) as caught:
        ArrowValues(OBJECT).found(given, given.slice(1))
    assert caught.value.what == "the function was given 2 rows and gave 1"
    assert str(caught.value.fix).endswith("filter records before or behind map_batches")


def test_the_batch_that_fails_is_named_by_its_first_record() -> None:
    def short(table: Any) -> Any:
        if "c" in table["value"].to_pylist():
            raise LookupError
        return table

    failure = failure_of(app_of(short, size=2), *"abdce")
    assert (failure.reason, failure.where) == (
        "LookupError (in a batch of 2, of which this is the first)",
        "in-0@2",
    )


def test_a_number_that_does_not_fit() -> None:
    def large(_: Any) -> Any:
        return pa.table({"value": pa.array([2**63], pa.uint64())})

    assert "9223372036854775808 not in range" in failure_of(app_of(large, value=hr.INT64), "x").reason


def test_a_record_that_fails_further_on_is_not_tried_again() -> None:
    calls = []

    def noted(table: Any) -> Any:
        calls.append(table.num_rows)
        return table

    app = Builder("app")
    mapped = app.stream("in", key=hr.STRING, value=hr.STRING).map_batches(noted, value=hr.STRING)
    mapped.errors().map_values(lambda f: f.message).to("failed")
    mapped.map_values(lambda v: 1 // F.integer(v), name="further").to("out")
    failure = failure_of(app, "1", "0")
    assert failure.node.startswith("further ")
    assert calls == [2]
