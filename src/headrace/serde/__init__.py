"""Bytes of records <-> values."""

from headrace.serde.base import Serde
from headrace.serde.facts import Side
from headrace.serde.json import JsonSerde, json
from headrace.serde.natural import serde_of
from headrace.serde.primitives import (
    BOOL,
    BYTES,
    DOUBLE,
    INT32,
    INT64,
    PRIMITIVES,
    STRING,
)
from headrace.serde.windowed import (
    SessionWindowedSerde,
    TimeWindowedSerde,
    WindowedSerde,
    session_windowed,
    time_windowed,
)

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
    "Side",
    "TimeWindowedSerde",
    "WindowedSerde",
    "json",
    "serde_of",
    "session_windowed",
    "time_windowed",
]
