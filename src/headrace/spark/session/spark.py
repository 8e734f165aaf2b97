"""Spark in this process: one JVM, shared by all applications, with a session for each."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkContext
from pyspark.sql import SparkSession

from headrace.errors import SparkInUse, SparkNotStarted
from headrace.jvm.java import NO_PROVIDERS
from headrace.model.deadline import Deadline
from headrace.spark.session.executor_dependencies import ship
from headrace.spark.session.external_session import borrow
from headrace.spark.session.gateway import DEEP_PLANS, SECRET, Gateway
from headrace.spark.session.master import Master

Session = SparkSession
Wanted = Mapping[str, str] | Session
"""What an application says of Spark: settings of one that is started for it, or a session that is there."""

_EXTENSIONS = "spark.sql.extensions"
_STATE = "spark.sql.streaming.stateStore"
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.memory": "2g",
    "spark.scheduler.mode": "FAIR",
    "spark.sql.session.timeZone": "UTC",
    _EXTENSIONS: "org.apache.spark.sql.headrace.Extensions",
    # Plans and logs show the options of sources and sinks, those of Kafka's clients among them.
    "spark.sql.redaction.options.regex": SECRET,
    "spark.redaction.regex": SECRET,
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
# Spark keeps a hundred compiled functions: a topology may have more, and would have them compiled in every batch.
_COMPILED = {"spark.sql.codegen.cache.maxEntries": "2000"}
_LOOPBACK = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
# For a Spark that is one process it makes up a secret; the machines of a cluster would have to know the same. What it
# keeps on disks is for this user alone, also by way of Hadoop; on a cluster others may have to read it.
_INSIDE = {
    "spark.hadoop.fs.permissions.umask-mode": "077",
    "spark.authenticate": "true",
    "spark.network.crypto.enabled": "true",
    "spark.network.crypto.cipher": "AES/GCM/NoPadding",
    "spark.network.crypto.authEngineVersion": "2",
}
_EXECUTOR_OPTIONS = "spark.executor.extraJavaOptions"
_SUBMITTED = "PYSPARK_GATEWAY_PORT"
"""Set by spark-submit: its JVM waits for this program."""


class _Spark:
    """The JVM and the Spark context of this process, and the sessions of the applications that use it."""

    def __init__(self) -> None:
        self._sessions: list[Session] = []
        self._turn = threading.Lock()
        self.gateway: Gateway | None = None

    def join(self, settings: Mapping[str, str], log: Path, verbose: bool, inherited: Sequence[int]) -> Session:
        with self._turn:
            master = master_of(settings)
            self._make_way(master)
            self._refuse_a_stranger()
            if self.gateway is None:
                master.check()
                SparkContext._gateway = SparkContext._jvm = None  # of a stranger that has stopped
                self.gateway = Gateway(master, _all_settings(master, settings), log, verbose, inherited)
            elif settings:
                logging.getLogger("headrace").info("Spark runs already: settings of its process are not changed")
            SparkContext._ensure_initialized(gateway=self.gateway.py4j)
            return self._new_session(master, _all_settings(master, settings))

    def leave(self, session: Session) -> None:
        with self._turn:
            if session in self._sessions:  # else it was given, and is not ours to stop
                self._drop(session)

    def kill(self, session: Session) -> bool:
        """Kill the JVM without the lock: whoever holds that may be waiting for the JVM."""
        if self.gateway is None or any(one is not session for one in self._sessions):
            return False
        self.gateway.kill()
        return True

    def _new_session(self, master: Master, settings: Mapping[str, str]) -> Session:
        assert self.gateway is not None
        builder = SparkSession.builder.appName("headrace")
        for name, value in settings.items():
            builder = builder.config(name, value)
        try:
            with _own_signals():
                session = builder.getOrCreate().newSession()
        except Py4JJavaError as exc:
            reason = str(exc.java_exception.toString()).splitlines()[0]
            raise SparkNotStarted(str(master), reason, str(self.gateway.log)) from exc
        self._sessions.append(session)
        try:
            _equip(session, master)
        except BaseException:
            self._drop(session)
            raise
        return session

    def _drop(self, session: Session) -> None:
        self._sessions.remove(session)
        if not self._sessions:
            with suppress(Py4JError, ConnectionError):  # a JVM that is gone has nothing to give back
                kernel(session, "kafka").Producers.close()
                kernel(session, "kafka").TaskProducers.close()
                kernel(session, "kafka").DeadLetters.close()
                kernel(session, "python").PythonWorker.close()
                session.stop()

    def _make_way(self, master: Master) -> None:
        """Forget a JVM that has died, or was for another cluster; pyspark would go on asking it."""
        gateway = self.gateway
        if gateway is None or (gateway.alive and not gateway.differs(master)):
            return
        if gateway.alive and self._sessions:
            fix = "close the applications that run there first, or start this one in a process of its own"
            raise SparkInUse(str(gateway.master), str(master), fix)
        gateway.end()
        self.gateway, self._sessions = None, []
        SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
        SparkSession._instantiatedSession = None

    def _refuse_a_stranger(self) -> None:
        """A process has one Spark: unless ours is there, nobody else's may be."""
        running = SparkContext._active_spark_context
        if not self._sessions and (running is not None or _SUBMITTED in os.environ):
            there = str(running.master) if running is not None else "what spark-submit was told"
            fix = "give it the session: hr.App(..., spark=SparkSession.builder.getOrCreate())"
            raise SparkInUse(there, "one of its own", fix)


_SPARK = _Spark()
"""A process has one JVM, as pyspark has it: this is the one thing that is shared without being handed around."""


def join(wanted: Wanted, log: Path, *, verbose: bool = False, inherited: Sequence[int] = ()) -> Session:
    """A session for one application: in the JVM of this process, which is started if need be, or beside the given one.

    `inherited` are open files that a JVM of ours keeps open for as long as it runs.
    """
    if isinstance(wanted, Mapping):
        return _SPARK.join(wanted, log, verbose, inherited)
    session = borrow(wanted, {name: value for name, value in SETTINGS.items() if name.startswith("spark.sql.")})
    _equip(session, master_of(wanted))
    return session


def leave(session: Session) -> None:
    """Give back a session; a Spark that was started for applications stops with the last one."""
    _SPARK.leave(session)


@contextmanager
def joined(wanted: Wanted, log: Path, *, verbose: bool = False, inherited: Sequence[int] = ()) -> Iterator[Session]:
    """The session of one command, which leaves when it is done, see `join`."""
    session = join(wanted, log, verbose=verbose, inherited=inherited)
    try:
        yield session
    finally:
        leave(session)


def kill(session: Session) -> bool:
    """End the JVM of an application at once, whatever runs there; False if it is not ours, or others use it."""
    return _SPARK.kill(session)


def end_by(deadline: Deadline) -> None:
    """Set the deadline by which the JVM has to end by itself: this process is told to end."""
    if _SPARK.gateway is not None:
        _SPARK.gateway.end_by = deadline


def master_of(wanted: Wanted) -> Master:
    """Master that an application wants."""
    if isinstance(wanted, Mapping):
        return Master(wanted["spark.master"]) if "spark.master" in wanted else Master()
    return Master(str(wanted.sparkContext.master))


def log_of(wanted: Wanted, usual: Path) -> Path | str:
    """Path of Spark's log: the one of the application that started Spark, else the usual one."""
    if not isinstance(wanted, Mapping):
        return "that of the session that was given"
    gateway = _SPARK.gateway
    return gateway.log if gateway is not None and gateway.alive else usual


def hide_in_log(wanted: Wanted, session: Session, secrets: Sequence[str]) -> None:
    """Keep texts out of the log of a Spark of ours; a session that was given logs as its owner has set it up."""
    if isinstance(wanted, Mapping):
        kernel(session).LogSecrets.hide(list(secrets))


def threads(session: Session) -> int:
    """How many tasks run at once."""
    return session.sparkContext.defaultParallelism


def note_run() -> None:
    """A query runs."""
    if _SPARK.gateway is not None:
        _SPARK.gateway.has_run = True


def kernel(session: Session, package: str = "") -> Any:
    """Package of the kernel in the JVM: one of those that are free of Spark, or without a name the one bound to it.

    Named as a whole: of a name in parts, the JVM looks into all of its jars for a class of each part.
    """
    return getattr(session._jvm, f"headrace.{package}" if package else "org.apache.spark.sql.headrace")


def _equip(session: Session, master: Master) -> None:
    """Give a session what it needs of us, and the executors too."""
    ship(session, master)
    kernel(session).Kernel.install(session._jsparkSession)


def _all_settings(master: Master, settings: Mapping[str, str]) -> dict[str, str]:
    """Ours, and over them the application's; the driver of a cluster elsewhere must not hide from it."""
    ours = {**SETTINGS, **_COMPILED, **(_LOOPBACK if master.here else {}), **(_INSIDE if master.inside else {})}
    everything = {**ours, **settings, "spark.master": master.patient}
    if _EXTENSIONS in settings:
        everything[_EXTENSIONS] = f"{SETTINGS[_EXTENSIONS]},{settings[_EXTENSIONS]}"
    if not master.inside:
        everything[_EXECUTOR_OPTIONS] = " ".join(
            [DEEP_PLANS, NO_PROVIDERS, settings.get(_EXECUTOR_OPTIONS, "")]
        ).strip()
    return everything


@contextmanager
def _own_signals() -> Iterator[None]:
    """Keep pyspark from putting a handler of its own on Ctrl-C, which would cancel the batch."""
    handler = signal.getsignal(signal.SIGINT)
    yield
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, handler)
