"""The embedded broker's life: who starts it, who keeps it, what ends it, what survives a crash."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from headrace.errors import BrokerRunning, BrokerStartFailed, PortInUse
from headrace.jvm import java
from headrace.log.broker import EmbeddedBroker
from headrace.log.broker_dir import BrokerDir, BrokerState
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from system.damage import halve, own_cache
from waiting import until

pytestmark = pytest.mark.spark

USER = """
import sys, time
from headrace.log.broker import EmbeddedBroker
lease = EmbeddedBroker().join(say=lambda text: print(text, flush=True))
print("joined", lease.address, flush=True)
time.sleep(120)
"""


@contextmanager
def user() -> Iterator[subprocess.Popen[str]]:
    """Another process that joins the broker and then just holds on to it."""
    process = subprocess.Popen([sys.executable, "-c", USER], stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def said_until_joined(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout is not None
    lines: list[str] = []
    while not lines or not lines[-1].startswith("joined"):
        line = process.stdout.readline()
        assert line, lines
        lines.append(line.strip())
    return lines


def state_of(directory: Path) -> BrokerState:
    state = BrokerDir(directory).read_state()
    assert state is not None
    return state


def java_of(directory: Path) -> int:
    pid = state_of(directory).java_pid
    assert pid is not None
    return pid


def alive(pid: int) -> bool:
    listed = subprocess.run(["ps", "-p", str(pid), "-o", "stat="], capture_output=True, text=True, check=False)
    return listed.stdout.strip() != "" and not listed.stdout.startswith("Z")


def write_one(address: str) -> None:
    Topics(address).create("kept")
    produce(address, None, "kept", [NewRecord(key=b"k", value=b"survives")])


def read_all(address: str) -> list[bytes | None]:
    return [record.value for record in consume(address, None, "kept")]


def test_two_at_once_share_one_broker_that_ends_with_the_last(broker_dir: Path) -> None:
    with user() as first, user() as second:
        said = said_until_joined(first), said_until_joined(second)
        assert said[0][-1] == said[1][-1]
        assert sum("starting the embedded Kafka broker" in line for lines in said for line in lines) == 1
        embedded, jvm = EmbeddedBroker(), java_of(broker_dir)
        status = embedded.status()
        assert (status.running, status.in_use, status.kept) == (True, True, False)
        first.terminate()
        time.sleep(5)
        assert embedded.status().running
        second.kill()
        until(lambda: not embedded.status().running, "the broker has ended", 60)
    until(lambda: not alive(jvm), "the JVM of the broker has ended", 60)
    assert not (broker_dir / "broker.json").exists()


def test_data_and_address_survive_a_restart(broker_dir: Path) -> None:
    embedded = EmbeddedBroker(broker_dir)
    with embedded.join() as lease:
        first, cluster = lease.address, Topics(lease.address).cluster_id()
        write_one(first)
    assert embedded.stop()
    with embedded.join() as lease:
        assert lease.address == first
        assert Topics(lease.address).cluster_id() == cluster
        assert read_all(lease.address) == [b"survives"]


def test_started_by_hand_it_stays_until_stopped(broker_dir: Path) -> None:
    embedded = EmbeddedBroker(broker_dir)
    said: list[str] = []
    status = embedded.start(say=said.append)
    assert (status.running, status.kept, status.in_use) == (True, True, False)
    assert said == [
        f"starting the embedded Kafka broker ({status.address}) ...",
        f"the embedded broker runs at {status.address}",
    ]
    with embedded.join():
        assert embedded.status().in_use
    time.sleep(6)
    assert embedded.status().running
    assert embedded.stop()
    assert not embedded.status().running
    assert not embedded.stop()


def test_an_automatic_one_can_be_told_to_stay_where_it_is(broker_dir: Path) -> None:
    embedded = EmbeddedBroker(broker_dir)
    with embedded.join() as lease:
        with pytest.raises(BrokerRunning, match=f"runs already, at {lease.address}"):
            embedded.start(port=1)
        assert not embedded.status().kept
        embedded.start()
    time.sleep(6)
    assert embedded.status().running
    assert embedded.status().address == lease.address


def test_closing_a_lease_twice_takes_nothing_from_others(broker_dir: Path) -> None:
    embedded = EmbeddedBroker(broker_dir)
    first, second = embedded.join(), embedded.join()
    first.close()
    first.close()
    assert embedded.status().in_use
    second.close()
    assert not embedded.status().in_use


def test_a_killed_supervisor_leaves_an_orphan_that_is_ended(broker_dir: Path) -> None:
    embedded = EmbeddedBroker(broker_dir)
    with embedded.join() as lease:
        write_one(lease.address)
        supervisor, orphan = state_of(broker_dir).pid, java_of(broker_dir)
        os.kill(supervisor, signal.SIGKILL)
        until(lambda: not alive(supervisor), "the supervisor has ended", 60)
        assert alive(orphan)
        assert not embedded.status().running
        said: list[str] = []
        with embedded.join(say=said.append) as again:
            assert not alive(orphan)
            assert said[0] == (
                f"the embedded broker's supervisor was killed; ending the broker it left behind (process {orphan})"
            )
            assert again.address == lease.address
            assert read_all(again.address) == [b"survives"]


def test_all_killed_is_noticed_and_data_survives(broker_dir: Path) -> None:
    embedded = EmbeddedBroker(broker_dir)
    with embedded.join() as lease:
        write_one(lease.address)
        for pid in (state_of(broker_dir).pid, java_of(broker_dir)):
            os.kill(pid, signal.SIGKILL)
            until(lambda gone=pid: not alive(gone), f"process {pid} has ended", 60)  # type: ignore[misc]
    said: list[str] = []
    with embedded.join(say=said.append) as again:
        assert said[0] == "the embedded broker did not end cleanly the last time; its data is checked as it starts"
        assert read_all(again.address) == [b"survives"]


def test_a_process_that_took_over_the_id_is_left_alone(broker_dir: Path) -> None:
    embedded = EmbeddedBroker(broker_dir)
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as stranger:
        directory = BrokerDir(broker_dir)
        directory.prepare()
        stale = BrokerState(pid=stranger.pid, java_pid=stranger.pid, port=1, since_ms=0, ready=True)
        directory.write_state(stale)
        assert not embedded.status().running
        assert not embedded.stop()
        assert stranger.poll() is None
        assert directory.read_state() is None
        stranger.kill()


def test_a_dead_jvm_ends_its_supervisor_and_the_next_user_starts_anew(broker_dir: Path) -> None:
    embedded = EmbeddedBroker(broker_dir)
    with embedded.join():
        os.kill(java_of(broker_dir), signal.SIGKILL)
        until(lambda: not embedded.status().running, "the broker has ended", 60)
        with embedded.join() as again:
            Topics(again.address).check()


def test_a_port_of_somebody_else_is_refused_or_avoided(broker_dir: Path) -> None:
    embedded = EmbeddedBroker(broker_dir)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        taken = listener.getsockname()[1]
        with pytest.raises(PortInUse, match=f"port {taken} is in use by another program"):
            embedded.start(port=taken)
        assert not embedded.status().kept
        BrokerDir(broker_dir).remember_port(taken)
        with embedded.join() as lease:
            assert lease.address != f"127.0.0.1:{taken}"


def test_a_start_that_fails_says_why(broker_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "java"
    broken.write_text("#!/bin/sh\necho this java is broken >&2\nexit 7\n")
    broken.chmod(0o755)
    monkeypatch.setattr(java, "find_java", lambda: java.Java(broken, "17", 17))
    with pytest.raises(BrokerStartFailed) as failed:
        EmbeddedBroker(broker_dir).start()
    assert "did not start: formatting its storage ended with exit code 7" in str(failed.value)
    assert "this java is broken" in str(failed.value)
    assert str(broker_dir / "logs") in str(failed.value)
    assert not EmbeddedBroker(broker_dir).status().running
    assert not (broker_dir / "keep").exists()


def test_a_broker_that_cannot_run_says_what_kafka_said(broker_dir: Path) -> None:
    embedded = EmbeddedBroker(broker_dir)
    with embedded.join():
        pass
    embedded.stop()
    (broker_dir / "data" / "meta.properties").write_text("version=1\nnode.id=77\ncluster.id=other\n")
    with pytest.raises(BrokerStartFailed) as failed:
        embedded.join()
    assert "its process ended with exit code 1" in str(failed.value)
    assert "node id 77" in str(failed.value)


def test_a_jvm_that_its_archive_crashes_runs_without(
    broker_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was written so: its SHA-256 fits."""
    cache = own_cache(tmp_path, monkeypatch)
    embedded = EmbeddedBroker(broker_dir)
    embedded.start()
    embedded.stop()
    halve("broker", sealed=True)
    said: list[str] = []
    with embedded.join(say=said.append):
        assert said[1:] == [
            "the broker's JVM ended early with its archive of classes, and runs without: it is made anew"
        ]
        assert list((cache / "class-archives").glob("broker-*.jsa")) == []


def test_two_brokers_that_want_one_port_get_two(broker_dir: Path, tmp_path: Path) -> None:
    embedded, other = EmbeddedBroker(broker_dir), EmbeddedBroker(tmp_path / "other")
    with embedded.join() as lease:
        port = int(lease.address.rpartition(":")[2])
    embedded.stop()
    BrokerDir(tmp_path / "other").prepare()
    BrokerDir(tmp_path / "other").remember_port(port)
    with ThreadPoolExecutor() as threads:
        leases = [each.result() for each in [threads.submit(embedded.join), threads.submit(other.join)]]
    try:
        clusters = {Topics(lease.address).cluster_id() for lease in leases}
        assert len(clusters) == 2
    finally:
        for lease in leases:
            lease.close()
        other.stop()
