"""The Python processes of an application."""

from __future__ import annotations

from dataclasses import dataclass, field

from headrace.spark.spec.python import PythonWorkerSpec
from headrace.state.pickles import Pickles


@dataclass(frozen=True)
class Workers:
    """How Python processes are started, and what those who run a part of the topology are told beside."""

    spec: PythonWorkerSpec
    pickles: Pickles = field(default_factory=Pickles)
    """What is done with values in state that only a pickle can hold."""
