"""Table of the engines: a name for `App(engine=...)`, and what loads and makes the engine of that name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from headrace.engine.port import Engine, EngineSpec


def _batch(spec: EngineSpec) -> Engine:
    from headrace.engine.batch.engine import BatchEngine  # loads pyspark

    return BatchEngine(spec)


ENGINES: Mapping[str, Callable[[EngineSpec], Engine]] = MappingProxyType({"batch": _batch})
USUAL_ENGINE = "batch"
