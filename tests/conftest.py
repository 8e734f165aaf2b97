"""Fixtures for every test that needs a real broker or real Spark: one of each for the whole run."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.terminal import TerminalReporter

from headrace.errors import SetupError
from headrace.jvm.archive import spark_archive
from headrace.jvm.jars import fetch
from headrace.jvm.java import find_java
from headrace.log.broker import EmbeddedBroker
from headrace.log.topics import Topics
from slowest import slowest_first, tell_slowest

# Most code runs a few times only: what the second compiler would make of it is never worth its time. What the first one
# makes of hundreds of topologies is more than there is room for by default, and would be thrown away and made again.
_QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=256m"


def pytest_sessionstart() -> None:
    """Without Java most tests would fail, each with a page of its own: say it once instead."""
    try:
        find_java()
    except SetupError as error:
        pytest.exit(f"error: {error}", returncode=1)
    os.environ["JAVA_TOOL_OPTIONS"] = f"{os.environ.get('JAVA_TOOL_OPTIONS', '')} {_QUICK_JAVA}".strip()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes longest begins first."""
    slowest_first(items)


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """A run that took a while says which files did."""
    tell_slowest(terminalreporter)


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a broker of this run's own."""
    embedded = EmbeddedBroker(tmp_path_factory.mktemp("broker"))
    with embedded.join() as lease:
        yield lease.address
    embedded.stop()


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session with the kernel's functions. While it is there, Spark stays up between applications."""
    from headrace.spark.session.spark import (  # pyspark takes a second to import: only those wait who need it
        join,
        kill,
        leave,
    )

    # Each start leaves much behind that is soon garbage, and classes: with more room both are looked for less often.
    roomy = {"spark.master": "local[2]", "spark.driver.extraJavaOptions": "-Xmn512m -XX:MetaspaceSize=512m"}
    session = join(roomy, tmp_path_factory.mktemp("spark") / "spark.log")
    session.conf.set("spark.sql.shuffle.partitions", 2)
    yield session
    # A JVM that began without an archive of classes would write one as it ends, which takes long: another has by now.
    if spark_archive(find_java(), fetch("connector")).find() is not None:
        kill(session)
    leave(session)


@pytest.fixture
def topic(broker: str) -> Callable[..., str]:
    """Create a topic and return its name, which no other test has: `topic()`, `topic("clicks", partitions=1)`."""

    def create(stem: str = "topic", partitions: int = 4) -> str:
        name = f"{stem}-{uuid.uuid4().hex[:8]}"
        Topics(broker).create(name, partitions)
        return name

    return create


@pytest.fixture
def broker_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A directory for an embedded broker, which the commands and applications of this test find by themselves."""
    directory = tmp_path / "broker"
    monkeypatch.setenv("HEADRACE_BROKER_DIR", str(directory))
    monkeypatch.delenv("HEADRACE_BROKER", raising=False)
    yield directory
    EmbeddedBroker(directory).stop()
