"""Spark for one run of an application: the session that it joins, and leaves when it is over."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from headrace.engine.port import EngineSpec
from headrace.log.secrets import secrets_of
from headrace.spark.session import spark
from headrace.spark.session.executor_dependencies import workers_of
from headrace.spark.session.master import Master
from headrace.spark.session.workers import Workers
from headrace.state.pickles import Pickles


class SparkHost:
    """The session of one run, joined when first asked for; Spark writes to `log` unless somebody has said where."""

    def __init__(self, spec: EngineSpec, log: Path) -> None:
        self._spec, self._usual = spec, log
        self._joined: spark.Session | None = None
        self.log: Path | str = spark.log_of(spec.spark, log)

    @property
    def master(self) -> Master:
        """Where it runs."""
        return spark.master_of(self._spec.spark)

    def session(self, lock: int) -> spark.Session:
        """The session; a JVM of ours holds the lock, too."""
        if self._joined is None:
            spec = self._spec
            self.log = spark.log_of(spec.spark, self._usual)
            spec.say(f"{self._origin()}, its log is {self.log}")
            self._joined = spark.join(spec.spark, self._usual, verbose=spec.verbose, inherited=[lock])
            spark.hide_in_log(spec.spark, self._joined, secrets_of(spec.kafka))
        return self._joined

    def leave(self) -> None:
        """The run is over, or Spark is lost: the next one gets a session of its own."""
        joined, self._joined = self._joined, None
        if joined is not None:
            spark.leave(joined)

    def kill(self) -> None:
        """End the JVM at once, if it is there for this application alone: whoever waits for it fails then."""
        if self._joined is not None and not spark.kill(self._joined):
            self._spec.say("Spark does not end what runs there, and has other applications: it is left to itself")

    def workers(self, session: spark.Session, *, keeping: bool) -> Workers:
        """How Python processes are started, `keeping` state or none."""
        spec = self._spec
        started = workers_of(session, self.master, timeout_ms=spec.worker_timeout_ms, memory_mb=spec.worker_memory_mb)
        return Workers(started, spec.pickles() if keeping else Pickles())

    def _origin(self) -> str:
        wanted = self._spec.spark
        if not isinstance(wanted, Mapping):
            return f"in a session of Spark on {self.master}"
        return "starting Spark" if self.master.inside else f"starting Spark on {self.master}"
