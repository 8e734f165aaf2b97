"""`python -m bench`: every workload on every system that can do it, in one go."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bench.contenders import (
    HEADRACE,
    HEADRACE_EVERY,
    HEADRACE_ONCE,
    HEADRACE_QUERIES,
    OWN_STATE,
    QUIX,
    SPARK,
    STREAMS,
    STREAMS_EVERY,
    STREAMS_MEMBER,
    STREAMS_ONCE,
    STREAMS_QUERIES,
    Contender,
)
from bench.drain import Filled, Result, drain, fill, middle
from bench.latency import Latency, latency
from bench.queries.measure import Queries, queries
from bench.recovery import Recovery, recovery
from bench.special import Single, single
from bench.topic import Broker, fresh_broker
from bench.workloads.queries import ENTRIES
from bench.workloads.recovery import KEYS as HELD

DRAINS: dict[str, Sequence[Contender]] = {
    "W1a": (HEADRACE, STREAMS, SPARK, QUIX),
    "W1b": (HEADRACE, STREAMS, SPARK, QUIX),
    "W2": (HEADRACE, STREAMS, HEADRACE_EVERY, STREAMS_EVERY, HEADRACE_ONCE, STREAMS_ONCE, SPARK, QUIX),
    "W2-1M": (HEADRACE, STREAMS, SPARK),
    "W3": (HEADRACE, STREAMS, SPARK, QUIX),
    "W4": (HEADRACE, STREAMS, SPARK, QUIX),
    "W5": (HEADRACE, STREAMS, QUIX),
    "P1": (HEADRACE, QUIX, OWN_STATE),
    "P2": (HEADRACE, QUIX, SPARK),
    "P3": (HEADRACE, QUIX, OWN_STATE),
}
LATENCIES: dict[str, Sequence[Contender]] = {
    "W1a": (HEADRACE_EVERY, STREAMS_EVERY, SPARK, QUIX),
    "W2": (HEADRACE_EVERY, STREAMS_EVERY, SPARK, QUIX),
}
KEYS = ("turns-1M", "turns-10M")
KEYS_FACTOR = 2
"""So many times the records: every key has to come."""
STAGES = (1, 3)
PARTS = (*DRAINS, "latency", "keys", "stages", "recovery", "queries")


@dataclass
class Results:
    """All that was measured."""

    records: int
    rate: int
    seconds: int
    drains: list[Result] = field(default_factory=list)
    latencies: list[Latency] = field(default_factory=list)
    singles: list[Single] = field(default_factory=list)
    recoveries: list[Recovery] = field(default_factory=list)
    queries: list[Queries] = field(default_factory=list)

    def drained(self, workload: str, contender: str) -> Result | None:
        """The result of a system in a workload, if it was run."""
        wanted = (workload, contender)
        return next((one for one in self.drains if (one.workload, one.contender) == wanted), None)


def run(only: Sequence[str], *, records: int, rounds: int, rate: int, seconds: int) -> Iterator[Results]:
    """Run the parts that are named, telling each result as it comes; after each part, all there are by then."""
    results, begun = Results(records, rate, seconds), time.monotonic()
    with fresh_broker() as broker:
        for part in only:
            if part == "latency":
                _latencies(broker, results)
            elif part == "stages":
                _stages(broker, results)
            elif part == "recovery":
                _recoveries(broker, results, min(records, HELD), kills=rounds)
            elif part == "queries":
                _queries(broker, results, min(records, ENTRIES))
            elif part == "keys":
                for workload in KEYS:
                    _drains(broker, results, workload, (HEADRACE,), records * KEYS_FACTOR, rounds=1)
            else:
                _drains(broker, results, part, DRAINS[part], records, rounds=rounds)
            yield results
    print(f"done in {(time.monotonic() - begun) / 60:.0f} min", flush=True)


def _drains(
    broker: Broker, results: Results, workload: str, contenders: Sequence[Contender], records: int, *, rounds: int
) -> None:
    for part in sorted({contender.part for contender in contenders}):
        begun = time.monotonic()
        filled = fill(broker, workload, records // part)
        print(f"{workload}: {filled.records:,} records in {time.monotonic() - begun:.0f} s", flush=True)
        together = [one for one in contenders if one.part == part]
        runs: dict[str, list[Result]] = {one.name: [] for one in together}
        # In turn, so that a noisy neighbour disturbs all of them; the slowest runs once.
        for _ in range(1 if OWN_STATE in together else rounds):
            for contender in together:
                runs[contender.name].append(_drain(broker, filled, contender))
        results.drains += map(middle, runs.values())
    broker.remove_all()


def _drain(broker: Broker, filled: Filled, contender: Contender) -> Result:
    missing = contender.missing()
    if missing:
        result = Result(workload=filled.workload, contender=contender.name, note=missing)
    else:
        result = drain(broker, filled, contender)
    print(f"{filled.workload}: {contender.name}: {result.note or f'{result.rate:,.0f} records/s'}", flush=True)
    return result


def _latencies(broker: Broker, results: Results) -> None:
    for workload, contenders in LATENCIES.items():
        for contender in contenders:
            missing = contender.missing()
            if missing:
                found = Latency(workload=workload, contender=contender.name, note=missing)
            else:
                found = latency(broker, workload, contender, rate=results.rate, seconds=results.seconds)
            results.latencies.append(found)
            shown = found.note or f"p50 {found.p50:.0f} ms, p99 {found.p99:.0f} ms"
            print(f"{workload} at {results.rate:,}/s: {contender.name}: {shown}", flush=True)
    broker.remove_all()


def _stages(broker: Broker, results: Results) -> None:
    for stages in STAGES:
        found = single(broker, stages)
        results.singles.append(found)
        shown = found.note or f"batch {found.batch_ms:.0f} ms, answer after {found.answer_ms:.0f} ms"
        print(f"one record through {stages}: {shown}", flush=True)
    broker.remove_all()


def _recoveries(broker: Broker, results: Results, records: int, *, kills: int) -> None:
    filled = fill(broker, "recovery", records)
    for contender in (HEADRACE_ONCE, STREAMS_ONCE, STREAMS_MEMBER):
        found = recovery(broker, filled, contender, kills)
        results.recoveries.append(found)
        shown = found.note or ", ".join(f"{seconds:.1f} s" for seconds in found.after_kill_s)
        print(f"killed with {found.state_bytes / 1e9:.2f} GB of state: {contender.name}: {shown}", flush=True)
    broker.remove_all()


def _queries(broker: Broker, results: Results, entries: int) -> None:
    filled = fill(broker, "queries", entries)
    for contender in (HEADRACE_QUERIES, STREAMS_QUERIES):
        found = queries(broker, filled, contender, rate=results.rate, seconds=results.seconds)
        results.queries.append(found)
        shown = found.note or f"{found.gets:,.0f} gets/s in process, p99 over HTTP {found.rest_p99:.1f} ms"
        print(f"{entries:,} entries: {contender.name}: {shown}", flush=True)
    broker.remove_all()
