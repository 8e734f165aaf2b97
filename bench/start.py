"""`python -m bench start`: from `headrace run` to running, and to the first output, with the CPU and memory it takes.

With `--beside CHECKOUT` another checkout takes turns with this one, which is how a change is judged on a busy machine:
by the CPU seconds of the process tree, round by round. Its class-data archive is made before anything is measured.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.process import Program
from bench.topic import Broker, fresh_broker
from bench.workloads.base import Input
from headrace.log.topics import Topics

LANES = ("spark", "python")
_APP = Path(__file__).with_name("programs") / "start_app.py"
_START_S, _CLOSE_S, _POLL_S, _IDLE_S = 300.0, 120.0, 0.05, 5.0
_LINES = 4


@dataclass(frozen=True, kw_only=True)
class Start:
    """One start: seconds and CPU seconds to running and to the first output, memory when it is idle then, and most."""

    running_s: float
    running_cpu_s: float
    output_s: float
    output_cpu_s: float
    idle_mb: float
    peak_mb: float


def measure(rounds: int, checkouts: Sequence[Path]) -> str:
    """Have the checkouts take turns, and report the medians of each."""
    found: dict[tuple[str, Path], list[Start]] = {(lane, one): [] for lane in LANES for one in checkouts}
    with fresh_broker() as broker:
        source = broker.create("start")
        broker.write(source, [Input(None, b"To be or not to be", number, 0) for number in range(_LINES)])
        for number in range(rounds + 1):
            for lane, checkout in found:
                if number == 0 and lane != LANES[0]:
                    continue
                start = _start(broker, source, lane, checkout)
                if number:  # the first one makes the archive
                    found[lane, checkout].append(start)
                    print(f"{lane}, {checkout.name}: {start}", flush=True)
    return _report(found, rounds)


def _start(broker: Broker, source: str, lane: str, checkout: Path) -> Start:
    """Start it, wait for its first output, leave it idle for a moment, and end it."""
    topics, target = Topics(broker.address), broker.create_target("start-out")
    with tempfile.TemporaryDirectory(prefix="headrace-bench-") as folder:
        environment = {
            "PYTHONPATH": str(checkout / "src"),
            "START_APP": target,  # an application that has never run: one that has looks for its checkpoint
            "START_BROKER": broker.address,
            "START_SOURCE": source,
            "START_TARGET": target,
            "START_LANE": lane,
            "START_FOLDER": str(Path(folder, "checkpoint")),
        }
        begun, log = time.time(), Path(folder, "errors.log")
        command = [sys.executable, "-m", "headrace.cli.main", "run", str(_APP)]
        program = Program(command, broker.pid, log, environment)
        if not program.await_mark("running", _START_S):
            raise RuntimeError(log.read_text())
        while not any(topics.end_offsets(target, committed=True).values()):
            if not program.alive or time.time() - begun > _START_S:
                raise RuntimeError(log.read_text())
            time.sleep(_POLL_S)
        output = time.time()
        time.sleep(_IDLE_S)
        idle = time.time()
        program.interrupt()
        ran = program.finish(_CLOSE_S)
    running = next(mark["at"] for mark in ran.marks if mark["mark"] == "running")
    return Start(
        running_s=round(running - begun, 2),
        running_cpu_s=round(ran.usage.cpu_s(begun, running), 2),
        output_s=round(output - begun, 2),
        output_cpu_s=round(ran.usage.cpu_s(begun, output), 2),
        idle_mb=round(min(memory for at, memory in ran.usage.resident if at > idle - _IDLE_S / 2 and at < idle) / 1e6),
        peak_mb=round(ran.usage.peak_bytes / 1e6),
    )


def _report(found: dict[tuple[str, Path], list[Start]], rounds: int) -> str:
    lines = [
        f"`python -m bench start` on {os.cpu_count()} cores: medians of {rounds} starts in turn, a broker runs already,"
        " the class-data\narchive is there. CPU seconds are those of the whole process tree.",
        "",
        "| a word count | running, s | CPU s | first output, s | CPU s | memory then, MB | most, MB |",
        "|---|---|---|---|---|---|---|",
    ]
    for (lane, checkout), starts in found.items():
        title = f"in {lane.title()}" + (f", {checkout.name}" if len(found) > len(LANES) else "")
        shown = (
            f"{median(getattr(one, name) for one in starts):.{digits}f}"
            for name, digits in (
                ("running_s", 1),
                ("running_cpu_s", 1),
                ("output_s", 1),
                ("output_cpu_s", 1),
                ("idle_mb", 0),
                ("peak_mb", 0),
            )
        )
        lines.append(f"| {' | '.join([title, *shown])} |")
    return "\n".join(lines)
