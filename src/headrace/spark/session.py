"""Spark in this process: one JVM, shared by all applications, a session for each."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.sql import SparkSession

from headrace.spark.gateway import Gateway

_STATE = "spark.sql.streaming.stateStore"
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.extensions": "org.apache.spark.sql.headrace.Extensions",
    # Inferring filters takes exponential time on rows with many columns that depend on each other, as ours do.
    "spark.sql.constraintPropagation.enabled": "false",
    "spark.sql.streaming.pollingDelay": "50ms",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    f"{_STATE}.providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    f"{_STATE}.rocksdb.changelogCheckpointing.enabled": "true",
    f"{_STATE}.checkpointFormatVersion": "2",
    # To count the rows, each would be looked up before it is written.
    f"{_STATE}.rocksdb.trackTotalNumberOfRows": "false",
}


class _Spark:
    """The JVM and the Spark context of this process, and how many applications use it."""

    def __init__(self) -> None:
        self._users = 0
        self._turn = threading.Lock()
        self.gateway: Gateway | None = None

    def join(
        self, settings: Mapping[str, str], log: Path, tasks: int, verbose: bool, inherited: Sequence[int]
    ) -> SparkSession:
        with self._turn:
            self._forget_the_dead()
            wanted = {"spark.master": "local[*]", **SETTINGS, **settings}
            if self.gateway is None:
                self.gateway = Gateway(wanted, log, verbose=verbose, inherited=inherited)
            elif settings:
                logging.getLogger("headrace").info("Spark runs already: settings of its process are not changed")
            SparkContext._ensure_initialized(gateway=self.gateway.py4j)
            builder = SparkSession.builder.appName("headrace")
            for name, value in wanted.items():
                builder = builder.config(name, value)
            with _own_signals():
                session = builder.getOrCreate().newSession()
            session.conf.set("spark.sql.shuffle.partitions", tasks)
            kernel(session).Kernel.install(session._jsparkSession)
            self._users += 1
            return session

    def leave(self, session: SparkSession) -> None:
        with self._turn:
            self._users -= 1
            if self._users == 0:
                with suppress(Py4JError, ConnectionError):  # a JVM that is gone has nothing to give back
                    kernel(session).Producers.close()
                    session.stop()

    def _forget_the_dead(self) -> None:
        """A JVM that has died is not asked again; pyspark would go on asking it."""
        if self.gateway is not None and not self.gateway.alive:
            self.gateway, self._users = None, 0
            SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
            SparkSession._instantiatedSession = None


_SPARK = _Spark()
"""A process has one JVM, as pyspark has it: this is the one thing that is shared without being handed around."""


def join(
    settings: Mapping[str, str], log: Path, *, tasks: int, verbose: bool = False, inherited: Sequence[int] = ()
) -> SparkSession:
    """A session for one application of so many tasks, in the JVM of this process, which is started if need be.

    `inherited` are open files that the JVM keeps open for as long as it runs.
    """
    return _SPARK.join(settings, log, tasks, verbose, inherited)


def leave(session: SparkSession) -> None:
    """The application is done with its session; Spark stops with its last user."""
    _SPARK.leave(session)


def log_of(wanted: Path) -> Path:
    """Where Spark writes its log: where the application that started it said, else as wanted."""
    gateway = _SPARK.gateway
    return gateway.log if gateway is not None and gateway.alive else wanted


def note_run() -> None:
    """A query runs."""
    if _SPARK.gateway is not None:
        _SPARK.gateway.has_run = True


def kernel(session: SparkSession) -> Any:
    """The package of the kernel's classes in the JVM."""
    return session._jvm.org.apache.spark.sql.headrace  # type: ignore[union-attr]


@contextmanager
def _own_signals() -> Iterator[None]:
    """Keep pyspark from putting a handler of its own on Ctrl-C, which would cancel the batch."""
    handler = signal.getsignal(signal.SIGINT)
    yield
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handler)
