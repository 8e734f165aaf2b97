"""Kafka Streams for Python, on Spark.

Streams and tables, event time, joins and processors, with state that survives restarts and each record counted once.

    >>> import headrace as hr
    >>> app = hr.App("word-count")
    >>> words = app.stream("lines", value=hr.STRING).flat_map_values(lambda line: line.lower().split())
    >>> words.group_by(lambda _, word: word).count(store="counts").to_stream().to("counts", value=hr.INT64)
"""

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from headrace import functions as functions
    from headrace import testing as testing
    from headrace.front import *  # noqa: F403
    from headrace.functions import *  # noqa: F403
else:  # to a type checker no other name is here

    def __getattr__(name: str) -> object:
        """Load the front door with the first name used, and the modules beside it only when asked for them.

        The functions of `headrace.functions` were names of the front door, and are found here still: decision 34.
        """
        if name in _MODULES:
            return importlib.import_module(f"headrace.{name}")
        if name == "__all__":
            return _names()
        for module in ("headrace.front", "headrace.functions"):
            found = importlib.import_module(module)
            if name in dir(found) and not name.startswith("_"):
                globals()[name] = getattr(found, name)
                return globals()[name]
        raise AttributeError(f"module 'headrace' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted([*_names(), "__version__"])

    _MODULES = ("functions", "testing")

    def _names() -> list[str]:
        """The names of the front door."""
        front = importlib.import_module("headrace.front")
        return [*(name for name in vars(front) if not name.startswith("_")), *_MODULES]
