"""Recovery: a program with a gigabyte of state is killed, and started again.

The time goes from the kill to when a reader of committed records sees the outputs of records that were sent behind it,
at least one for each task, with counts that go on from the state before: then all of the state is there.
"""

from __future__ import annotations

import tempfile
import time
from array import array
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bench.contenders import Contender
from bench.drain import Filled, job_of, judged
from bench.latency import send
from bench.process import Program
from bench.topic import Broker
from bench.workloads.base import Input, number_of
from bench.workloads.w2 import Counts

_FILL_S, _ANSWER_S, _CLOSE_S = 1_200.0, 600.0, 120.0
_RATE, _FIRST_S, _LATER_S = 1_000, 90, 20
"""So many records a second come for so long before a kill: it finds a system at work, not one that has just begun."""

_BEHIND = 32
"""Keys that have a record behind the kill: enough for each partition to have one of them."""


@dataclass(frozen=True, kw_only=True)
class Recovery:
    """Seconds of each kill, the shortest first; without figures if the run is void, for the reason in `note`."""

    contender: str
    state_bytes: int = 0
    """What it works on, on its disk."""
    kept_bytes: int = 0
    """What it goes on from: a checkpoint, or a changelog on the broker."""
    after_kill_s: Sequence[float] = ()
    after_start_s: Sequence[float] = ()
    note: str | None = None


def recovery(broker: Broker, filled: Filled, contender: Contender, kills: int) -> Recovery:
    """Let a system work all off, then kill it so many times."""
    check = filled.check
    assert isinstance(check, Counts)
    stem = contender.name.replace(", ", "-").replace(" ", "-").lower()
    target = broker.create_target(f"{filled.source}-{stem}")
    with tempfile.TemporaryDirectory(prefix="headrace-bench-") as folder:
        job = job_of(broker, filled, contender, target, folder, live=True)

        def start(number: int) -> Program:
            # What Spark works on is left behind by a kill: here it goes with the folder.
            local = {"SPARK_LOCAL_DIRS": f"{folder}/local-{number}"}
            return Program(contender.command(job), broker.pid, Path(folder, "errors.log"), local)

        counts, program = Arriving(broker, target, check), start(0)
        times: list[tuple[float, float]] = []
        all_there = counts.await_all(program, _FILL_S)
        while all_there and len(times) < kills:
            send(broker, filled, check, _RATE, _RATE * (_LATER_S if times else _FIRST_S))
            if not counts.await_all(program, _ANSWER_S):
                break
            working, kept = _bytes(Path(folder, f"local-{len(times)}")), _bytes(Path(job.folder))
            killed = program.kill()
            _send_some(broker, filled)
            started = time.time()
            program = start(len(times) + 1)
            all_there = counts.await_all(program, _ANSWER_S)
            times.append((counts.at - killed, counts.at - started))
        ran = program.finish(_CLOSE_S, stop=True)
    note = judged(ran, check, broker.read(target), every=contender.every)
    if note is not None or len(times) < kills:
        return Recovery(contender=contender.name, note=note or "void: not all was counted in time")
    ours = contender.program == "headrace_app"
    return Recovery(
        contender=contender.name,
        state_bytes=working if ours else kept,
        kept_bytes=kept if ours else broker.size(f"streams-{target}-*-changelog-[0-9]*"),
        after_kill_s=tuple(sorted(one for one, _ in times)),
        after_start_s=tuple(sorted(one for _, one in times)),
    )


class Arriving:
    """What a reader of committed records has been told."""

    def __init__(self, broker: Broker, target: str, check: Counts) -> None:
        self._arriving, self._check = broker.follow(target, at_once=10_000, poll_s=0.02), check
        self._counts, self._total = array("q", bytes(8 * check.keys)), 0
        self.at = 0.0
        """When the last was seen."""

    def await_all(self, program: Program, limit_s: float) -> bool:
        """Read until every record that was put in is counted; False if the program or the time ends first."""
        deadline = time.monotonic() + limit_s
        while self._total < self._check.records and time.monotonic() < deadline and program.alive:
            for output in next(self._arriving):
                key, count = number_of(output.key), number_of(output.value)
                self._total += count - self._counts[key]
                self._counts[key] = count
        self.at = time.time()
        return self._total == self._check.records


def _send_some(broker: Broker, filled: Filled) -> None:
    """One more record of some keys that are known."""
    now = int(time.time() * 1000)
    records = [Input(key.to_bytes(4, "big"), b"behind the kill", now) for key in range(_BEHIND)]
    for record in records:
        filled.check.put(record)
    broker.write(filled.source, records)


def _bytes(folder: Path) -> int:
    """What the files of a folder take, each counted once whatever it is called."""
    sizes = {}
    for file in folder.rglob("*"):
        with suppress(OSError):
            known = file.stat()
            sizes[known.st_ino] = known.st_size
    return sum(sizes.values())
