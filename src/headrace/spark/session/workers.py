"""Python workers of an application: how its processes are started."""

from __future__ import annotations

from dataclasses import dataclass, field

from headrace.spark.spec.python import PythonWorkerSpec
from headrace.state.pickles import Pickles


@dataclass(frozen=True)
class Workers:
    """Python workers of an application: how they are started, and what those that run nodes need beside."""

    spec: PythonWorkerSpec
    pickles: Pickles = field(default_factory=Pickles)
    """What is done with values in state that only a pickle can hold."""
