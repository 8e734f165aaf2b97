"""External session, started by somebody else: checks of what it has, and a session of ours beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from py4j.java_gateway import JavaClass
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from headrace.errors import SessionUnfit
from headrace.jvm.kernel import kernel_jar

_KERNEL = "org.apache.spark.sql.headrace.Kernel"
_CONNECTOR = (
    "org.apache.spark.sql.kafka010.KafkaSourceProvider",
    "org.apache.spark.kafka010.KafkaConfigUpdater",
    "org.apache.kafka.clients.producer.KafkaProducer",
    "org.apache.commons.pool2.ObjectPool",
)


def borrow(session: SparkSession, settings: Mapping[str, str]) -> SparkSession:
    """A new session beside the given one, with these settings; the given one stays as it is."""
    beside = session.newSession()
    fixed = {name: value for name, value in settings.items() if not _set(beside, name, value)}
    lacks = [*_wrong_jars(session), *_wrong_settings(session, fixed)]
    if lacks:
        raise SessionUnfit(lacks, f"start it with {_options(fixed)}")
    return beside


def _set(session: SparkSession, name: str, value: str) -> bool:
    """Set what can be set on a session that is there."""
    try:
        session.conf.set(name, value)
    except AnalysisException:
        return False
    return True


def _wrong_jars(session: SparkSession) -> Iterator[str]:
    there, made_for = session.version, version("pyspark")
    if there.split(".")[:2] != made_for.split(".")[:2]:
        yield f"it is Spark {there}, and headrace is made for {made_for}"
    missing = [name for name in _CONNECTOR if not _has(session, name)]
    if missing:
        yield f"the Kafka connector is not on its class path ({', '.join(missing)})"
    if not _has(session, _KERNEL):
        yield "the kernel of headrace is not on its class path"
    elif not _is_ours(_path_of(session, _KERNEL)):
        yield f"its kernel is that of another headrace ({_path_of(session, _KERNEL)})"


def _wrong_settings(session: SparkSession, fixed: Mapping[str, str]) -> Iterator[str]:
    """What can only be said when a session is made must have been said. A list may hold more than our own."""
    for name, value in fixed.items():
        if value not in str(session.conf.get(name, "")).split(","):
            yield f"{name} is not {value}"


def _options(fixed: Mapping[str, str]) -> str:
    settings = "".join(f" --conf {name}={value}" for name, value in fixed.items())
    return f'spark-submit --jars "$(headrace jars)"{settings}, or with the same settings of SparkSession.builder'


def _has(session: SparkSession, name: str) -> bool:
    found: Any = session._jvm
    for part in name.split("."):
        found = getattr(found, part)
    return isinstance(found, JavaClass)


def _path_of(session: SparkSession, name: str) -> Path:
    loader = session._jvm.java.lang.Thread.currentThread().getContextClassLoader()  # type: ignore[union-attr]
    location = loader.loadClass(name).getProtectionDomain().getCodeSource().getLocation()
    return Path(url2pathname(urlsplit(str(location)).path))


def _is_ours(jar: Path) -> bool:
    return not jar.is_file() or jar.read_bytes() == kernel_jar().read_bytes()
