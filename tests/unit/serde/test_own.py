"""Serdes of the user's own."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import pytest

import headrace as hr
from headrace.dsl import Builder
from headrace.errors import CannotPipe, NoSerde, RecordUndecodable
from headrace.model.types import JSON, OBJECT, STR, Type

T = TypeVar("T")


@dataclass
class Shop:
    city: str


class Point:
    """No record."""


class Both(Generic[T]):
    def write(self, value: Any) -> bytes:
        return struct.pack(">q", value)

    def read(self, data: bytes) -> Any:
        return struct.unpack(">q", data)[0]


class NumberSerde(Both[int], hr.Serde[int]):
    pass


class ShopSerde(Both[Shop], hr.Serde[Shop]):
    pass


class Points(Both[Point], hr.Serde[Point]):
    name = "points of two"


class Anything(Both[Any], hr.Serde[Any]):
    pass


class Untold(Both[Any], hr.Serde):  # type: ignore[type-arg]
    pass


class Of(Both[T], hr.Serde[T]):
    def __init__(self, type_: Type = STR) -> None:
        self.type = type_


class OfShops(Of[Shop]):
    def __init__(self) -> None:
        pass


@pytest.mark.parametrize(
    ("serde", "type_", "shown"),
    [
        (NumberSerde(), "int", "NUMBER"),
        (ShopSerde(), "Shop", "SHOP"),
        (Points(), "object", "POINTS OF TWO"),
        (Anything(), str(JSON), "ANYTHING"),
        (Untold(), str(OBJECT), "UNTOLD"),
        (Of(), "str", "OF"),
        (OfShops(), "Shop", "OFSHOPS"),
    ],
    ids=str,
)
def test_name_and_type_are_those_of_the_class(serde: hr.Serde[Any], type_: str, shown: str) -> None:
    assert (str(serde.type), str(serde), serde.encode(None), serde.decode(None)) == (type_, shown, None, None)


def test_serdes_of_one_class_and_the_same_attributes_are_equal() -> None:
    assert NumberSerde() == NumberSerde() != ShopSerde()
    assert len({NumberSerde(), NumberSerde(), Of()}) == 2
    assert Of() != Of(JSON)
    assert NumberSerde() != 7


def test_whatever_is_raised_says_what_cannot_be_read_or_written() -> None:
    class Numbers(hr.Serde[int]):
        def write(self, value: int) -> bytes:
            return struct.pack(">q", value)

        def read(self, data: bytes) -> int:
            return int(struct.unpack(">q", data)[0])

    app = Builder("app")
    app.stream("in", key=hr.STRING, value=Numbers()).to("out")
    driver = hr.testing.TopologyTestDriver(app)
    with pytest.raises(CannotPipe, match="error: required argument is not an integer"):
        driver.input("in").pipe("x")
    with pytest.raises(RecordUndecodable, match="not NUMBERS: error: unpack requires a buffer of 8 bytes"):
        driver.input("in", value=hr.BYTES).pipe(b"x")


def test_what_a_class_lacks_is_said_where_it_is_made() -> None:
    class Half(hr.Serde[str]):
        def write(self, value: str) -> bytes:
            return value.encode()

    with pytest.raises(TypeError, match="read"):
        Half()  # type: ignore[abstract]


def test_keys_that_only_the_serde_knows_are_refused() -> None:
    points = Builder("app").stream("in", key=Points(), value=hr.STRING)
    with pytest.raises(NoSerde, match="not by POINTS OF TWO: make the class of the keys a dataclass"):
        points.group_by_key().count()
