"""`python -m bench joining`: watchers of a whole store join a server at once; how soon /health answers meanwhile.

With `--beside CHECKOUT` another checkout takes turns with this one. The server is `headrace query serve`.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from bench.contenders import HERE
from bench.topic import Broker, fresh_broker
from bench.workloads.base import PARTITIONS, Input
from headrace.log.topics import Topics

_WATCHERS = (0, 400, 1_000)
_PROGRAMS = Path(__file__).with_name("programs")
_WATCH = "/apps/joined/stores/counts/watch"
_CHANGELOG = "joined-counts-changelog"
_START_S, _JOIN_S, _IDLE_S, _PROBE_S = 120.0, 900.0, 5.0, 0.02


@dataclass(frozen=True, kw_only=True)
class Joined:
    """What /health took, in milliseconds; when all watchers were current; the memory of the server, in MB."""

    median_ms: float
    p99_ms: float
    worst_ms: float
    last_s: float
    before_mb: float
    most_mb: float
    after_mb: float


def measure(entries: int, checkouts: Sequence[Path]) -> str:
    """Have the checkouts take turns, and report each."""
    found: dict[tuple[int, Path], Joined] = {}
    with fresh_broker() as broker:
        Topics(broker.address).create(_CHANGELOG, PARTITIONS, {"cleanup.policy": "compact"})
        count = (1).to_bytes(8)
        broker.write(
            _CHANGELOG, [Input(b"word-%06d" % one, count, 1 + one, one % PARTITIONS) for one in range(entries)]
        )
        for watchers in _WATCHERS:
            for checkout in checkouts:
                found[watchers, checkout] = _joined(broker, watchers, checkout)
                print(f"{watchers} watchers, {checkout.name}: {found[watchers, checkout]}", flush=True)
    return _report(found, entries)


def _joined(broker: Broker, watchers: int, checkout: Path) -> Joined:
    with (
        tempfile.TemporaryDirectory(prefix="headrace-bench-") as folder,
        _server(broker, checkout, folder) as (url, pid),
    ):
        before = _memory(pid, "VmRSS")
        with _probed(url) as waits:
            last_s = _join(url, watchers)
        time.sleep(_IDLE_S)
        after, most = _memory(pid, "VmRSS"), _memory(pid, "VmHWM")
    waits.sort()
    return Joined(
        median_ms=round(waits[len(waits) // 2] * 1000, 1),
        p99_ms=round(waits[len(waits) * 99 // 100] * 1000, 1),
        worst_ms=round(waits[-1] * 1000, 1),
        last_s=round(last_s, 1),
        before_mb=before,
        most_mb=most,
        after_mb=after,
    )


@contextmanager
def _server(broker: Broker, checkout: Path, folder: str) -> Iterator[tuple[str, int]]:
    """A query server whose replica is built, and its process."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        listen = f"127.0.0.1:{free.getsockname()[1]}"
    serve = [
        "query",
        "serve",
        str(_PROGRAMS / "joined_app.py"),
        "--listen",
        listen,
        "--directory",
        f"{folder}/replicas",
    ]
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "JOINED_BROKER": broker.address}
    with subprocess.Popen(
        [sys.executable, "-m", "headrace.cli.main", *serve], env=environment, stdout=subprocess.DEVNULL
    ) as server:
        try:
            _await(f"http://{listen}/ready")
            time.sleep(_IDLE_S)
            yield f"http://{listen}", server.pid
        finally:
            server.kill()


def _await(url: str) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        try:
            if httpx.get(url).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise TimeoutError(f"{url} does not answer")


@contextmanager
def _probed(url: str) -> Iterator[list[float]]:
    """Asks /health on a new connection each time, and writes down how long each took."""
    waits, over = list[float](), threading.Event()
    where = httpx.URL(url)
    head = f"GET /health HTTP/1.1\r\nHost: {where.netloc.decode()}\r\nConnection: close\r\n\r\n".encode()

    def probe() -> None:
        while not over.wait(_PROBE_S):
            begun = time.perf_counter()
            with socket.create_connection((where.host, where.port or 0), timeout=_JOIN_S) as one:
                one.sendall(head)
                if not one.recv(4_096).startswith(b"HTTP/1.1 200"):
                    raise SystemExit("/health does not answer 200")
            waits.append(time.perf_counter() - begun)

    probing = threading.Thread(target=probe)
    probing.start()
    try:
        yield waits
    finally:
        over.set()
        probing.join()


def _join(url: str, watchers: int) -> float:
    """When the last of them was current."""
    if not watchers:
        time.sleep(_IDLE_S)
        return 0.0
    command = [sys.executable, "-m", "bench.programs.joining", str(httpx.URL(url).port), _WATCH, str(watchers)]
    told = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, text=True, timeout=_JOIN_S, check=True).stdout
    return float(json.loads(told)["last_s"])


def _memory(pid: int, name: str) -> float:
    found = re.search(rf"{name}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return round(int(found[1]) / 1024, 0)


def _report(found: dict[tuple[int, Path], Joined], entries: int) -> str:
    several = len({checkout for _, checkout in found}) > 1
    lines = [
        f"`python -m bench joining` on {os.cpu_count()} cores: watchers of a whole store of {entries:,} entries join"
        " `headrace query serve` at once.",
        "",
        "| watchers | /health: median, ms | p99 | worst | all current, s | memory before, MB | most | 5 s after |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (watchers, checkout), one in found.items():
        title = f"{watchers:,}" + (f", {checkout.name}" if several else "")
        waits = f"{one.median_ms:.1f} | {one.p99_ms:.1f} | {one.worst_ms:.1f} | {one.last_s:.1f}"
        lines.append(f"| {title} | {waits} | {one.before_mb:.0f} | {one.most_mb:.0f} | {one.after_mb:.0f} |")
    return "\n".join(lines)
