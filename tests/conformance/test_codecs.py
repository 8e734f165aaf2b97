"""The serdes write and read the same bytes in Python and in the kernel, and refuse with the same words."""

from __future__ import annotations

import random
from typing import Any

import pytest
from pyspark.sql import SparkSession

from conformance.both_forms import differing
from conformance.samples import BYTESES, FLOATS, INTS, STRS
from headrace.model.types import BYTES
from headrace.serde import BOOL, DOUBLE, INT32, INT64, PRIMITIVES, STRING, Serde
from headrace.spark.compile.sql import decode, encode

pytestmark = pytest.mark.spark

SIZES = [b"\x00" * size for size in (1, 2, 3, 4, 5, 7, 8, 9, 16)]
NOT_UTF8 = [b"\xff", b"ab\xffc", b"\xc3", b"a\xc3", b"\xe4\xb8", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"]
NOT_UTF8 += [b"\x80", b"\xf0\x9f\x98", b"\xe4\xb8\x41", b"a" * 99 + b"\xfe", b"\xf8\x88\x80\x80\x80", b"\xc3\x28"]
NOT_UTF8 += [b"\xe0\x80\x80", b"\xf0\x80\x80\x80", b"\xed\xbf\xbf"]
NANS = [b"\x7f\xf0\x00\x00\x00\x00\x00\x01", b"\xff\xf8" + bytes(6)]
DATA = [None, *BYTESES, *SIZES, *NOT_UTF8, *NANS, b"\x01", b"\x02"]


def drawn() -> list[bytes]:
    rng = random.Random(7)
    texts = ["".join(rng.choice("aé€😀\u0800\uffff") for _ in range(4)).encode() for _ in range(100)]
    broken = [
        bytes(rng.choice([byte, rng.randrange(256)]) if rng.random() < 0.1 else byte for byte in text) for text in texts
    ]
    return broken + [rng.randbytes(rng.randint(0, 9)) for _ in range(100)]


VALUES: dict[Serde[Any], list[object]] = {
    STRING: [*STRS],
    INT32: [*INTS, 2**31 - 1, -(2**31)],
    INT64: [*INTS],
    DOUBLE: [*FLOATS],
    BOOL: [True, False],
}


@pytest.mark.parametrize("serde", PRIMITIVES, ids=str)
def test_reading(serde: Serde[Any], spark: SparkSession) -> None:
    assert differing(spark, serde.decode, decode(serde, "a0"), BYTES, [*DATA, *drawn()]) == []


@pytest.mark.parametrize("serde", PRIMITIVES, ids=str)
def test_writing(serde: Serde[Any], spark: SparkSession) -> None:
    values = [None, *VALUES.get(serde, list(BYTESES))]
    assert differing(spark, serde.encode, encode(serde, "a0"), serde.type, values) == []
