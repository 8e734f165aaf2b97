"""Kafka Streams for Python, on Spark.

Streams and tables, event time, joins and processors, with state that survives restarts and each record counted once.

    >>> import headrace as hr
    >>> app = hr.App("word-count")
    >>> words = app.stream("lines", value=hr.STRING).flat_map_values(lambda line: line.lower().split())
    >>> words.group_by(lambda _, word: word).count(store="counts").to_stream().to("counts", value=hr.INT64)
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headrace import testing as testing
    from headrace.front import *  # noqa: F403

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Load the front door with the first name used, and `hr.testing` only when asked for it."""
    if name == "testing":
        return importlib.import_module("headrace.testing")
    front = importlib.import_module("headrace.front")
    if name == "__all__":
        return [*front.__all__, "testing"]
    if name in front.__all__:
        return getattr(front, name)
    raise AttributeError(f"module 'headrace' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*importlib.import_module("headrace.front").__all__, "testing", "__version__"])
