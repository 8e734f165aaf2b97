"""Records as JSON mean the same in Python and in the kernel: values, bytes, what is printed, and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

import headrace as hr
from conformance.both_forms import differing
from conformance.json_samples import RECORDS, all_data, drawn
from headrace.model.types import BYTES
from headrace.serde import JsonSerde
from headrace.spark.compile.sql import decode, encode, shown

pytestmark = pytest.mark.spark


def data(seed: int) -> Iterator[list[bytes | None]]:
    """In portions: of each, some dozens of those that are refused are really tried."""
    known = all_data()
    yield from ([None, *known[at : at + 60]] for at in range(0, len(known), 60))
    yield [*drawn(seed, 400)]


def serde_of(name: str) -> JsonSerde[Any]:
    return hr.json(RECORDS[name]) if RECORDS[name] else hr.json()


@pytest.mark.parametrize("name", RECORDS)
def test_reading_and_printing(name: str, spark: SparkSession) -> None:
    serde = serde_of(name)
    for some in data(1):
        sql = shown(serde.type, decode(serde, "a0"))
        assert differing(spark, lambda one: str(serde.decode(one)), sql, BYTES, some) == []


@pytest.mark.parametrize("name", RECORDS)
def test_reading_and_writing(name: str, spark: SparkSession) -> None:
    serde = serde_of(name)
    for some in data(2):
        sql = encode(serde, decode(serde, "a0"))
        assert differing(spark, lambda one: serde.encode(serde.decode(one)), sql, BYTES, some) == []
