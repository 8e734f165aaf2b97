"""Supervisor of the embedded broker: runs its JVM, and ends it after its last user.

Started by `headrace.log.launch` as `python -m headrace.log.supervisor --dir D`. It outlives the program that started
it, because others may have joined the broker since. It ends on SIGTERM; when the JVM ends by itself; and, unless the
`keep` mark is there, when nobody has held `users.lock` for a few seconds, however the last user died.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from headrace.errors import BrokerError
from headrace.jvm.archive import Archive
from headrace.log.broker_config import java_options, logging_config, new_cluster_id, server_properties
from headrace.log.broker_dir import BrokerDir, BrokerState
from headrace.log.locks import FileLock
from headrace.log.properties import parse

START_LIMIT_S = 60.0
STOP_LIMIT_S = 20.0
_GRACE_S = 3.0
_TICK_S = 1.0
_META = "meta.properties"


class BrokerSupervisor:
    """One run of the broker, from formatting its storage to the end of its JVM."""

    def __init__(self, directory: BrokerDir) -> None:
        self._dir = directory
        self._launch = directory.read_launch()
        self._users = FileLock(directory.users_lock)
        self._told_to_stop = threading.Event()
        self._archive = Archive(Path(self._launch.class_archive))
        self._mapped = Path(self._launch.mapped) if self._launch.mapped is not None else None
        self._process: subprocess.Popen[bytes] | None = None
        self._state = BrokerState(
            pid=os.getpid(), java_pid=None, port=self._launch.port, since_ms=time.time_ns() // 1_000_000, ready=False
        )

    def run(self) -> None:
        """Start the broker, wait for a reason to stop it, stop it, and leave no trace but data and logs."""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: self._told_to_stop.set())
        self._dir.write_state(self._state)
        try:
            self._write_settings()
            self._format_storage()
            java = self._bring_up()
            if java is not None:
                self._watch(java)
        except StartFailed as failed:
            self._dir.failed.write_text(str(failed))
            _note(f"start failed: {failed}")
        finally:
            if self._process is not None:
                self._end(self._process)
            self._dir.keep.unlink(missing_ok=True)
            self._dir.forget_state()
            self._users.release()

    def _write_settings(self) -> None:
        properties = server_properties(self._dir, self._launch.port, self._launch.controller_port)
        self._dir.server_properties.write_text(properties)
        self._dir.logging_config.write_text(logging_config(self._dir), encoding="utf-8")

    def _format_storage(self) -> None:
        if (self._dir.data / _META).exists():
            return
        _note("formatting the storage")
        tool = ["kafka.tools.StorageTool", "format", "--cluster-id", new_cluster_id()]
        # An interrupted format leaves some of its files, which the tool would otherwise refuse to write again.
        options = ["--ignore-formatted", "--config", str(self._dir.server_properties)]
        quick = ["-XX:TieredStopAtLevel=1"]
        ended = subprocess.run([*self._java(), *quick, *tool, *options], env=self._environment(), check=False)
        if ended.returncode != 0:
            raise StartFailed(f"formatting its storage ended with exit code {ended.returncode}")

    def _bring_up(self) -> subprocess.Popen[bytes] | None:
        """Start the JVM and wait until it answers; one that ends early with its archive is tried once without."""
        try:
            return self._answering_java()
        except EndedEarly as ended:
            if self._mapped is None:
                raise
            _note(f"{ended}; trying once without the archive of classes")
        mapped, self._mapped = self._mapped, None
        java = self._answering_java()
        if java is not None:
            mapped.unlink(missing_ok=True)
        return java

    def _answering_java(self) -> subprocess.Popen[bytes] | None:
        self._process = self._start_java()
        return self._process if self._wait_until_it_answers(self._process) else None

    def _start_java(self) -> subprocess.Popen[bytes]:
        command = [*self._java(), *self._archive.java_options(self._mapped), "kafka.Kafka"]
        # A session of its own: a signal to the supervisor's group must not reach the JVM before the supervisor.
        java = subprocess.Popen(
            [*command, str(self._dir.server_properties)],
            env=self._environment(),
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._state = replace(self._state, java_pid=java.pid)
        self._dir.write_state(self._state)
        _note(f"started java, process {java.pid}, at {self._state.address}")
        return java

    def _wait_until_it_answers(self, java: subprocess.Popen[bytes]) -> bool:
        # Imported while java is busy starting.
        from headrace.log.topics import Topics

        cluster = parse((self._dir.data / _META).read_text())["cluster.id"]
        deadline = time.monotonic() + START_LIMIT_S
        while not self._told_to_stop.is_set():
            if java.poll() is not None:
                raise EndedEarly(f"its process ended with exit code {java.returncode}")
            if time.monotonic() > deadline:
                raise StartFailed(f"it did not answer within {START_LIMIT_S:g} s")
            try:
                answering = Topics(self._state.address).cluster_id(timeout=0.5)
            except BrokerError:
                continue
            # Another program's broker may have taken the port while ours was starting; ours will end by itself.
            if answering != cluster:
                time.sleep(_TICK_S)
                continue
            self._state = replace(self._state, ready=True)
            self._dir.write_state(self._state)
            self._dir.remember_port(self._state.port)
            _note("it answers")
            return True
        return False

    def _watch(self, java: subprocess.Popen[bytes]) -> None:
        """Return when the broker is to end; then `users.lock` is held, so that nobody joins a dying broker."""
        idle_since: float | None = None
        while not self._told_to_stop.wait(_TICK_S):
            if java.poll() is not None:
                _note(f"java ended by itself, exit code {java.returncode}")
                return
            if self._dir.keep.exists() or not self._users.take():
                idle_since = None
                continue
            now = time.monotonic()
            idle_since = idle_since or now
            if now - idle_since >= _GRACE_S:
                _note("nobody uses it any more")
                return
            self._users.release()
        _note("told to stop")

    def _end(self, java: subprocess.Popen[bytes]) -> None:
        if java.poll() is None:
            java.terminate()
            try:
                java.wait(STOP_LIMIT_S)
            except subprocess.TimeoutExpired:
                _note(f"java did not end within {STOP_LIMIT_S:g} s, killing it")
                java.kill()
                java.wait()
        if self._mapped is None:
            self._archive.settle(whole=java.returncode in (0, 128 + signal.SIGTERM))
        _note(f"java has ended, exit code {java.returncode}")

    def _java(self) -> list[str]:
        return [self._launch.java, *java_options(self._dir)]

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "CLASSPATH": self._launch.classpath}


class StartFailed(Exception):
    """Why the broker did not start; reaches the user through the file `failed`."""


class EndedEarly(StartFailed):
    """The JVM has ended before it answered."""


def _note(text: str) -> None:
    print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {text}", flush=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Take the broker's lock, go to the background holding it, and run; 1 when the lock is taken."""
    parser = argparse.ArgumentParser(prog="headrace.log.supervisor")
    parser.add_argument("--dir", type=Path, required=True)
    directory = BrokerDir(parser.parse_args(arguments).dir)
    lock = FileLock(directory.broker_lock)
    # Somebody may be looking whether the lock is held, which holds it for a moment.
    if not lock.take(wait_s=2.0):
        return 1
    # The lock is inherited: when the parent's exit tells the starter to go on, the lock is held.
    if os.fork() > 0:
        os._exit(0)
    os.umask(0o077)
    try:
        BrokerSupervisor(directory).run()
    finally:
        lock.release()
    return 0


if __name__ == "__main__":
    sys.exit(main())
