"""Keys of several columns: tuples as lists of JSON."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest

import headrace as hr
from headrace.errors import FieldTypeUnknown
from headrace.model.types import INT, STR, TupleType, pair_of, tuple_of
from headrace.serde import serde_of


class Size(Enum):
    BIG = "big"


@pytest.mark.parametrize(
    ("hint", "value", "data"),
    [
        (tuple[str, int], ("a", 1), b'["a",1]'),
        (tuple[str, int], (None, 1), b"[null,1]"),
        (tuple[str, str, bool], ("\u00e4", "", True), '["\u00e4","",true]'.encode()),
        (tuple[Size, Decimal], (Size.BIG, Decimal("1.50")), b'["big","1.50"]'),
        (tuple[datetime, bytes], (datetime(2024, 5, 31, tzinfo=UTC), b"x"), b'["2024-05-31T00:00:00Z","eA=="]'),
    ],
)
def test_there_and_back(hint: Any, value: Any, data: bytes) -> None:
    serde = hr.json(hint)
    assert serde.write(value) == data
    assert serde.read(data) == value
    assert serde_of(serde.type) == serde


def test_a_tuple_says_its_types() -> None:
    assert str(hr.json(tuple[str, int])) == "JSON(tuple[str, int])"
    assert hr.json(tuple[str, int]).type == pair_of(STR, INT) == tuple_of(STR, INT)
    three = hr.json(tuple[str, int, int]).type
    assert isinstance(three, TupleType)
    assert three.sql == "struct<_1:string,_2:bigint,_3:bigint>"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (["a", 1], "it is ['a', 1], a list, tuple[str, int] is needed"),
        (("a",), "it is ('a',), a tuple, tuple[str, int] is needed"),
        (("a", "b"), "[1] is 'b', a str, int is needed"),
    ],
)
def test_what_does_not_fit_is_not_written(value: Any, reason: str) -> None:
    with pytest.raises(ValueError) as caught:
        hr.json(tuple[str, int]).write(value)
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b'"a"', "it is the text 'a', tuple[str, int] (a list of 2) is needed"),
        (b'["a",1,2]', "tuple[str, int] (a list of 2) is needed"),
        (b'["a","b"]', "[1] is the text 'b', int is needed"),
    ],
)
def test_what_does_not_fit_is_not_read(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError) as caught:
        hr.json(tuple[str, int]).read(data)
    assert reason in str(caught.value)


def test_tuples_of_what_a_record_cannot_hold() -> None:
    with pytest.raises(FieldTypeUnknown, match=r"an item of tuple\[str, set\] is set, which a record cannot hold"):
        hr.json(tuple[str, set])  # type: ignore[type-arg]
    with pytest.raises(FieldTypeUnknown, match=r"tuple\[str\] is a tuple of 1, which a record cannot hold"):
        hr.json(tuple[str])
    with pytest.raises(FieldTypeUnknown, match=r"tuple\[str, \.\.\.\] is a tuple of any length, which a"):
        hr.json(tuple[str, ...])


def test_items_of_every_type_that_a_field_can_have() -> None:
    serde = hr.json(tuple[float, int | None])
    assert serde.type == hr.json(tuple[float, int]).type  # each item may be None
    assert serde.write((1.5, None)) == b"[1.5,null]"
    assert hr.json(list[float | None]).write([1.5, None]) == b"[1.5,null]"
    assert hr.json(dict[str, list[int]]).read(b'{"a":[1]}') == {"a": [1]}
    nested = hr.json(tuple[str, list[int], dict[str, float], tuple[int, str] | None])
    value = ("a", [1, 2], {"x": 1.0}, (3, "b"))
    assert nested.read(nested.write(value)) == value
