"""Nothing lost and nothing twice, whatever is killed, stopped or taken away while records come.

`make test` kills the driver twice. `make chaos` runs everything here: HEADRACE_CHAOS is how often.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from headrace.log.broker import EmbeddedBroker
from headrace.log.broker_dir import BrokerDir
from headrace.log.topics import Topics
from system.chaos import CHAOS, Ledger, Program, kafka_streams, long, send, started
from system.test_clusters import Cluster

pytestmark = pytest.mark.spark

IMPATIENT = {"default.api.timeout.ms": "5000", "request.timeout.ms": "2000", "delivery.timeout.ms": "5000"}


@pytest.fixture
def ledger(broker: str, topic: Callable[..., str], tmp_path: Path) -> Ledger:
    """The program as it is."""
    return Ledger(broker, topic, tmp_path)


@contextmanager
def kept_running(ledger: Ledger) -> Iterator[Program]:
    """A run that goes on by itself through all faults."""
    program = ledger.running()
    try:
        yield program
        assert program.process.poll() is None, program.said
    finally:
        program.kill()


def test_the_driver_is_killed(ledger: Ledger, chance: random.Random) -> None:
    kills = CHAOS or 2
    with ledger.load(chance):
        for _ in range(kills):
            program = ledger.running()
            time.sleep(chance.uniform(3.0, 9.0))
            assert program.process.poll() is None, program.said
            send(program.process.pid, signal.SIGKILL)
            program.process.wait()
    ledger.finish()
    ledger.check(f"{kills} times the driver killed")


@long
def test_sparks_jvm_is_killed(ledger: Ledger, chance: random.Random) -> None:
    with ledger.load(chance), kept_running(ledger) as program:
        for number in range(CHAOS // 2):
            ledger.await_progress(program)
            time.sleep(chance.uniform(0.0, 4.0))
            (jvm,) = program.started("SparkSubmit")
            send(jvm, signal.SIGKILL)
            program.await_words("running again", number + 1)
    ledger.finish()
    ledger.check(f"{CHAOS // 2} times Spark's JVM killed")


@long
def test_a_python_worker_is_killed(
    broker: str, topic: Callable[..., str], tmp_path: Path, chance: random.Random
) -> None:
    ledger, kills = Ledger(broker, topic, tmp_path, lane="in_python"), 0
    with ledger.load(chance), kept_running(ledger) as program:
        while kills < CHAOS:
            ledger.await_progress(program)
            time.sleep(chance.uniform(0.0, 2.0))
            for worker in program.started("headrace.lane.worker"):
                send(worker, signal.SIGKILL)
                kills += 1
    ledger.finish()
    ledger.check(f"{kills} times a Python worker killed")


@long
def test_the_broker_is_killed(tmp_path: Path, chance: random.Random) -> None:
    directory = tmp_path / "broker"
    embedded = EmbeddedBroker(directory)
    address = embedded.start().address
    assert address is not None

    def topic(stem: str, partitions: int) -> str:
        Topics(address).create(stem, partitions)
        return stem

    ledger = Ledger(address, topic, tmp_path, kafka=IMPATIENT)
    try:
        with ledger.load(chance), kept_running(ledger):
            for _ in range(CHAOS):
                time.sleep(chance.uniform(4.0, 8.0))
                state = BrokerDir(directory).read_state()
                assert state is not None
                assert state.java_pid is not None
                send(state.pid, signal.SIGKILL)
                send(state.java_pid, signal.SIGKILL)
                time.sleep(chance.uniform(0.0, 8.0))
                embedded.start(port=int(address.rpartition(":")[2]))
            time.sleep(10)
        ledger.finish()
        ledger.check(f"{CHAOS} times the broker killed")
    finally:
        embedded.stop()


@long
def test_an_executor_is_killed(broker: str, topic: Callable[..., str], tmp_path: Path, chance: random.Random) -> None:
    cluster, kills = Cluster(tmp_path), 0
    try:
        settings = {"spark.master": cluster.start_two_workers(), "spark.executor.memory": "512m"}
        checkpoint = f"file://{tmp_path / 'checkpoint'}"
        ledger = Ledger(broker, topic, tmp_path, spark=settings, checkpoint=checkpoint)
        with ledger.load(chance), kept_running(ledger):
            while kills < CHAOS:
                time.sleep(chance.uniform(4.0, 8.0))
                executors = started(os.getpid(), "CoarseGrainedExecutorBackend")
                if executors:
                    send(chance.choice(executors), signal.SIGKILL)
                    kills += 1
        ledger.finish()
        ledger.check(f"{kills} times an executor killed")
    finally:
        cluster.stop()


@long
def test_it_is_stopped_for_half_a_minute(ledger: Ledger, chance: random.Random) -> None:
    with ledger.load(chance), kept_running(ledger) as program:
        for _ in range(2):
            time.sleep(chance.uniform(3.0, 6.0))
            everything = [program.process.pid, *program.started("")]
            for pid in everything:
                send(pid, signal.SIGSTOP)
            time.sleep(30)
            for pid in everything:
                send(pid, signal.SIGCONT)
        time.sleep(10)
    ledger.finish()
    ledger.check("2 times stopped for 30 s")


@long
def test_another_driver_is_started(ledger: Ledger, chance: random.Random) -> None:
    """The lock is taken away each time, as if it were on another machine. One of both goes on."""
    drivers = [ledger.running()]
    try:
        with ledger.load(chance):
            for _ in range(CHAOS // 4):
                time.sleep(chance.uniform(3.0, 6.0))
                (ledger.checkpoint / "lock").unlink(missing_ok=True)
                drivers.append(ledger.run())
                deadline = time.monotonic() + 90
                while len(alive := [one for one in drivers if one.process.poll() is None]) > 1:
                    assert time.monotonic() < deadline, [one.said for one in alive]
                    time.sleep(0.2)
                drivers = alive
                assert drivers
            time.sleep(5)
            assert drivers[0].process.poll() is None
    finally:
        for driver in drivers:
            driver.kill()
    ledger.finish()
    ledger.check(f"{CHAOS // 4} times a second driver started")


@long
def test_the_disk_is_full(
    broker: str, topic: Callable[..., str], tmp_path: Path, disk: Callable[[str], Path], chance: random.Random
) -> None:
    place, times = disk("64m"), CHAOS // 4
    ledger, filler = Ledger(broker, topic, tmp_path, checkpoint=str(place / "checkpoint")), place / "filler"
    with ledger.load(chance), kept_running(ledger) as program:
        for number in range(times):
            time.sleep(chance.uniform(3.0, 6.0))
            _fill(filler)
            program.await_words("the checkpoint directory cannot be written", number + 1)
            filler.unlink()
            program.await_words("running again", number + 1)
    ledger.finish()
    ledger.check(f"{times} times the disk of the checkpoint full")


@long
def test_a_batch_cannot_be_noted(ledger: Ledger, chance: random.Random) -> None:
    """What Spark writes when a batch is done: its output is there, and its note is not."""
    notes, times = ledger.checkpoint / "spark" / "commits", CHAOS // 4
    with ledger.load(chance), kept_running(ledger) as program:
        for number in range(times):
            time.sleep(chance.uniform(3.0, 6.0))
            notes.rename(notes.with_name("away"))
            notes.write_text("in its place")
            program.await_words("; trying again in", number + 1)
            notes.unlink()
            notes.with_name("away").rename(notes)
            program.await_words("running again", number + 1)
    ledger.finish()
    ledger.check(f"{times} times the note of a batch not written")


def _fill(filler: Path) -> None:
    with filler.open("wb", buffering=0) as out:
        try:
            while True:
                out.write(b"x" * 65_536)
        except OSError:
            return


@long
def test_kafka_streams_is_killed(broker: str, topic: Callable[..., str], tmp_path: Path, chance: random.Random) -> None:
    """The check is a fair one: Kafka Streams passes it."""
    ledger = Ledger(broker, topic, tmp_path)
    names = {"source": ledger.source, "target": ledger.echo, "table": ledger.folds}
    command = kafka_streams("ledger", broker, tmp_path, **names)
    kills = CHAOS // 2
    with ledger.load(chance):
        for number in range(kills):
            program = Program(command, tmp_path / f"streams-{number}.txt").once_it_says("polling")
            time.sleep(chance.uniform(3.0, 9.0))
            program.kill()
    program = Program(command, tmp_path / "streams-last.txt")
    deadline = time.monotonic() + 120
    try:
        while True:
            try:
                ledger.check(f"Kafka Streams, {kills} times killed")
                return
            except AssertionError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(2)
    finally:
        program.kill()
