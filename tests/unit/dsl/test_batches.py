"""Functions of batches: how they are declared, and what is refused, by its words."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest

import headrace as hr
from dsl.refusals import refused, refused_app
from headrace.dsl import Builder, KStream
from headrace.errors import ArrowMissing, ColumnTaken, NoSerde, OptionInvalid, WrongParameters
from headrace.plan.nodes import MapBatches


@dataclass
class Timed:
    timestamp: int


@dataclass
class Keyed:
    key: str


def texts(app: Builder) -> KStream[str, str]:
    return app.stream("in", key=hr.STRING, value=hr.STRING)


def same(table: Any) -> Any:
    return table


async def waiting(table: Any) -> Any:
    return table


def mapped(function: Any, **options: Any) -> MapBatches:
    app = Builder("app")
    texts(app).map_batches(function, **{"value": hr.STRING} | options).to("out")
    (node,) = app.plan().of(MapBatches)
    return node


def test_describe() -> None:
    assert mapped(same).detail() == "same(), 1000 at once"
    assert mapped(partial(same), size=5).detail() == "partial(), 5 at once"


def test_no_record_moves_in_front_of_what_looks_at_the_key() -> None:
    app = hr.App("app")
    texts(app).map_batches(same).group_by_key().count(store="n")
    assert "repartition" not in app.describe()


@pytest.mark.parametrize(
    ("function", "options", "words"),
    [
        (same, {"size": 0}, "size=0 is not possible ... give a whole number from 1 on"),
        (same, {"size": 10.0}, "size=10.0 is not possible"),
        (same, {"value": str}, "is not possible ... give the serde of the new values"),
        (None, {}, "function=None is not possible ... give map_batches a function of a pyarrow.Table"),
        (hr.value, {}, "is not possible ... give map_batches a function of a pyarrow.Table"),
        (waiting, {}, "is not possible ... give map_batches an ordinary function"),
    ],
)
def test_what_makes_no_sense(function: Any, options: dict[str, Any], words: str) -> None:
    refused(OptionInvalid, lambda: mapped(function, **options), *words.split(" ... "))


def test_a_function_of_another_number_of_arguments() -> None:
    refused(
        WrongParameters,
        lambda: mapped(lambda _key, _value: None),
        "the function of map_batches takes 2 arguments (_key, _value), it is called with 1 argument: table",
    )


@pytest.mark.parametrize(("record", "name"), [(Timed, "timestamp"), (Keyed, "key")])
def test_a_field_cannot_have_the_name_of_a_column(record: Any, name: str) -> None:
    refused_app(
        ColumnTaken,
        lambda app: app.stream("in", value=hr.json(record)).map_batches(same),
        f"{record.__name__} has a field {name!r}, and every batch has a column of that name",
        "give it another name with map_values first",
    )


def test_values_need_a_serde_where_they_are_written() -> None:
    refused_app(NoSerde, lambda app: texts(app).map_batches(same).to("out"), "no serde writes values of type object")


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    refused_app(
        ArrowMissing,
        lambda app: texts(app).map_batches(same),
        "map_batches needs pyarrow, which was not found",
        'pip install "headrace[arrow]"',
    )
