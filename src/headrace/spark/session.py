"""Spark in this process: one JVM, shared by all applications, a session for each."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from headrace.jvm.archive import Archive
from headrace.jvm.jars import fetch
from headrace.jvm.java import find_java
from headrace.jvm.kernel import kernel_jar
from headrace.jvm.paths import pyspark_jars

_LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")

_STATE = "spark.sql.streaming.stateStore"
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.sql.session.timeZone": "UTC",
    # Inferring filters takes exponential time on rows with many columns that depend on each other, as ours do.
    "spark.sql.constraintPropagation.enabled": "false",
    "spark.sql.streaming.pollingDelay": "50ms",
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    f"{_STATE}.providerClass": "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    f"{_STATE}.rocksdb.changelogCheckpointing.enabled": "true",
    f"{_STATE}.checkpointFormatVersion": "2",
}

# The JVM's second compiler waits for code that is really hot: at the start it would take the cores from the program.
_QUICK_START = (
    "-XX:+UseParallelGC",
    "-XX:Tier4InvocationThreshold=50000",
    "-XX:Tier4MinInvocationThreshold=6000",
    "-XX:Tier4CompileThreshold=150000",
)

# A topology of many operators is a deep plan, and Spark goes through it by recursion.
_DEEP_PLANS = "-Xss16m"


class _Spark:
    """The JVM and the Spark context of this process, and how many applications use it."""

    def __init__(self) -> None:
        self._users = 0
        self._jvm: Any = None
        self._turn = threading.Lock()
        self.has_run = False

    def join(self, settings: Mapping[str, str], log: Path, tasks: int, verbose: bool) -> SparkSession:
        with self._turn:
            if self._jvm is None:
                self._jvm = self._launch(settings, log, verbose)
            SparkContext._ensure_initialized(gateway=self._jvm)
            builder = SparkSession.builder.appName("headrace").master(settings.get("spark.master", "local[*]"))
            for name, value in {**SETTINGS, **settings}.items():
                builder = builder.config(name, value)
            with _own_signals():
                session = builder.getOrCreate().newSession()
            self._users += 1
        session.conf.set("spark.sql.shuffle.partitions", tasks)
        kernel(session).Kernel.install(session._jsparkSession)
        return session

    def leave(self, session: SparkSession) -> None:
        with self._turn:
            self._users -= 1
            if self._users == 0:
                kernel(session).Producers.close()
                session.stop()

    def _launch(self, settings: Mapping[str, str], log: Path, verbose: bool) -> Any:
        java = find_java()
        connector = fetch("connector")
        archive = Archive.of("spark", java, [pyspark_jars(), *connector])
        options = [
            *_QUICK_START,
            _DEEP_PLANS,
            *archive.java_options(),
            f"-Dlog4j2.configurationFile={_LOG_SETTINGS.as_uri()}",
            f"-Dheadrace.log={log}",
            f"-Dheadrace.level={'info' if verbose else 'warn'}",
            f"-Dheadrace.console={'info' if verbose else 'off'}",
        ]
        conf = SparkConf(loadDefaults=False)
        for name, value in {**SETTINGS, **settings}.items():
            conf.set(name, value)
        # The kernel is no part of the archive: it changes more often than the jars, and is small.
        conf.set("spark.driver.extraClassPath", os.pathsep.join(map(str, connector)))
        conf.set("spark.jars", str(kernel_jar()))
        conf.set("spark.driver.extraJavaOptions", " ".join(options))
        conf.set("spark.pyspark.python", sys.executable)
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")  # Spark has no setting for the address of local executors
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as stderr:
            gateway = launch_gateway(  # type: ignore[no-untyped-call]
                conf, {"stderr": stderr, "start_new_session": True}
            )
        atexit.register(_end, gateway, archive)
        return gateway


@contextmanager
def _own_signals() -> Iterator[None]:
    """Keep pyspark from putting a handler of its own on Ctrl-C, which would cancel the batch."""
    handler = signal.getsignal(signal.SIGINT)
    yield
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handler)


_SPARK = _Spark()
"""A process has one JVM, as pyspark has it: this is the one thing that is shared without being handed around."""


def join(settings: Mapping[str, str], log: Path, *, tasks: int, verbose: bool = False) -> SparkSession:
    """A session for one application of so many tasks, in the JVM of this process, which is started if need be."""
    return _SPARK.join(settings, log, tasks, verbose)


def leave(session: SparkSession) -> None:
    """The application is done with its session; Spark stops with its last user."""
    _SPARK.leave(session)


def note_run() -> None:
    """A query runs: the classes of this JVM are worth to be kept for the next one."""
    _SPARK.has_run = True


def _end(gateway: Any, archive: Archive) -> None:
    """End the JVM with this process, not after it. It writes the archive then, if there was none."""
    new = not archive.exists
    if new and _SPARK.has_run and sys.stderr.isatty():
        print("saving Spark's classes for quicker starts (once) ...", file=sys.stderr, flush=True)
    gateway.shutdown()  # or the objects that Python still holds would call a JVM that is gone
    gateway.proc.stdin.close()
    gateway.proc.wait()
    if new:
        archive.settle(whole=_SPARK.has_run and gateway.proc.returncode == 0)


def kernel(session: SparkSession) -> Any:
    """The package of the kernel's classes in the JVM."""
    return session._jvm.org.apache.spark.sql.headrace  # type: ignore[union-attr]
