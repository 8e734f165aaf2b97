"""The JVM that Spark runs in: how it is started, and how it ends."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pyspark import SparkConf
from pyspark.java_gateway import launch_gateway

from headrace.jvm.archive import Archive
from headrace.jvm.jars import fetch
from headrace.jvm.java import find_java
from headrace.jvm.kernel import kernel_jar
from headrace.jvm.paths import pyspark_jars

_LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")
_JAVA_OPTIONS = "spark.driver.extraJavaOptions"

# The JVM's second compiler waits for code that is really hot: at the start it would take the cores from the program.
_QUICK_START = (
    "-XX:+UseParallelGC",
    "-XX:Tier4InvocationThreshold=50000",
    "-XX:Tier4MinInvocationThreshold=6000",
    "-XX:Tier4CompileThreshold=150000",
)

# A topology of many operators is a deep plan, and Spark goes through it by recursion.
_DEEP_PLANS = "-Xss16m"


class Gateway:
    """A JVM of this process's own."""

    def __init__(self, settings: Mapping[str, str], log: Path, *, verbose: bool, inherited: Sequence[int]) -> None:
        self.log = log
        self.has_run = False
        """Whether a query ran in it: then its classes are worth to be kept for the next one."""
        java, connector = find_java(), fetch("connector")
        self._archive = Archive.of(f"spark-{version('pyspark')}", java, [pyspark_jars(), *connector])
        conf = SparkConf(loadDefaults=False)
        for name, value in settings.items():
            conf.set(name, value)
        # The kernel is no part of the archive: it changes more often than the jars, and is small.
        conf.set("spark.driver.extraClassPath", os.pathsep.join(map(str, connector)))
        conf.set("spark.jars", ",".join(filter(None, [str(kernel_jar()), settings.get("spark.jars", "")])))
        conf.set(_JAVA_OPTIONS, " ".join([*map(_quoted, self._options(verbose)), settings.get(_JAVA_OPTIONS, "")]))
        conf.set("spark.pyspark.python", sys.executable)
        log.parent.mkdir(parents=True, exist_ok=True)
        # Spark has no setting for the address of local executors, and would follow a SPARK_HOME of another version.
        environment = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(pyspark_jars().parent)}
        with log.open("ab") as stderr, _with_environment(environment):
            child = {"stderr": stderr, "start_new_session": True, "pass_fds": tuple(inherited)}
            self.py4j: Any = launch_gateway(conf, child)  # type: ignore[no-untyped-call]
        atexit.register(self._end)

    @property
    def alive(self) -> bool:
        """Whether its process still runs."""
        return self.py4j.proc.poll() is None

    def _options(self, verbose: bool) -> list[str]:
        return [
            *_QUICK_START,
            _DEEP_PLANS,
            *self._archive.java_options(),
            f"-Dlog4j2.configurationFile={_LOG_SETTINGS.as_uri()}",
            f"-Dheadrace.log={self.log}",
            f"-Dheadrace.level={'info' if verbose else 'warn'}",
            f"-Dheadrace.console={'info' if verbose else 'off'}",
        ]

    def _end(self) -> None:
        """End the JVM with this process, not after it. It writes the archive then, if there was none."""
        new = not self._archive.exists
        if new and self.has_run and sys.stderr.isatty():
            print("saving Spark's classes for quicker starts (once) ...", file=sys.stderr, flush=True)
        self.py4j.shutdown()  # or the objects that Python still holds would call a JVM that is gone
        self.py4j.proc.stdin.close()
        self.py4j.proc.wait()
        if new:
            self._archive.settle(whole=self.has_run and self.py4j.proc.returncode == 0)


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
