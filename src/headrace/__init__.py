"""Kafka Streams for Python, on Spark.

Today: stateless streams and keyed counts, with state that survives restarts and output at least once. To come: windows,
joins, tables, exactly-once, queryable state.

    >>> import headrace as hr
    >>> app = hr.App("word-count")
    >>> words = app.stream("lines", value=hr.STRING).flat_map_values(lambda line: line.lower().split())
    >>> words.group_by(lambda _, word: word).count(store="counts").to_stream().to("counts", value=hr.INT64)
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
