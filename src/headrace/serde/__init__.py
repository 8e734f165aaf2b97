"""Bytes of records <-> values."""

from headrace.serde.base import Serde
from headrace.serde.primitives import (
    BOOL,
    BYTES,
    DOUBLE,
    INT32,
    INT64,
    PRIMITIVES,
    STRING,
    by_name,
    serde_of,
)

__all__ = ["BOOL", "BYTES", "DOUBLE", "INT32", "INT64", "PRIMITIVES", "STRING", "Serde", "by_name", "serde_of"]
