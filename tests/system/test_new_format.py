"""A new format runs natively on Spark, by a codec that is compiled beside the kernel, and does as in the driver."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import headrace as hr
from formats import cities
from formats.cities import READ, WRITTEN, declare
from headrace.dsl import Builder
from headrace.jvm.kernel import compile_kernel, kernel_jar
from headrace.log.broker import EmbeddedBroker
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from headrace.model.record import Header
from headrace.testing import TopologyTestDriver

pytestmark = pytest.mark.spark

FORMATS = Path(cities.__file__).parent
SENT: dict[str, list[tuple[bytes, bytes, tuple[Header, ...]]]] = {
    "orders": [
        (b"id=1", b"city=Rome;name=Ann", ()),
        (b"id=2", b"city=Oslo;name=Bob", (("trace", b"7"),)),
        (b"id=3~no=4", b"city=Rome~name=Cid", (("pairs-key", b"~"), ("pairs-value", b"~"), ("trace", b"8"))),
        (b"id=1", b"city=Rome", (("pairs-value", b"#"), ("none", None))),
        (b"", b"city=Rome;name=D\xc3\xa9", ()),
    ],
    "calls": [
        (b"k", b"name=Ann&to=Bob", ()),
        (b"k", b"name", ()),
        (b"k", b"name=Eve,to=Bob", (("pairs-value", b","),)),
        (b"k", b"\xff=1", ()),
        (b"k", b"name", (("pairs-value", b"\xff"),)),
    ],
}


@pytest.fixture(scope="module")
def codec(tmp_path_factory: pytest.TempPathFactory) -> Path:
    jar = tmp_path_factory.mktemp("codec") / "pairs.jar"
    compile_kernel([FORMATS / "pairs" / "PairsCodec.scala"], jar, jars=[kernel_jar()])
    return jar


@pytest.fixture
def own_broker(tmp_path: Path) -> Iterator[str]:
    """Topics have the names by which the serdes are bound."""
    embedded = EmbeddedBroker(tmp_path / "broker")
    with embedded.join() as lease:
        yield lease.address
    embedded.stop()


def test_records_are_those_of_the_driver(own_broker: str, codec: Path, tmp_path: Path) -> None:
    for topic in (*READ, *WRITTEN):
        Topics(own_broker).create(topic, 1)
    for topic, records in SENT.items():
        sent = [NewRecord(key=key, value=value, headers=headers, timestamp_ms=1) for key, value, headers in records]
        produce(own_broker, None, topic, sent)
    expected = in_the_driver("fail"), in_the_driver("skip")
    command = [sys.executable, str(FORMATS / "cities.py"), own_broker, str(tmp_path / "kept"), str(codec)]
    environment = {**os.environ, "PYTHONPATH": str(FORMATS.parent), "HEADRACE_DATA_DIR": str(tmp_path / "data")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = {
        topic: [(one.key, one.value, tuple(one.headers)) for one in consume(own_broker, None, topic)]
        for topic in WRITTEN
    }
    assert found == {topic: [record for mode in expected for record in mode[topic]] for topic in WRITTEN}


def in_the_driver(on_error: str) -> dict[str, list[tuple[object, ...]]]:
    app = Builder("cities", on_error=on_error)
    declare(app)
    with TopologyTestDriver(app) as driver:
        with driver.batch():
            for topic, records in SENT.items():
                into = driver.input(topic, key=hr.BYTES, value=hr.BYTES)
                for key, value, headers in records:
                    into.pipe(value, key=key, ts=1, headers=headers)
        outputs = {topic: driver.output(topic, key=hr.BYTES, value=hr.BYTES) for topic in WRITTEN}
        return {
            topic: [(one.key, one.value, one.headers) for one in output.read_records()]
            for topic, output in outputs.items()
        }
