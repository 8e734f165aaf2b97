"""Bytes of records <-> values."""

from headrace.serde.base import Serde
from headrace.serde.json import JsonSerde, json
from headrace.serde.natural import fitting, serde_of
from headrace.serde.primitives import (
    BOOL,
    BYTES,
    DOUBLE,
    INT32,
    INT64,
    PRIMITIVES,
    STRING,
    by_name,
)
from headrace.serde.windowed import SessionWindowedSerde, TimeWindowedSerde, session_windowed, time_windowed

__all__ = [
    "BOOL",
    "BYTES",
    "DOUBLE",
    "INT32",
    "INT64",
    "PRIMITIVES",
    "STRING",
    "JsonSerde",
    "Serde",
    "SessionWindowedSerde",
    "TimeWindowedSerde",
    "by_name",
    "fitting",
    "json",
    "serde_of",
    "session_windowed",
    "time_windowed",
]
