"""Figures of headrace alone: one record at a time through stages, and state that outgrows memory."""

from __future__ import annotations

import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.contenders import HEADRACE
from bench.drain import Filled, job_of, judged
from bench.process import Program
from bench.topic import Broker
from bench.workloads import WORKLOADS
from bench.workloads.base import SEED, Output

_START_S, _ANSWER_S, _CLOSE_S = 300.0, 60.0, 120.0
_RECORDS, _COLD = 40, 15


@dataclass(frozen=True)
class Single:
    """One record at a time: milliseconds of its batch, and until its output is there."""

    stages: int
    batch_ms: float = 0.0
    answer_ms: float = 0.0
    note: str | None = None


def single(broker: Broker, stages: int) -> Single:
    """Send a record, wait for its output, send the next; the first are not counted."""
    workload = f"stages-{stages}"
    source, table = broker.create(workload), broker.create(f"{workload}-table")
    target = broker.create_target(f"{workload}-out")
    check = WORKLOADS[workload].check()
    filled = Filled(workload, source, table, 0, 0, check)
    waits: list[float] = []
    outputs: list[Output] = []
    with tempfile.TemporaryDirectory(prefix="headrace-bench-") as folder:
        job = job_of(broker, filled, HEADRACE, target, folder, live=True)
        program = Program(HEADRACE.command(job), broker.pid, Path(folder, "errors.log"))
        if program.await_mark("polling", _START_S):
            producer, arriving = broker.producer(linger_ms=0), broker.follow(target)
            for number, record in enumerate(WORKLOADS[workload].records(_RECORDS, random.Random(SEED))):
                check.put(record)
                sent = time.time()
                producer.produce(source, record.value, record.key)
                producer.flush()
                while len(outputs) <= number and time.time() - sent < _ANSWER_S:
                    outputs += next(arriving)
                if len(outputs) <= number:
                    break
                waits.append(outputs[-1].ts - sent * 1000)
        ran = program.finish(_CLOSE_S, stop=True)
    note, batches = judged(ran, check, outputs, every=True), ran.mark("batches")
    if note is not None or batches is None:
        return Single(stages, note=note or "void: it did not tell its batches")
    return Single(stages, median(batches["ms"][_COLD:]), median(waits[_COLD:]))
