"""An application that goes on by itself when what it needs was away, and one that stops when it must not go on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

import headrace as hr
from headrace.errors import BrokerLost, TopicReplaced
from headrace.log.broker import EmbeddedBroker
from headrace.log.broker_dir import BrokerDir
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from system.chaos import Program
from waiting import until

pytestmark = pytest.mark.spark

IMPATIENT = {"default.api.timeout.ms": "2000", "request.timeout.ms": "1000", "delivery.timeout.ms": "2000"}


def values(address: str, topic: str) -> list[bytes]:
    return sorted(record.value or b"" for record in consume(address, None, topic))


def await_values(address: str, topic: str, wanted: list[bytes]) -> None:
    until(lambda: values(address, topic) == wanted, lambda: values(address, topic))


def kill_broker(directory: Path) -> None:
    state = BrokerDir(directory).read_state()
    assert state is not None
    assert state.java_pid is not None
    for pid in (state.pid, state.java_pid):
        os.kill(pid, signal.SIGKILL)


@pytest.mark.usefixtures("spark")
def test_a_broker_that_was_away(broker_dir: Path, tmp_path: Path) -> None:
    embedded = EmbeddedBroker(broker_dir)
    address = embedded.start().address
    assert address is not None
    for name in ("in", "out"):
        Topics(address).create(name, 1)

    def copy(name: str, retry_for: str) -> hr.App:
        app = hr.App(name, broker=address, kafka=IMPATIENT, checkpoint=tmp_path / name, retry_for=retry_for)
        app.stream("in").to("out" if name == "patient" else "in-vain")
        return app

    Topics(address).create("in-vain", 1)
    patient, hasty, leaving = copy("patient", "2m"), copy("hasty", "0s"), copy("leaving", "2m")
    seen: list[str] = []
    patient.on_state(lambda _, new: seen.append(new.value))
    leaving.on_state(lambda _, new: leaving.close() if new is hr.State.RETRYING else None)
    patient.start()
    hasty.start()
    leaving.start()
    try:
        produce(address, None, "in", [NewRecord(value=b"before")])
        await_values(address, "out", [b"before"])
        kill_broker(broker_dir)
        with pytest.raises(BrokerLost, match=f"the Kafka broker at {address} stopped answering"):
            hasty.wait(60)
        assert hasty.state is hr.State.FAILED
        until(lambda: patient.state is hr.State.RETRYING, lambda: patient.state)
        until(lambda: leaving.state is hr.State.CLOSED, lambda: leaving.state)
        embedded.start(port=int(address.rpartition(":")[2]))
        produce(address, None, "in", [NewRecord(value=b"after")])
        await_values(address, "out", [b"after", b"before"])
    finally:
        leaving.close()
        hasty.close()
        patient.close()
    assert seen[:2] + seen[-3:] == ["starting", "running", "running", "closing", "closed"]
    assert "retrying" in seen


KILLS_ITS_SPARK = """
import os, signal, sys, time
import headrace as hr
from headrace.spark.session import spark as session

app = hr.App("orphan", broker=sys.argv[1], checkpoint=sys.argv[2])
app.stream(sys.argv[3]).to(sys.argv[4])
app.on_state(lambda old, new: print(new.value, flush=True))
app.on_batch(lambda metrics: print(f"{metrics.records_in} in", flush=True))
app.start()
while not app.metrics().records_in:
    time.sleep(0.1)
os.kill(session._SPARK.gateway.py4j.proc.pid, signal.SIGKILL)
sys.stdin.readline()
app.close()
"""


def test_a_spark_that_was_killed_is_started_again(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic("in", 1), topic("out", 1)
    produce(broker, None, source, [NewRecord(value=b"before")])
    command = [sys.executable, "-c", KILLS_ITS_SPARK, broker, str(tmp_path), source, target]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said: list[str] = []
        while said.count("running") < 2:
            line = process.stdout.readline()
            assert line, said
            said.append(line.strip())
        produce(broker, None, source, [NewRecord(value=b"after")])
        await_values(broker, target, [b"after", b"before"])
        said += process.communicate("\n", timeout=60)[0].split("\n")
    assert process.returncode == 0
    assert [line for line in said if line.isalpha()] == [
        "starting",
        "running",
        "retrying",
        "running",
        "closing",
        "closed",
    ]


@pytest.mark.usefixtures("spark")
def test_a_topic_that_was_made_again_is_another(broker: str, tmp_path: Path) -> None:
    source, target = (f"{stem}-{uuid.uuid4().hex[:8]}" for stem in ("in", "out"))
    topics = Topics(broker)
    for name in (source, target):
        topics.create(name, 1)
    produce(broker, None, source, [NewRecord(value=b"old")] * 3)

    def run() -> None:
        app = hr.App(f"reads-{source}", broker=broker, checkpoint=tmp_path)
        app.stream(source).to(target)
        app.run(until="latest")

    run()
    topics.delete([source])
    topics.create(source, 1)
    produce(
        broker, None, source, [NewRecord(value=b"new")] * 5
    )  # more than there were: its offsets are not out of range
    with pytest.raises(TopicReplaced, match=f"topic '{source}' was deleted and made again"):
        run()
    assert values(broker, target) == [b"old"] * 3


RUNS_ON = """
import sys
import headrace as hr

app = hr.App("twice", broker=sys.argv[1], checkpoint=sys.argv[2])
app.stream(sys.argv[3]).to(sys.argv[4])
app.run()
"""


def test_of_two_drivers_one_stops(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    """Where the lock of the checkpoint is not seen, as on another machine."""
    source, target = topic("in", 1), topic("out", 1)
    command = [sys.executable, "-c", RUNS_ON, broker, str(tmp_path), source, target]
    drivers = []
    try:
        for _ in range(2):
            (tmp_path / "lock").unlink(missing_ok=True)
            drivers.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
            produce(broker, None, source, [NewRecord(value=str(len(drivers)).encode())])
            await_values(broker, target, [str(number + 1).encode() for number in range(len(drivers))])
        sent, deadline = 2, time.monotonic() + 120
        while all(driver.poll() is None for driver in drivers):
            assert time.monotonic() < deadline
            produce(broker, None, source, [NewRecord(value=b"x")])
            sent += 1
            time.sleep(0.5)
        await_values(broker, target, [b"1", b"2", *[b"x"] * (sent - 2)])
        (stopped,) = [driver for driver in drivers if driver.poll() is not None]
        assert stopped.stderr is not None
        assert "application 'twice' was taken over by another process" in stopped.stderr.read()
    finally:
        for driver in drivers:
            driver.kill()
            driver.wait()


ASKED = """
import sys
import headrace as hr

app = hr.App("asked", broker=sys.argv[1], checkpoint=sys.argv[2], close_timeout="5s", serve=None)
app.stream("in", key=hr.STRING).group_by_key().count(store="n").to_stream().to("out", key=hr.STRING, value=hr.INT64)
app.run()
"""


def test_what_outsiders_do_to_its_topics_and_its_broker(broker_dir: Path, tmp_path: Path) -> None:
    """They delete the topic that it writes, then its changelog, and then they stop the broker for good."""
    embedded = EmbeddedBroker(broker_dir)
    address = embedded.start().address
    assert address is not None
    topics = Topics(address)
    for name in ("in", "out"):
        topics.create(name, 1)

    def counts() -> list[int | None]:
        return [hr.INT64.decode(record.value) for record in consume(address, None, "out")]

    def count(wanted: list[int]) -> None:
        produce(address, None, "in", [NewRecord(key=b"k", value=b"v")])
        until(lambda: counts() == wanted, counts)

    program = Program([sys.executable, "-c", ASKED, address, str(tmp_path / "checkpoint")], tmp_path / "said")
    try:
        program.await_words(": running")
        count([1])
        topics.delete(["out"])
        program.await_words("topic 'out' was deleted while the application writes it; trying again in 1 s")
        topics.create("out", 1)
        program.await_words("running again")
        count([2])
        topics.delete(["asked-n-changelog"])
        program.await_words("topic 'asked-n-changelog', the changelog of a store, was deleted by somebody else")
        program.await_words("running again", 2)
        count([2, 3])
        embedded.stop()
        program.await_words(f"no Kafka broker answered at {address} within 3 s")
        program.stop()
        assert "the batch was not done within" in program.said
        assert f"no Kafka broker answers at {address}; it is broken off" in program.said
        assert "asked: closed after 3 records in" in program.said
    finally:
        program.kill()
