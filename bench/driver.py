"""`python -m bench driver`: records through the test driver on one core, beside a loop over dicts in plain Python.

The loop knows the one topology it is written for, and has neither bytes nor stores to keep: it is the ceiling.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import headrace as hr
from headrace.testing import TopologyTestDriver

Row = tuple[str, str | None, str, int]
"""Topic, key, value and time of a record that is piped."""

Pairs = list[tuple[Any, Any]]

WORDS, KEYS, WINDOW_MS, RUNS = 1_000, 1_000, 10_000, 5


@dataclass(frozen=True)
class Task:
    """One thing to do, in both ways."""

    title: str
    app: Callable[[], hr.App]
    plain: Callable[[list[Row]], Pairs]
    rows: list[Row]
    output: str


def word_count() -> hr.App:
    app = hr.App("word-count")
    lines = app.stream("lines", value=hr.STRING)
    words = lines.flat_map_values(lambda line: line.lower().split()).group_by(lambda _, word: word)
    words.count(store="counts").to_stream().to("out", value=hr.INT64)
    return app


def plain_word_count(rows: list[Row]) -> Pairs:
    counts: dict[str, int] = {}
    out: Pairs = []
    for _, _, line, _ in rows:
        changed: dict[str, int] = {}
        for word in line.lower().split():
            counts[word] = counts.get(word, 0) + 1
            changed.pop(word, None)  # the last change of each word is sent on, in the order of the last changes
            changed[word] = counts[word]
        out.extend(changed.items())
    return out


def join() -> hr.App:
    app = hr.App("join")
    clicks = app.stream("clicks", key=hr.STRING, value=hr.STRING)
    views = app.stream("views", key=hr.STRING, value=hr.STRING)
    joined = clicks.join(views, lambda click, view: click + view, hr.join_windows(f"{WINDOW_MS}ms", grace="0s"))
    joined.to("out")
    return app


def plain_join(rows: list[Row]) -> Pairs:
    sides: dict[str, dict[str | None, list[tuple[int, str]]]] = {"clicks": {}, "views": {}}
    others = {"clicks": sides["views"], "views": sides["clicks"]}
    out: Pairs = []
    for topic, key, value, ts in rows:
        partners = others[topic].get(key, [])
        first, last = bisect_left(partners, (ts - WINDOW_MS,)), bisect_right(partners, (ts + WINDOW_MS + 1,))
        for _, other in partners[first:last]:
            out.append((key, value + other if topic == "clicks" else other + value))
        sides[topic].setdefault(key, []).append((ts, value))
    return out


def tasks(records: int) -> list[Task]:
    """What is measured: inputs of a seed, so that every run has the same."""
    chance = random.Random(1)

    def line(words: int) -> str:
        return " ".join(f"Word{chance.randrange(WORDS)}" for _ in range(words))

    single: list[Row] = [("lines", None, line(1), at) for at in range(records)]
    several: list[Row] = [("lines", None, line(5), at) for at in range(records // 5)]
    sides: list[Row] = [
        (("clicks", "views")[at % 2], f"user{chance.randrange(KEYS)}", f"v{at}", at * 10) for at in range(records)
    ]
    return [
        Task("word count, a word a record", word_count, plain_word_count, single, "out"),
        Task("word count, five words a record", word_count, plain_word_count, several, "out"),
        Task("windowed stream-stream join", join, plain_join, sides, "out"),
    ]


def measure(records: int) -> str:
    """The report of a run."""
    lines = [
        f"`python -m bench driver` pipes {records:,} records into the test driver (a fifth where they have five words)",
        f"by a `pipe` each, or all inside one `batch()`, best of {RUNS}. Rates are for one core, by the CPU time of",
        f"the process (one thread, {os.cpu_count()} shared cores). All output is compared with the plain loop's.",
        "",
        "| task | piped singly, records/s | in a batch | plain Python loop | plain / singly |",
        "|---|---|---|---|---|",
    ]
    for task in tasks(records):
        rates = [len(task.rows) / seconds for seconds in _seconds(task)]
        shown = " | ".join(f"{rate:,.0f}" for rate in rates)
        lines.append(f"| {task.title} | {shown} | {rates[2] / rates[0]:.0f} |")
    made = min(_timed(lambda: TopologyTestDriver(word_count())) for _ in range(20))
    lines += [
        "",
        f"A driver of the word count starts in {made * 1000:.1f} ms, and {_cold() * 1000:.0f} ms after Python did,",
    ]
    return "\n".join([*lines, "with `import headrace` and the declaration of the topology."])


def _seconds(task: Task) -> tuple[float, float, float]:
    """How long it takes to pipe singly, in a batch, and to do it in plain Python."""
    expected = task.plain(task.rows)
    singly = min(_pipe(task, expected, batch=False) for _ in range(RUNS))
    batch = min(_pipe(task, expected, batch=True) for _ in range(RUNS))
    return singly, batch, min(_timed(lambda: task.plain(task.rows)) for _ in range(RUNS))


def _pipe(task: Task, expected: Pairs, *, batch: bool) -> float:
    driver = TopologyTestDriver(task.app())
    inputs = {topic: driver.input(topic) for topic in {row[0] for row in task.rows}}

    def pipe() -> None:
        with driver.batch() if batch else nullcontext():
            for topic, key, value, ts in task.rows:
                inputs[topic].pipe(value, key=key, ts=ts)

    seconds = _timed(pipe)
    found = driver.output(task.output).read_all()
    if batch and driver.stores:  # a table sends on the last change of each key in a batch
        found, expected = sorted(found), sorted(dict(expected).items())
    if found != expected:
        sys.exit(f"{task.title}: the driver wrote something else, the run is void")
    return seconds


def _timed(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _cold() -> float:
    """From the start of the program to a driver that is ready, without that of Python itself."""
    code = (
        "import time; begun = time.process_time(); import bench.driver as it; it.TopologyTestDriver(it.word_count());"
    )
    code += "print(time.process_time() - begun)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=True) for _ in range(RUNS)]
    return min(float(run.stdout) for run in runs)
