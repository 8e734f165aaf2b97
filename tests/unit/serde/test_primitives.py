"""The primitive serdes: Kafka's bytes, and the words of what they refuse."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headrace.errors import NoSerde
from headrace.model.types import BOOL as BOOL_TYPE
from headrace.model.types import BYTES as BYTES_TYPE
from headrace.model.types import FLOAT, INT, STR, Type, list_of
from headrace.model.windows import windowed_of
from headrace.serde import BOOL, BYTES, DOUBLE, INT32, INT64, PRIMITIVES, STRING, Serde, serde_of
from headrace.serde.formats import FORMATS


@pytest.mark.parametrize(
    ("serde", "value", "data"),
    [
        (STRING, "né😀", b"n\xc3\xa9\xf0\x9f\x98\x80"),
        (STRING, "", b""),
        (BYTES, b"\x00\xff", b"\x00\xff"),
        (INT32, -2, b"\xff\xff\xff\xfe"),
        (INT64, 258, b"\x00\x00\x00\x00\x00\x00\x01\x02"),
        (DOUBLE, 1.0, b"\x3f\xf0" + bytes(6)),
        (DOUBLE, -0.0, b"\x80" + bytes(7)),
        (BOOL, True, b"\x01"),
        (BOOL, False, b"\x00"),
    ],
)
def test_bytes_are_those_of_kafkas_serdes(serde: Serde[Any], value: object, data: bytes) -> None:
    assert serde.encode(value) == data
    assert repr(serde.decode(data)) == repr(value)


@pytest.mark.parametrize("serde", PRIMITIVES, ids=str)
def test_none_has_no_bytes(serde: Serde[Any]) -> None:
    assert serde.encode(None) is None
    assert serde.decode(None) is None


def test_every_nan_is_written_as_java_writes_it() -> None:
    assert DOUBLE.encode(-math.nan) == b"\x7f\xf8" + bytes(6)


def test_an_int_is_written_as_a_double() -> None:
    assert DOUBLE.encode(3) == DOUBLE.encode(3.0)


@pytest.mark.parametrize(
    ("serde", "data", "reason"),
    [
        (INT64, b"12345", "5 bytes, 8 are needed"),
        (INT32, b"1", "1 byte, 4 are needed"),
        (DOUBLE, b"", "0 bytes, 8 are needed"),
        (BOOL, b"ab", "2 bytes, 1 is needed"),
        (BOOL, b"\x02", "byte 0x02, 0x00 or 0x01 is needed"),
        (STRING, b"abc\xff", "byte 0xff at 3 is not UTF-8"),
        (STRING, b"a\xe4\xb8", "byte 0xe4 at 1 is not UTF-8"),
        (STRING, b"\xed\xa0\x80", "byte 0xed at 0 is not UTF-8"),
    ],
)
def test_bytes_that_are_something_else(serde: Serde[Any], data: bytes, reason: str) -> None:
    with pytest.raises(ValueError) as caught:
        serde.decode(data)
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    ("serde", "value", "reason"),
    [
        (INT32, 3_000_000_000, "3000000000 does not fit 32 bits"),
        (INT64, -(2**63) - 1, "-9223372036854775809 does not fit 64 bits"),
        (DOUBLE, 10**400, f"{10**400} does not fit a float"),
        (INT64, "7", "'7' is a str, int is needed"),
        (INT64, True, "True is a bool, int is needed"),
        (DOUBLE, False, "False is a bool, float is needed"),
        (BOOL, 1, "1 is a int, bool is needed"),
        (STRING, b"x", "b'x' is a bytes, str is needed"),
        (BYTES, "x", "'x' is a str, bytes is needed"),
        (STRING, "ab\ud800", "U+D800 at 2 has no UTF-8 form"),
    ],
)
def test_values_that_have_no_bytes(serde: Serde[Any], value: object, reason: str) -> None:
    with pytest.raises(ValueError) as caught:
        serde.encode(value)
    assert str(caught.value) == reason


@given(st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.binary(), st.integers(-(2**63), 2**63 - 1)))
def test_what_is_written_is_read(value: str | bytes | int) -> None:
    serde: Any = {str: STRING, bytes: BYTES, int: INT64}[type(value)]
    assert serde.decode(serde.encode(value)) == value


@pytest.mark.parametrize("serde", PRIMITIVES, ids=str)
def test_a_serde_is_found_by_its_name(serde: Serde[Any]) -> None:
    assert FORMATS[serde.name] is serde
    assert str(serde) == serde.name.upper()


@pytest.mark.parametrize(
    ("type_", "serde"), [(STR, STRING), (INT, INT64), (FLOAT, DOUBLE), (BOOL_TYPE, BOOL), (BYTES_TYPE, BYTES)]
)
def test_the_serde_of_a_type(type_: Type, serde: Serde[Any]) -> None:
    assert serde_of(type_) is serde


def test_a_type_without_a_serde() -> None:
    assert str(serde_of(list_of(STR))) == "JSON(list[str])"
    with pytest.raises(NoSerde) as caught:
        serde_of(list_of(windowed_of(STR)), "app.py:9")
    assert str(caught.value) == (
        "no serde writes values of type list[Windowed[str]]\n"
        "  at: app.py:9\n"
        "  to do: map them to one of str, bytes, int, float, bool first"
    )
