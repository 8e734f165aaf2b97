"""Gateway to the JVM of Spark: how it is started, and how it ends."""

from __future__ import annotations

import atexit
import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from pyspark import SparkConf
from pyspark.errors import PySparkRuntimeError
from pyspark.java_gateway import launch_gateway

from headrace.errors import SparkNotStarted
from headrace.jvm.archive import spark_archive
from headrace.jvm.jars import fetch
from headrace.jvm.java import NO_PROVIDERS, find_java
from headrace.jvm.kernel import kernel_jar
from headrace.jvm.paths import pyspark_jars
from headrace.model.deadline import Deadline
from headrace.spark.session.master import Master
from headrace.spark.session.scratch import Scratch

_LOGGER = logging.getLogger("headrace")
_LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")
_JAVA_OPTIONS = "spark.driver.extraJavaOptions"
_REASON = re.compile(
    r'^(?:Exception in thread "main" [\w.$]+: |Error: |(?=Could not |Failed to |There is insufficient ))'
)
_TITLE = "Error occurred during initialization of VM"
_OF_ANY_REASON = re.compile(r"^Error: (Could not create the Java Virtual Machine|A fatal exception has occurred)")

# Names of settings and options whose values nobody is to see.
SECRET = r"(?i)secret|password|token|credential|jaas|url|access[.]?key|ssl[.](key|truststore|keystore)"

# What plans a batch is not worth the time of the JVM's second compiler, which would take a core from the records.
_COMPILER_SETTINGS = Path(__file__).with_name("compiler.json")

_PRIVATE = 0o077
USERS_UMASK = "HEADRACE_UMASK"
"""Environment variable of the JVM: what files the functions of the user make, in Python processes beside it."""

# A topology of many operators is a deep plan, and Spark goes through it by recursion.
DEEP_PLANS = "-Xss16m"


class Gateway:
    """A JVM of this process's own."""

    def __init__(
        self, master: Master, settings: Mapping[str, str], log: Path, verbose: bool, inherited: Sequence[int]
    ) -> None:
        self.master, self.log = master, log
        self.end_by: Deadline | None = None
        """When the JVM has to have ended, once its process is told to."""

        self.has_run = False
        """Whether a query ran in it: then its classes are worth to be kept for the next one."""
        java, connector = find_java(), fetch("connector")
        self._archive = spark_archive(java, connector)
        self._mapped = self._archive.take(_LOGGER.warning)
        conf = SparkConf(loadDefaults=False)
        for name, value in settings.items():
            if not re.search(SECRET, name):  # everybody sees the command line; the session is told of it later
                conf.set(name, value)
        # The kernel is no part of the archive: it changes more often than the jars, and is small.
        conf.set("spark.driver.extraClassPath", os.pathsep.join(map(str, connector)))
        kernel = f"local:{kernel_jar()}" if master.inside else str(kernel_jar())  # or Spark sends it to itself
        conf.set("spark.jars", ",".join(filter(None, [kernel, settings.get("spark.jars", "")])))
        given = settings.get(_JAVA_OPTIONS, "")
        log.parent.mkdir(parents=True, exist_ok=True)
        # Spark would follow a SPARK_HOME of another version.
        environment = {"SPARK_HOME": str(pyspark_jars().parent)}
        if master.here:
            conf.set("spark.pyspark.python", sys.executable)
            environment["SPARK_LOCAL_IP"] = "127.0.0.1"  # Spark has no setting for the address of local executors
        self._scratch = Scratch()
        child: dict[str, Any] = {"start_new_session": True, "pass_fds": (*inherited, self._scratch.lock)}
        if master.inside:  # the executors of a cluster may be other users, who have to read what the driver writes
            child["umask"] = _PRIVATE
            environment[USERS_UMASK] = f"{_umask():o}"
        with (
            open(log, "ab", opener=lambda name, flags: os.open(name, flags, 0o600)) as stderr,
            _with_environment(environment),
        ):
            child["stderr"] = stderr
            try:
                self.py4j: Any = self._started(conf, given, verbose, child)
            except BaseException:
                self._scratch.remove()
                raise
        atexit.register(self.end)

    def differs(self, master: Master) -> bool:
        """Whether it cannot run what is for this master: a driver is told of its cluster at its start."""
        return master != self.master and not (master.inside and self.master.inside)

    @property
    def alive(self) -> bool:
        """Whether its process still runs."""
        return self.py4j.proc.poll() is None

    def kill(self) -> None:
        """End the JVM and the processes that it has started, whatever they do."""
        with suppress(ProcessLookupError):
            os.killpg(self.py4j.proc.pid, signal.SIGKILL)

    def _started(self, conf: SparkConf, given: str, verbose: bool, child: dict[str, Any]) -> Any:
        """Start the JVM; one that ends early with its archive of classes is tried once without."""
        try:
            return self._launch(conf, given, verbose, child)
        except SparkNotStarted:
            if self._mapped is None:
                raise
        mapped, self._mapped = self._mapped, None
        py4j = self._launch(conf, given, verbose, child)
        mapped.unlink(missing_ok=True)
        _LOGGER.warning("Spark's JVM ended early with its archive of classes, and runs without: it is made anew")
        return py4j

    def _launch(self, conf: SparkConf, given: str, verbose: bool, child: dict[str, Any]) -> Any:
        """Start the JVM with our options and those of the application."""
        conf.set(_JAVA_OPTIONS, " ".join([*map(_quoted, self._options(verbose)), given]))
        before = self.log.stat().st_size
        try:
            return launch_gateway(conf, child)  # type: ignore[no-untyped-call]
        except PySparkRuntimeError as exc:
            with self.log.open(encoding="utf-8", errors="replace") as log:
                log.seek(before)
                reason = why_it_ended(log)
            raise SparkNotStarted(str(self.master), reason, str(self.log)) from exc

    def _options(self, verbose: bool) -> list[str]:
        return [
            "-XX:+UseParallelGC",
            # A heap that begins small, and grows when more than a twentieth of the time is spent collecting it.
            "-Xms64m",
            "-XX:GCTimeRatio=19",
            "-XX:MetaspaceSize=128m",  # more than Spark's classes need: for want of room all of the heap is collected
            "-XX:+UnlockDiagnosticVMOptions",
            f"-XX:CompilerDirectivesFile={_COMPILER_SETTINGS}",
            "-XX:+DisplayVMOutputToStderr",  # where it says that it read these
            DEEP_PLANS,
            NO_PROVIDERS,
            *self._archive.java_options(self._mapped),
            f"-Djava.io.tmpdir={self._scratch.path}",
            f"-XX:ErrorFile={self.log.with_suffix('.crash')}",  # which would lie where the user has started the program
            f"-Dlog4j2.configurationFile={_LOG_SETTINGS.as_uri()}",
            f"-Dheadrace.log={self.log}",
            f"-Dheadrace.level={'info' if verbose else 'warn'}",
            f"-Dheadrace.console={'info' if verbose else 'off'}",
        ]

    def end(self) -> None:
        """End the JVM with this process, not after it. It writes the archive then, if it was given none."""
        atexit.unregister(self.end)
        new = self._mapped is None
        if new and self.has_run and sys.stderr.isatty():
            print("saving Spark's classes for quicker starts (once) ...", file=sys.stderr, flush=True)
        self.py4j.shutdown()  # or the objects that Python still holds would call a JVM that is gone
        self.py4j.proc.stdin.close()
        try:
            self.py4j.proc.wait(None if self.end_by is None else self.end_by.left())
        except subprocess.TimeoutExpired:
            self.kill()
            self.py4j.proc.wait()
        if new:
            self._archive.settle(whole=self.has_run and self.py4j.proc.returncode == 0)
        self._scratch.remove()


def why_it_ended(said: Iterable[str]) -> str:
    """The line that says it, of those that a JVM has said before it ended."""
    lines = [line.strip() for line in said]
    reasons = [
        line
        for before, line in pairwise(["", *lines])
        if before.startswith(_TITLE) or (_REASON.search(line) and not _OF_ANY_REASON.search(line))
    ]
    return _REASON.sub("", reasons[-1]) if reasons else "its process has ended"


def _umask() -> int:
    """The umask of this process, which can only be read by setting one: for that moment it is a strict one."""
    os.umask(mine := os.umask(_PRIVATE))
    return mine


def _quoted(option: str) -> str:
    """An option as one word for Spark, which splits them at spaces."""
    escaped = option.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


@contextmanager
def _with_environment(values: Mapping[str, str]) -> Iterator[None]:
    """Other environment variables for a child; it gets those of this process."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
