"""`python -m bench change --beside CHECKOUT`: headrace as it is here and as it is there, on the same records in turn.

A change that is to cost nothing is judged by the ratio of the two, in pairs one after the other. Outputs are checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from bench.contenders import HEADRACE
from bench.drain import Result, drain, fill
from bench.topic import fresh_broker

PARTS = ("W1a", "W1b", "W2", "W3", "W4", "W5", "P1", "P2", "P3")


def measure(parts: Sequence[str], records: int, rounds: int, before: Path) -> str:
    """Pairs of runs of each workload, and the ratios between the two checkouts."""
    here, there = HEADRACE, replace(HEADRACE, name="headrace, before", checkout=before)
    rows = []
    with fresh_broker() as broker:
        for workload in parts:
            filled = fill(broker, workload, records)
            pairs = []
            for number in range(rounds):
                # Whoever is second finds files and a processor that are warm: they change places.
                order = (here, there) if number % 2 else (there, here)
                ran = {one.name: drain(broker, filled, one) for one in order}
                pairs.append((ran[here.name], ran[there.name]))
                print(f"{workload}: {_pair(*pairs[-1])}", flush=True)
            rows.append(_row(workload, pairs))
            broker.remove_all()
    heads = ("workload", "records/s", "before", "ratio", "ratios of pairs", "CPU a record, ratio")
    lines = ["| " + " | ".join(cells) + " |" for cells in (heads, ("---",) * len(heads), *rows)]
    return "\n".join([f"{records:,} records a workload, {rounds} pairs, at least once; medians.", "", *lines])


def _pair(now: Result, then: Result) -> str:
    return _void(now, then) or f"{now.rate:,.0f} records/s, {then.rate:,.0f} before"


def _void(*results: Result) -> str | None:
    return next((one.note for one in results if one.note), None)


def _row(workload: str, pairs: Sequence[tuple[Result, Result]]) -> tuple[str, ...]:
    note = _void(*(one for pair in pairs for one in pair))
    if note is not None:
        return (workload, note, "", "", "", "")
    ratios = [now.rate / then.rate for now, then in pairs]
    return (
        workload,
        f"{median(now.rate for now, _ in pairs):,.0f}",
        f"{median(then.rate for _, then in pairs):,.0f}",
        f"{median(ratios):.2f}",
        ", ".join(f"{ratio:.2f}" for ratio in ratios),
        f"{median(now.cpu_s / then.cpu_s for now, then in pairs):.2f}",
    )
