"""Drain: a topic is filled, then each system works it off; its outputs are checked."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.contenders import Contender
from bench.job import Job
from bench.process import Program, Ran
from bench.topic import Broker
from bench.workloads import WORKLOADS
from bench.workloads.base import SEED, Check, Input, Output, Void

_LIMIT_S = 300.0
_SLOWEST = 2_000
"""Records a second at least; who is slower is not waited for."""
_WARM = 0.25


@dataclass(frozen=True)
class Filled:
    """A topic with the records of a workload, and a check that has seen them."""

    workload: str
    source: str
    table: str
    records: int
    rows: int
    check: Check


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a system needed; without figures if the run is void, for the reason in `note`."""

    workload: str
    contender: str
    records: int = 0
    outputs: int = 0
    drain_s: float = 0.0
    warm_rate: float | None = None
    cpu_s: float = 0.0
    broker_cpu_s: float = 0.0
    peak_bytes: int = 0
    start_s: float = 0.0
    rates: tuple[float, ...] = ()
    """Of all runs, if this is the middle one of several."""
    note: str | None = None

    @property
    def rate(self) -> float:
        return self.records / self.drain_s


def fill(broker: Broker, workload: str, count: int) -> Filled:
    """Fill a topic, and the table that goes with it."""
    chosen = WORKLOADS[workload]
    source, table = broker.create(f"{workload}-{count}"), broker.create(f"{workload}-{count}-table")
    rows = broker.write(table, chosen.table())
    check = chosen.check()
    records = broker.write(source, _seen(check, chosen.records(count, random.Random(SEED))))
    return Filled(workload, source, table, records, rows, check)


def drain(broker: Broker, filled: Filled, contender: Contender) -> Result:
    """One system works the topic off."""
    broker.bring_to_memory(filled.source)
    target = broker.create_target(f"{filled.source}-{contender.name.replace(', ', '-').replace(' ', '-').lower()}")
    with tempfile.TemporaryDirectory(prefix="headrace-bench-") as folder:
        job = job_of(broker, filled, contender, target, folder, live=False)
        program = Program(contender.command(job), broker.pid, Path(folder, "errors.log"), contender.environment())
        ran = program.finish(_LIMIT_S + filled.records / _SLOWEST)
    seen = _Seen(broker.read(target))
    note = judged(ran, filled.check, seen, every=contender.every)
    if note is not None:
        return Result(workload=filled.workload, contender=contender.name, note=note)
    polling, last = ran.marks[0]["at"], seen.last_ms / 1000
    return Result(
        workload=filled.workload,
        contender=contender.name,
        records=filled.records,
        outputs=seen.count,
        drain_s=last - polling,
        warm_rate=warm_rate(ran, filled.records, last),
        cpu_s=ran.usage.cpu_s(polling, last),
        broker_cpu_s=ran.broker.cpu_s(polling, last),
        peak_bytes=ran.usage.peak_bytes,
        start_s=seen.first_ms / 1000 - ran.begun,
    )


def job_of(broker: Broker, filled: Filled, contender: Contender, target: str, folder: str, *, live: bool) -> Job:
    """What the program of a system is told."""
    return Job(
        workload=filled.workload,
        address=broker.address,
        source=filled.source,
        table=filled.table,
        target=target,
        folder=str(Path(folder, "state")),
        records=filled.records,
        inner=filled.check.inner,
        rows=filled.rows,
        live=live,
        every=contender.every,
        once=contender.once,
        member=contender.member,
    )


def judged(ran: Ran, check: Check, outputs: Iterable[Output], *, every: bool) -> str | None:
    """Why a run does not count: failed, or wrong."""
    if ran.failure is not None:
        return f"void: {ran.failure}"
    try:
        check.verify(outputs, every=every)
    except Void as wrong:
        return f"void: {wrong}"
    return None


class _Seen:
    """Outputs on their way to the check: how many, and when the first and the last were there."""

    def __init__(self, outputs: Iterator[Output]) -> None:
        self._outputs = outputs
        self.count, self.first_ms, self.last_ms = 0, 1 << 62, 0

    def __iter__(self) -> Iterator[Output]:
        for output in self._outputs:
            self.count += 1
            self.first_ms = min(self.first_ms, output.ts)
            self.last_ms = max(self.last_ms, output.ts)
            yield output


def middle(results: Sequence[Result]) -> Result:
    """Of several runs of a system the one in the middle; a void one makes all of them void."""
    void = next((one for one in results if one.note is not None), None)
    if void is not None or len(results) == 1:
        return void or results[0]
    ordered = sorted(results, key=lambda one: one.rate)
    return replace(ordered[len(ordered) // 2], rates=tuple(one.rate for one in ordered))


def _seen(check: Check, records: Iterable[Input]) -> Iterator[Input]:
    for record in records:
        check.put(record)
        yield record


def warm_rate(ran: Ran, records: int, last: float) -> float | None:
    """Records a second from when a quarter was read, or more by the end of the first batch."""
    for mark in ran.marks:
        read = mark.get("records", 0)
        if _WARM * records <= read < records and mark["at"] < last:
            return float((records - read) / (last - mark["at"]))
    return None
