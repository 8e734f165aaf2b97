"""The results as tables, ratios first, with what they have to reach beside them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from statistics import median

from bench.contenders import (
    HEADRACE,
    HEADRACE_EVERY,
    HEADRACE_ONCE,
    OWN_STATE,
    QUIX,
    SPARK,
    STREAMS,
    STREAMS_EVERY,
    STREAMS_ONCE,
)
from bench.drain import Result
from bench.queries import table as queries
from bench.suite import KEYS, Results
from bench.workloads import WORKLOADS

TARGETS: Sequence[tuple[str, str, str, float | None]] = (
    ("W1a", HEADRACE.name, STREAMS.name, None),
    ("W1b", HEADRACE.name, STREAMS.name, 1.5),
    ("W2", HEADRACE.name, STREAMS.name, 1.5),
    ("W2", HEADRACE_EVERY.name, STREAMS_EVERY.name, 1.3),
    ("W2", HEADRACE_ONCE.name, STREAMS_ONCE.name, 1.8),
    ("W2", HEADRACE_ONCE.name, HEADRACE.name, 0.9),
    ("W2-1M", HEADRACE.name, STREAMS.name, None),
    ("W3", HEADRACE.name, STREAMS.name, 1.2),
    ("W4", HEADRACE.name, STREAMS.name, 1.2),
    ("W5", HEADRACE.name, STREAMS.name, 1.0),
    *((workload, HEADRACE.name, QUIX.name, 10.0) for workload in ("W1a", "W1b", "W2", "W3", "W4", "W5")),
    ("P1", HEADRACE.name, QUIX.name, 5.0),
    ("P1", HEADRACE.name, OWN_STATE.name, 25.0),
    ("P2", HEADRACE.name, QUIX.name, 5.0),
    ("P2", HEADRACE.name, SPARK.name, None),
    ("P3", HEADRACE.name, QUIX.name, 3.0),
    ("P3", HEADRACE.name, OWN_STATE.name, None),
    *((workload, HEADRACE.name, SPARK.name, None) for workload in ("W1a", "W1b", "W2", "W2-1M", "W3", "W4")),
)
"""Workload, the way of headrace, its peer, and how many times faster it has to be."""

PEAK_BYTES, KEYS_RATIO = 3e9, 0.7
SINGLE_MS = {1: 300.0, 3: 600.0}
RECOVERY_S = 25.0


def report(results: Results) -> str:
    """All tables."""
    tables = (_ratios, _drains, _latencies, _recoveries, _queries, _special)
    parts = [_intro(results), *(table(results) for table in tables)]
    return "\n\n".join(part for part in parts if part)


def _intro(results: Results) -> str:
    return (
        f"`make bench` on {os.cpu_count()} cores with the broker beside: {results.records:,} records a workload"
        f" (PySpark and Quix Streams: 1/{QUIX.part},\nPySpark with state in Python: 1/{OWN_STATE.part}),"
        " one broker, 4 partitions, at least once. Kafka Streams 4.3.1 has\n2 threads and 2 GB of heap, Quix Streams 2"
        " processes. All outputs are checked; a run with a wrong one is void. Where two\nrates are in brackets, systems"
        " ran several times in turn and the middle run is shown; others ran once. Workloads may be\nof different days."
    )


def _ratios(results: Results) -> str:
    rows = []
    for workload, ours, peer, target in TARGETS:
        mine, other = results.drained(workload, ours), results.drained(workload, peer)
        if mine is None or other is None:
            continue
        title = f"{workload}, {WORKLOADS[workload].title}{ours.removeprefix(HEADRACE.name)}"
        wanted = f"{target:g}" if target else ""
        if mine.note or other.note:
            rows.append((title, peer, "", "", wanted, mine.note or f"{peer} is {other.note}"))
            continue
        ratio = mine.rate / other.rate
        warm = f"{mine.warm_rate / other.warm_rate:.2f}" if mine.warm_rate and other.warm_rate else ""
        verdict = "" if target is None else "reached" if ratio >= target else "missed"
        rows.append((title, peer, f"{ratio:.2f}", warm, wanted, verdict))
    return _table(("workload", "against", "headrace / peer", "warm", "at least", ""), rows)


def _drains(results: Results) -> str:
    rows = [_drain(one) for one in sorted(results.drains, key=_place) if one.workload not in KEYS]
    heads = (
        "workload",
        "system",
        "records/s",
        "warm",
        "records/CPU s",
        "broker CPU",
        "outputs/record",
        "peak",
        "start",
    )
    table = _table(heads, rows)
    return table and (
        f"{table}\n\n`warm` leaves out the first quarter, or the first batch where that is more. CPU is that of the\n"
        "whole process tree while it drains, the broker's is given in cores. `peak` is resident memory of the tree,\n"
        "`start` the time from the start of the program to its first output."
    )


def _place(one: Result) -> tuple[int, int]:
    contenders = [HEADRACE, STREAMS, HEADRACE_EVERY, STREAMS_EVERY, HEADRACE_ONCE, STREAMS_ONCE, SPARK, OWN_STATE, QUIX]
    return list(WORKLOADS).index(one.workload), [other.name for other in contenders].index(one.contender)


def _drain(one: Result) -> tuple[str, ...]:
    if one.note:
        return (one.workload, one.contender, one.note, *[""] * 6)
    return (
        one.workload,
        one.contender,
        f"{one.rate:,.0f}" + (f" ({one.rates[0]:,.0f} - {one.rates[-1]:,.0f})" if one.rates else ""),
        f"{one.warm_rate:,.0f}" if one.warm_rate else "",
        f"{one.records / one.cpu_s:,.0f}",
        f"{one.broker_cpu_s / one.drain_s:.2f}",
        f"{one.outputs / one.records:.3f}",
        f"{one.peak_bytes / 1e9:.2f} GB",
        f"{one.start_s:.1f} s",
    )


def _latencies(results: Results) -> str:
    rows = [
        (one.workload, one.contender, one.note, "", "")
        if one.note
        else (one.workload, one.contender, f"{one.p50:.0f}", f"{one.p99:.0f}", f"{one.most:.0f}")
        for one in results.latencies
    ]
    table = _table(("workload", "system", "p50 ms", "p99 ms", "most ms"), rows)
    return table and (
        f"Latency at {results.rate:,} records/s for {results.seconds} s, the first third left out: from the time of the"
        f" schedule to when the\nbroker has the first output that tells of the record.\n\n{table}"
    )


def _recoveries(results: Results) -> str:
    rows: list[tuple[str, ...]] = []
    for one in results.recoveries:
        wanted = f"{RECOVERY_S:g} s or less" if one.contender == HEADRACE_ONCE.name else ""
        if one.note:
            rows.append((one.contender, one.note, "", "", "", wanted, wanted and _verdict(False)))
            continue
        sizes = (f"{size / 1e9:.2f} GB" if size else "" for size in (one.state_bytes, one.kept_bytes))
        verdict = wanted and _verdict(median(one.after_kill_s) <= RECOVERY_S)
        rows.append((one.contender, *sizes, _spread(one.after_kill_s), _spread(one.after_start_s), wanted, verdict))
    table = _table(("system", "state", "kept", "after the kill", "after the start", "wanted", ""), rows)
    return table and (
        "Recovery: each key has its count and its last value of 300 bytes. All is worked off, records come for a while,"
        " then\nthe program and all it started is killed with -9, a record for each task is sent, and the program is"
        " started again:\nseconds to when a reader of committed records sees the counts, which go on from the state."
        " `state` is what the system\nworks on, on its disk, `kept` what it goes on from: headrace's checkpoint, Kafka"
        " Streams' changelog. With its\ndefaults Kafka Streams waits until the broker gives up the killed one, 45 s; a"
        f" static member is known again.\n\n{table}"
    )


def _queries(results: Results) -> str:
    table = _table(queries.HEADS, queries.rows(results.queries))
    entries = max((one.entries for one in results.queries), default=0)
    return table and (
        f"Queries: a store of {entries:,} counts is asked while {results.rate:,} records a second come, exactly once."
        " headrace answers\nfrom its replica in the process of the application, over its REST server; Kafka Streams"
        " from its store, behind the HTTP\nserver of the JDK. Questions over HTTP come by a schedule on 32 connections;"
        " a latency is from the time of the schedule.\n`commit` is when a reader of committed records has the count"
        " from the changelog of the store; what is below zero was\nanswered before. A replica is built by a cold query"
        " server, Kafka Streams' store by a restart without state. Kafka Streams\nhas no watchers. Every answer is"
        f" checked.\n\n{table}"
    )


def _spread(seconds: Sequence[float]) -> str:
    """The middle one, and the others."""
    return f"{median(seconds):.1f} s" + (f" ({seconds[0]:.1f} - {seconds[-1]:.1f})" if len(seconds) > 1 else "")


def _special(results: Results) -> str:
    rows: list[tuple[str, ...]] = []
    large = results.drained("W2-1M", HEADRACE.name)
    if large is not None:
        shown = large.note or f"{large.peak_bytes / 1e9:.2f} GB"
        rows.append(("peak memory, W2 with 1 M keys", shown, "3 GB or less", _verdict(large.peak_bytes <= PEAK_BYTES)))
    few, many = (results.drained(workload, HEADRACE.name) for workload in KEYS)
    if few is not None and many is not None:
        note = few.note or many.note
        ratio = 0.0 if note else many.rate / few.rate
        shown = note or f"{ratio:.2f} ({many.rate:,.0f} / {few.rate:,.0f} records/s)"
        rows.append(("rate with 10 M keys / with 1 M", shown, f"{KEYS_RATIO:g}", _verdict(ratio >= KEYS_RATIO)))
    for one in results.singles:
        shown = one.note or f"{one.batch_ms:.0f} ms (answer after {one.answer_ms:.0f} ms)"
        stages = "one stage" if one.stages == 1 else f"{one.stages} stages"
        limit = SINGLE_MS[one.stages]
        verdict = _verdict(one.note is None and one.batch_ms <= limit)
        rows.append((f"batch of one record, {stages}", shown, f"{limit:.0f} ms or less", verdict))
    return _table(("headrace alone", "", "wanted", ""), rows)


def _verdict(reached: bool) -> str:
    return "reached" if reached else "missed"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([f"| {' | '.join(heads)} |", "|---" * len(heads) + "|", *lines]) if lines else ""
