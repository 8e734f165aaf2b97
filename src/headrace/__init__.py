"""Kafka Streams for Python, on Spark: streams and tables, event time, joins, queryable state, in an ordinary program.

import headrace as hr

app = hr.App("word-count")
"""

from typing import TYPE_CHECKING

from headrace.dsl import KGroupedStream, KStream, KTable
from headrace.errors import HeadraceError
from headrace.expr import (
    Expr,
    coalesce,
    contains,
    floating,
    integer,
    is_null,
    key,
    length,
    lit,
    text,
    timestamp,
    value,
    when,
)
from headrace.runtime.app import App
from headrace.runtime.states import State
from headrace.serde import BOOL, BYTES, DOUBLE, INT32, INT64, STRING, Serde

if TYPE_CHECKING:
    from headrace import testing

__version__ = "0.1.0"

__all__ = [
    "BOOL",
    "BYTES",
    "DOUBLE",
    "INT32",
    "INT64",
    "STRING",
    "App",
    "Expr",
    "HeadraceError",
    "KGroupedStream",
    "KStream",
    "KTable",
    "Serde",
    "State",
    "coalesce",
    "contains",
    "floating",
    "integer",
    "is_null",
    "key",
    "length",
    "lit",
    "testing",
    "text",
    "timestamp",
    "value",
    "when",
]


def __getattr__(name: str) -> object:
    """Load `hr.testing` when it is first used: an application that runs does without."""
    if name == "testing":
        import headrace.testing

        return headrace.testing
    raise AttributeError(f"module 'headrace' has no attribute {name!r}")
