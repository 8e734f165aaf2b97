"""Table of the engines: a name for `App(engine=...)`, and what loads and makes the engine of that name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from headrace.engine.port import Engine, EngineSpec


def _batch(spec: EngineSpec) -> Engine:
    from headrace.engine.batch.engine import BatchEngine  # loads pyspark

    return BatchEngine(spec)


def _live(spec: EngineSpec) -> Engine:
    from headrace.engine.live.engine import LiveEngine  # loads pyspark

    return LiveEngine(spec)


def _python(spec: EngineSpec) -> Engine:
    from headrace.engine.python.engine import PythonEngine  # loads what speaks to a broker

    return PythonEngine(spec)


ENGINES: Mapping[str, Callable[[EngineSpec], Engine]] = MappingProxyType(
    {"batch": _batch, "live": _live, "python": _python}
)
USUAL_ENGINE = "batch"
STATE_IN_KAFKA = frozenset({"live", "python"})
"""The engines that keep all state in a topic of the application, and none in its checkpoint."""
