"""Launcher of the embedded broker: starts its supervisor, and clears up after one that crashed."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import headrace
from headrace.errors import BrokerStartFailed, PortInUse
from headrace.jvm import jars, java
from headrace.jvm.archive import Archive
from headrace.log.broker_config import ownership_mark
from headrace.log.broker_dir import BrokerDir, BrokerState, Launch
from headrace.log.locks import is_held
from headrace.log.supervisor import START_LIMIT_S, STOP_LIMIT_S

Say = Callable[[str], None]

_USUAL_PORT = 19092
# Below the ports the system gives to outgoing connections: a client that looks for a broker that is down could be
# given the broker's own port, connect to itself and keep the port taken.
_OTHER_PORTS = range(20_000, 32_000)
_PORT_TRIES = 20
_POLL_S = 0.05
_TELLING = re.compile(r" (ERROR|FATAL) |^(Caused by: )?[\w.$]+(Exception|Error)\b")


def start_supervised(directory: BrokerDir, port: int | None, say: Say) -> BrokerState:
    """Start the broker, on a port of our choice unless one is given, and wait until it answers.

    The caller holds `start.lock`, and has seen that no supervisor runs.
    """
    found, classpath = java.find_java(), jars.fetch("broker")
    archive = Archive.of("broker", found, classpath)
    mapped = archive.take(say)
    if port is not None and not _is_free(port):
        raise PortInUse(port)
    for chosen in _candidates(directory, port):
        launch = Launch(
            java=str(found.path),
            classpath=os.pathsep.join(map(str, classpath)),
            class_archive=str(archive.path),
            mapped=str(mapped) if mapped is not None else None,
            port=chosen,
            controller_port=next(other for other in _shuffled_ports() if other != chosen and _is_free(other)),
        )
        say(f"starting the embedded Kafka broker (127.0.0.1:{chosen}) ...")
        try:
            state = _start(directory, launch)
            if mapped is not None and not mapped.exists():
                say("the broker's JVM ended early with its archive of classes, and runs without: it is made anew")
            return state
        except PortInUse:
            # Somebody took the port between our look and the broker's start.
            if port is not None:
                raise
    raise BrokerStartFailed("no free port was found", str(directory.log))


def await_ready(directory: BrokerDir, log_start: int = 0) -> BrokerState:
    """Wait until the running supervisor's broker answers; BrokerStartFailed when it gives up."""
    deadline = time.monotonic() + START_LIMIT_S + STOP_LIMIT_S
    while time.monotonic() < deadline:
        state = directory.read_state()
        if state is not None and state.ready:
            return state
        if not is_held(directory.broker_lock):
            break
        time.sleep(_POLL_S)
    reason = directory.failed.read_text() if directory.failed.exists() else "its supervisor ended early"
    raise BrokerStartFailed(reason, str(directory.log), _telling_lines(directory, log_start))


def clean_up_after_crash(directory: BrokerDir, say: Say) -> None:
    """End the JVM of a supervisor that was killed, and forget its state. The caller holds `start.lock`."""
    state = directory.read_state()
    if state is None:
        return
    if state.java_pid is not None and _is_ours(directory, state.java_pid):
        say(f"the embedded broker's supervisor was killed; ending the broker it left behind (process {state.java_pid})")
        _end(directory, state.java_pid)
    else:
        say("the embedded broker did not end cleanly the last time; its data is checked as it starts")
    directory.forget_state()


def _start(directory: BrokerDir, launch: Launch) -> BrokerState:
    directory.failed.unlink(missing_ok=True)
    directory.write_launch(launch)
    log_start = directory.log.stat().st_size if directory.log.exists() else 0
    package_root = str(Path(headrace.__file__).parent.parent)
    search_path = os.pathsep.join(filter(None, [package_root, os.environ.get("PYTHONPATH")]))
    with directory.supervisor_log.open("wb") as output:
        # It goes to the background by itself and returns at once. Not in our directory: that may be removed or
        # unmounted while the broker runs.
        launched = subprocess.run(
            [sys.executable, "-m", "headrace.log.supervisor", "--dir", str(directory.path)],
            cwd=directory.path,
            env={**os.environ, "PYTHONPATH": search_path},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            check=False,
        )
    if launched.returncode != 0:
        reason = f"its supervisor ended with exit code {launched.returncode}"
        raise BrokerStartFailed(reason, str(directory.supervisor_log), _telling_lines(directory, log_start))
    try:
        return await_ready(directory, log_start)
    except BrokerStartFailed as failed:
        if "Address already in use" in str(failed):
            raise PortInUse(launch.port) from failed
        raise


def _candidates(directory: BrokerDir, port: int | None) -> Iterator[int]:
    if port is not None:
        yield port
        return
    last = directory.last_port()
    preferred = [last] if last is not None else [_USUAL_PORT]
    yield from filter(_is_free, [*preferred, *_shuffled_ports()])


def _shuffled_ports() -> list[int]:
    return random.sample(_OTHER_PORTS, _PORT_TRIES)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # Connecting first: macOS lets us bind 127.0.0.1 next to somebody who listens on all addresses.
        probe.settimeout(1.0)
        if probe.connect_ex(("127.0.0.1", port)) == 0:
            return False
    with socket.socket() as probe:
        # As the broker does it: a port with only closing connections is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _telling_lines(directory: BrokerDir, log_start: int) -> list[str]:
    """The lines of this start that say most about a failure: errors if there are any, the last ones if not."""
    lines = _lines_after(directory.log, log_start) + _lines_after(directory.supervisor_log, 0)
    telling = [line for line in lines if _TELLING.search(line)]
    return (telling or lines)[-10:]


def _lines_after(path: Path, start: int) -> list[str]:
    try:
        with path.open("rb") as file:
            # A log that was rolled meanwhile is shorter than before.
            file.seek(start if start <= path.stat().st_size else 0)
            return file.read().decode(errors="replace").splitlines()
    except FileNotFoundError:
        return []


def _is_ours(directory: BrokerDir, pid: int) -> bool:
    """Whether the process is this directory's broker: its id may have gone to another program since."""
    mark = ownership_mark(directory)
    try:
        # A zombie, which is dead, has an empty command line.
        return mark in Path(f"/proc/{pid}/cmdline").read_text(errors="replace").split("\0")
    except FileNotFoundError:
        listed = subprocess.run(["ps", "-ww", "-p", str(pid), "-o", "command="], capture_output=True, check=False)
        return f"{mark} " in listed.stdout.decode(errors="replace")


def _end(directory: BrokerDir, pid: int) -> None:
    for number, limit_s in ((signal.SIGTERM, STOP_LIMIT_S), (signal.SIGKILL, 5.0)):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return
        deadline = time.monotonic() + limit_s
        while time.monotonic() < deadline:
            if not _is_ours(directory, pid):
                return
            time.sleep(_POLL_S)
