"""The embedded broker: a real Kafka on this machine, started when first needed, ended with its last user."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from headrace.errors import BrokerBusy, BrokerRunning
from headrace.jvm import paths
from headrace.log.broker_dir import BrokerDir, BrokerState
from headrace.log.launch import Say, await_ready, clean_up_after_crash, start_supervised
from headrace.log.locks import FileLock, is_held
from headrace.log.supervisor import START_LIMIT_S, STOP_LIMIT_S

_TURN_LIMIT_S = START_LIMIT_S + STOP_LIMIT_S


@dataclass(frozen=True, kw_only=True)
class BrokerStatus:
    """Status of the embedded broker."""

    running: bool
    address: str | None
    pid: int | None
    kept: bool
    in_use: bool
    since_ms: int | None
    directory: Path
    log: Path


class Lease:
    """The right to find the broker running, until closed or until this process ends."""

    def __init__(self, address: str, users: FileLock) -> None:
        self.address = address
        self._users = users

    def close(self) -> None:
        """Give the broker up; one that was started automatically ends seconds after its last user."""
        self._users.release()

    def __enter__(self) -> Lease:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _quietly(_: str) -> None:
    pass


class EmbeddedBroker:
    """The broker of one directory, whichever process runs or uses it.

        with EmbeddedBroker().join() as broker:
            print(broker.address)                                # 127.0.0.1:19092

    Without a directory: the one named in HEADRACE_BROKER_DIR, else the user's data directory.
    """

    def __init__(self, directory: Path | None = None) -> None:
        self._dir = BrokerDir((directory or _default_directory()).expanduser().resolve())

    def join(self, say: Say = _quietly) -> Lease:
        """Use the broker, starting it when it does not run."""
        users = self._become_user()
        try:
            with self._turn():
                state = self._running(None, say)
        except BaseException:
            users.release()
            raise
        return Lease(state.address, users)

    def start(self, port: int | None = None, say: Say = _quietly) -> BrokerStatus:
        """Have the broker run until `stop`, whether somebody uses it or not."""
        users = self._become_user()
        try:
            with self._turn():
                if not is_held(self._dir.broker_lock):
                    state = self._running(port, say)
                    say(f"the embedded broker runs at {state.address}")
                else:
                    state = self._running(None, say)
                    if port not in (None, state.port):
                        raise BrokerRunning(state.address)
                    say(f"the embedded broker runs already, at {state.address}")
                self._dir.keep.touch()
        finally:
            users.release()
        return self.status()

    def stop(self, say: Say = _quietly) -> bool:
        """End the broker; False when none was running."""
        self._dir.prepare()
        with self._turn():
            if not is_held(self._dir.broker_lock):
                clean_up_after_crash(self._dir, say)
                self._dir.keep.unlink(missing_ok=True)
                return False
            if is_held(self._dir.users_lock):
                say("the embedded broker is in use; whoever uses it will lose it")
            say("stopping the embedded broker ...")
            self._end_supervisor()
            clean_up_after_crash(self._dir, say)
            return True

    def status(self) -> BrokerStatus:
        """Status of the broker, without starting it or waiting for it."""
        running = is_held(self._dir.broker_lock)
        state = self._dir.read_state() if running else None
        return BrokerStatus(
            running=state is not None and state.ready,
            address=state.address if state else None,
            pid=state.pid if state else None,
            kept=running and self._dir.keep.exists(),
            in_use=running and is_held(self._dir.users_lock),
            since_ms=state.since_ms if state else None,
            directory=self._dir.path,
            log=self._dir.log,
        )

    def _become_user(self) -> FileLock:
        # Before anything else: from here on a running supervisor keeps the broker up. One that is ending it holds
        # this lock until it is gone.
        self._dir.prepare()
        users = FileLock(self._dir.users_lock)
        if not users.take(shared=True, wait_s=_TURN_LIMIT_S):
            raise BrokerBusy(str(self._dir.path), "another process is still stopping it")
        return users

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Hold the lock of the broker: one process starts, joins or stops it at a time."""
        turn = FileLock(self._dir.start_lock)
        if not turn.take(wait_s=_TURN_LIMIT_S):
            raise BrokerBusy(str(self._dir.path), "another process is still starting or stopping it")
        try:
            yield
        finally:
            turn.release()

    def _running(self, port: int | None, say: Say) -> BrokerState:
        if is_held(self._dir.broker_lock):
            return await_ready(self._dir)
        clean_up_after_crash(self._dir, say)
        return start_supervised(self._dir, port, say)

    def _end_supervisor(self) -> None:
        state = self._dir.read_state()
        if state is None:
            raise BrokerBusy(str(self._dir.path), "its supervisor has not said yet which process it is")
        for number, limit_s in ((signal.SIGTERM, STOP_LIMIT_S + 10.0), (signal.SIGKILL, 5.0)):
            with suppress(ProcessLookupError):
                os.kill(state.pid, number)
            deadline = time.monotonic() + limit_s
            while time.monotonic() < deadline:
                if not is_held(self._dir.broker_lock):
                    return
                time.sleep(0.05)


def _default_directory() -> Path:
    named = os.environ.get("HEADRACE_BROKER_DIR")
    return Path(named) if named else paths.data_dir() / "broker"
