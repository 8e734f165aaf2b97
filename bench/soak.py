"""`python -m bench soak`: keys come and go at a steady rate, and neither state nor memory may grow."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from math import nan
from pathlib import Path
from statistics import mean

from bench.contenders import HEADRACE_ONCE
from bench.drain import Filled, job_of, judged
from bench.latency import send
from bench.process import Program, Ran
from bench.topic import fresh_broker
from bench.workloads import WORKLOADS

_START_S, _SETTLE_S, _CLOSE_S = 300.0, 10.0, 120.0
_SLICES = 5
_GROWTH = 1.1
"""The last slice may have so many times what the one before has."""

Samples = Sequence[tuple[float, float]]


def measure(minutes: float) -> str:
    """The report of a run."""
    workload = WORKLOADS["soak"]
    rate = workload.records_a_second
    with fresh_broker() as broker, tempfile.TemporaryDirectory(prefix="headrace-bench-") as folder:
        source, table, target = broker.create("soak"), broker.create("soak-table"), broker.create_target("soak-out")
        check = workload.check()
        filled = Filled(workload.name, source, table, 0, 0, check)
        job = job_of(broker, filled, HEADRACE_ONCE, target, folder, live=True)
        program = Program(HEADRACE_ONCE.command(job), broker.pid, Path(folder, "errors.log"))
        begun = time.time()
        if program.await_mark("polling", _START_S):
            begun = time.time()
            send(broker, filled, check, rate, int(rate * minutes * 60))
            time.sleep(_SETTLE_S)
        ran = program.finish(_CLOSE_S, stop=True)
        note = judged(ran, check, broker.read(target), every=False)
    return _report(ran, minutes, rate, begun, note)


def _report(ran: Ran, minutes: float, rate: int, begun: float, note: str | None) -> str:
    lines = [
        f"`python -m bench soak` sends {rate:,} records a second for {minutes:g} minutes, {rate // 4} new keys each"
        " second,\neach there for two seconds; they are counted in windows of 5 s and joined within 2 s, exactly once."
        " All\noutputs are checked. Means of each fifth of the time; the last over the one before tells if something"
        " grows.",
        "",
    ]
    if note is not None:
        return "\n".join([*lines, note])
    states = [mark for mark in ran.marks if mark["mark"] == "state"]
    measured: dict[str, tuple[Samples, str, float]] = {
        "rows of state": ([(mark["at"], mark["rows"]) for mark in states], "{:,.0f}", 1),
        "state, MB": ([(mark["at"], mark["bytes"]) for mark in states], "{:,.1f}", 1e6),
        "memory of the process tree, MB": (ran.usage.resident, "{:,.0f}", 1e6),
        "files of the checkpoint": ([(mark["at"], mark["files"]) for mark in states], "{:,.0f}", 1),
        "batch, ms": ([(mark["at"], mark["ms"]) for mark in states], "{:,.0f}", 1),
    }
    lines += [f"| |{' |' * _SLICES} growth | |", "|---" * (_SLICES + 3) + "|"]
    for title, (samples, shape, unit) in measured.items():
        slices = _slices(samples, begun, minutes * 60)
        growth = slices[-1] / slices[-2]
        verdict = "flat" if growth <= _GROWTH else "grows"
        shown = " | ".join(shape.format(one / unit) for one in slices)
        lines.append(f"| {title} | {shown} | {growth:.2f} | {verdict} |")
    return "\n".join(lines)


def _slices(samples: Samples, begun: float, seconds: float) -> list[float]:
    """The means of equal parts of the time."""
    each = seconds / _SLICES
    parts: list[list[float]] = [[] for _ in range(_SLICES)]
    for at, value in samples:
        if 0 <= at - begun < seconds:
            parts[int((at - begun) / each)].append(value)
    return [mean(part) if part else nan for part in parts]
