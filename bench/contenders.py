"""The systems that are measured."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from bench import streams
from bench.job import Job

HERE = Path(__file__).resolve().parents[1]
QUIX_PYTHON = HERE / ".venv" / "bench" / "bin" / "python"
QUIX_PROGRAM = Path(__file__).parent / "programs" / "quix.py"


@dataclass(frozen=True)
class Contender:
    """A system and how it is told to write its results."""

    name: str
    program: str
    every: bool = False
    once: bool = False
    member: str = ""
    part: int = 1
    """It gets the nth part of the records: some are slow."""
    checkout: Path = HERE
    """Checkout whose headrace is measured, with its own programs."""

    def command(self, job: Job) -> list[str]:
        """How to run a job on it."""
        if self.program == "streams":
            return [*streams.command(), job.text()]
        if self.program == "quix":
            return [str(QUIX_PYTHON), str(QUIX_PROGRAM), job.text()]
        return [sys.executable, "-m", f"bench.programs.{self.program}", job.text()]

    def environment(self) -> dict[str, str]:
        """Module path of its checkout, before the one that the program is started in."""
        return {"PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join([str(self.checkout / "src"), str(self.checkout)])}

    def missing(self) -> str | None:
        """Why it cannot be run on this machine."""
        if self.program == "quix" and not QUIX_PYTHON.exists():
            return "not installed: make bench does that"
        return None


HEADRACE = Contender("headrace", "headrace_app")
HEADRACE_EVERY = Contender("headrace, every change", "headrace_app", every=True)
STREAMS = Contender("Kafka Streams", "streams")
STREAMS_EVERY = Contender("Kafka Streams, no cache", "streams", every=True)
HEADRACE_ONCE = Contender("headrace, exactly once", "headrace_app", once=True)
STREAMS_ONCE = Contender("Kafka Streams, exactly once", "streams", once=True)
STREAMS_MEMBER = Contender("Kafka Streams, exactly once, static member", "streams", once=True, member="one")
SPARK = Contender("PySpark", "plain_spark", part=5)
OWN_STATE = Contender("PySpark, own state", "plain_spark", part=100)
QUIX = Contender("Quix Streams", "quix", every=True, part=5)
HEADRACE_QUERIES = Contender("headrace", "headrace_queries", once=True)
STREAMS_QUERIES = Contender("Kafka Streams", "streams", once=True)
