"""Latency in an open loop: records are sent by a schedule, whatever the system does with them.

A record's latency is from the time of the schedule to when the broker has the first output that tells of it. The first
third of the records warms the system up and is not counted.
"""

from __future__ import annotations

import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.contenders import Contender
from bench.drain import Filled, job_of, judged
from bench.process import Program
from bench.topic import Broker
from bench.workloads import WORKLOADS
from bench.workloads.base import SEED, Check

_START_S, _SETTLE_S, _CLOSE_S = 300.0, 3.0, 120.0


@dataclass(frozen=True, kw_only=True)
class Latency:
    """Milliseconds; without figures if the run is void, for the reason in `note`."""

    workload: str
    contender: str
    p50: float = 0.0
    p99: float = 0.0
    most: float = 0.0
    note: str | None = None


def latency(broker: Broker, workload: str, contender: Contender, *, rate: int, seconds: int) -> Latency:
    """Send so many records a second for so long."""
    stem = f"{workload}-live-{contender.program}"
    source, table, target = broker.create(stem), broker.create(f"{stem}-table"), broker.create_target(f"{stem}-out")
    check = WORKLOADS[workload].check()
    check.traced = True
    filled = Filled(workload, source, table, 0, 0, check)
    with tempfile.TemporaryDirectory(prefix="headrace-bench-") as folder:
        job = job_of(broker, filled, contender, target, folder, live=True)
        program = Program(contender.command(job), broker.pid, Path(folder, "errors.log"))
        sent = []
        if program.await_mark("polling", _START_S):
            sent = send(broker, filled, check, rate, rate * seconds)
            time.sleep(_SETTLE_S)
        ran = program.finish(_CLOSE_S, stop=True)
    outputs = list(broker.read(target))
    note = judged(ran, check, outputs, every=contender.every)
    if note is not None or not sent:
        return Latency(workload=workload, contender=contender.name, note=note or "void: it did not start")
    told = [(number, output.ts) for output in outputs for number in check.caused(output)]
    waits = sorted(ts - sent[number] for number, ts in told if number >= len(sent) // 3)
    at = [waits[min(int(len(waits) * share), len(waits) - 1)] for share in (0.5, 0.99, 1.0)]
    return Latency(workload=workload, contender=contender.name, p50=at[0], p99=at[1], most=at[2])


def send(broker: Broker, filled: Filled, check: Check, rate: int, count: int) -> list[float]:
    """Send by the schedule, and return it in milliseconds."""
    producer, sent = broker.producer(linger_ms=0), []
    records = WORKLOADS[filled.workload].records(count, random.Random(SEED))
    for record, due in zip(records, broker.paced(producer, rate), strict=False):
        check.put(record._replace(ts=int(due * 1000)))
        producer.produce(filled.source, record.value, record.key, timestamp=int(due * 1000))
        sent.append(due * 1000)
    producer.flush()
    return sent
