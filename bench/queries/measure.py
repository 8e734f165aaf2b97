"""Queries: a store of counts is asked while records come, in its process and over HTTP, and is then built anew.

The same records, the same questions and the same checks for each system. Every answer is a count that does not go back;
in the end all keys that changed, and some of the others, have the count of a recount.
"""

from __future__ import annotations

import random
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from bench.contenders import Contender
from bench.drain import Filled, job_of, judged
from bench.job import Job
from bench.process import Program
from bench.queries import watchers
from bench.queries.answers import APP, STORE, Asker, free_port, quantile
from bench.queries.build import rebuilt, replicated
from bench.queries.load import Load, Loaded, loaded
from bench.queries.probe import Probe, probed
from bench.queries.watchers import Watching
from bench.recovery import Arriving
from bench.topic import Broker
from bench.workloads.base import SEED, Input, Void, number_of
from bench.workloads.queries import HOT
from bench.workloads.w2 import Counts

REST, REST_P99_MS = 5_000, 10.0
WATCHERS = HOT
STEPS = (1_000, 2_000, 3_500, 5_000, 7_500, 10_000, 15_000, 20_000)
"""Questions a second that are tried, until one is too many."""

_FILL_S, _START_S, _SETTLE_S, _CLOSE_S = 900.0, 300.0, 30.0, 120.0
_GETS_S, _STEP_S, _TRIES = 5.0, 4.0, 2
_PROBED = range(HOT, HOT + 4)
_OTHERS = 1_000
"""So many of the keys that did not change are looked at in the end."""


@dataclass(frozen=True, kw_only=True)
class Queries:
    """What a system reached; times in milliseconds. Without figures if the run is void, for the reason in `note`."""

    contender: str
    entries: int = 0
    gets: float = 0.0
    """A second, in its process."""
    rest_p50: float = 0.0
    rest_p99: float = 0.0
    rest_most: float = 0.0
    cores: float = 0.0
    """What the whole program takes at that rate, the work on the records included."""
    load_cores: float = 0.0
    """What asking takes."""
    sustained: int = 0
    """The highest of the steps with a p99 as wanted."""
    closed: float = 0.0
    """Answers a second when every connection asks again at once."""
    sent_p50: float = 0.0
    sent_p99: float = 0.0
    committed_p50: float = 0.0
    committed_p99: float = 0.0
    watchers: int = 0
    changes: int = 0
    """That they were told, all together."""
    watched_p50: float = 0.0
    watched_p99: float = 0.0
    built: int = 0
    """Records of the changelog."""
    build_s: float = 0.0
    start_s: float = 0.0
    """With the start of the program."""
    note: str | None = None


def queries(broker: Broker, filled: Filled, contender: Contender, *, rate: int, seconds: int) -> Queries:
    """One system counts all, and is asked while more records come."""
    ours = contender.program == "headrace_queries"
    target = broker.create_target(f"{filled.source}-{contender.program}")
    with tempfile.TemporaryDirectory(prefix="headrace-bench-") as name:
        folder = Path(name)
        job = replace(job_of(broker, filled, contender, target, name, live=True), port=free_port())
        changelog = f"{APP if ours else f'streams-{target}'}-{STORE}-changelog"
        program = Program(contender.command(job), broker.pid, folder / "errors.log")
        stage = _Stage(broker, filled, job, changelog, program, seconds, folder)
        try:
            found = stage.measure(Queries(contender=contender.name, entries=filled.records), rate, watched=ours)
            ran = program.finish(_CLOSE_S, stop=True)
            wrong = judged(ran, stage.check, broker.read(target), every=False)
            if wrong is not None:
                return Queries(contender=contender.name, note=wrong)
            built = replicated(job, broker, folder) if ours else rebuilt(contender, job, broker, folder)
        except Void as void:
            failure = None if program.alive else program.finish(_CLOSE_S).failure
            return Queries(contender=contender.name, note=f"void: {failure or void}")
        finally:
            if program.alive:
                program.kill()
    cores = ran.usage.cpu_s(*stage.loaded) / (stage.loaded[1] - stage.loaded[0])
    return replace(found, cores=cores, built=built.records, build_s=built.seconds, start_s=built.start_s)


class _Stage:
    """A program that counts and answers, and all that is done to it."""

    def __init__(
        self, broker: Broker, filled: Filled, job: Job, changelog: str, program: Program, seconds: int, folder: Path
    ) -> None:
        assert isinstance(filled.check, Counts)
        self._broker, self._filled, self.check = broker, filled, filled.check
        self._job, self._changelog, self._program = job, changelog, program
        self._seconds, self._folder = seconds, folder
        self.loaded = (0.0, 0.0)
        """From when to when questions came at the rate that is wanted."""

    def measure(self, found: Queries, rate: int, *, watched: bool) -> Queries:
        """All but how a replica is built; Void as soon as something is wrong."""
        arriving = Arriving(self._broker, self._job.target, self.check)
        if not (self._program.await_mark("serving", _START_S) and arriving.await_all(self._program, _FILL_S)):
            raise Void("not all was counted in time")
        self._settle(range(0, found.entries, max(1, found.entries // _OTHERS)))
        with self._records(rate):
            found = self._probe(self._ask(replace(found, gets=self._gets())))
            watching = self._watch() if watched else None
        if not arriving.await_all(self._program, _SETTLE_S + self._seconds):
            raise Void("not all that came later was counted in time")
        self._settle([*range(HOT), *_PROBED, *range(HOT, found.entries, max(1, found.entries // _OTHERS))])
        return self._watched(found, watching) if watching else found

    @contextmanager
    def _records(self, rate: int) -> Iterator[None]:
        """Records of some keys come all the while, by a schedule."""
        over, producer, chance = threading.Event(), self._broker.producer(linger_ms=0), random.Random(SEED)

        def send() -> None:
            for due in self._broker.paced(producer, rate):
                if over.is_set():
                    break
                key = int(chance.random() * HOT).to_bytes(4, "big")
                self.check.put(Input(key, b"later", int(due * 1000)))
                producer.produce(self._filled.source, b"later", key, timestamp=int(due * 1000))
            producer.flush()

        thread = threading.Thread(target=send)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _gets(self) -> float:
        """A second, in the process that has the store; it is warm then."""
        for number in (1, 2):
            self._program.write(f"{_GETS_S}\n")
            if not self._program.await_mark("gets", _START_S, times=number):
                raise Void("it did not tell how many gets it did")
        mark = self._program.last("gets")
        return float(mark["records"] / mark["seconds"])

    def _ask(self, found: Queries) -> Queries:
        """Over HTTP: at the rate that is wanted, at others, and as fast as it can."""
        self._load(REST, _GETS_S)
        begin = time.time()
        wanted = self._load(REST, self._seconds)
        self.loaded = begin, time.time()
        sustained = 0
        for step in STEPS:
            if not any(self._load(step, _STEP_S).p99 <= REST_P99_MS for _ in range(_TRIES)):
                break
            sustained = step
        return replace(
            found,
            rest_p50=wanted.p50,
            rest_p99=wanted.p99,
            rest_most=wanted.most,
            load_cores=wanted.cores,
            sustained=sustained,
            closed=self._load(0, _STEP_S).rate,
        )

    def _load(self, rate: int, seconds: float) -> Loaded:
        return loaded(Load(port=self._job.port, entries=self._filled.records, rate=rate, seconds=seconds))

    def _probe(self, found: Queries) -> Queries:
        told = probed(
            Probe(
                port=self._job.port,
                address=self._broker.address,
                source=self._filled.source,
                changelog=self._changelog,
                keys=tuple(_PROBED),
                seconds=self._seconds,
            )
        )
        for key in _PROBED:
            for _ in range(told.rounds):
                self.check.put(Input(key.to_bytes(4, "big"), b"probe", 0))
        return replace(
            found,
            sent_p50=told.sent_p50,
            sent_p99=told.sent_p99,
            committed_p50=told.committed_p50,
            committed_p99=told.committed_p99,
        )

    def _watch(self) -> tuple[Watching, Program]:
        """Have all keys watched that change, for a while."""
        watching = Watching(
            port=self._job.port,
            address=self._broker.address,
            changelog=self._changelog,
            watchers=WATCHERS,
            file=str(self._folder / "told.json"),
        )
        program = Program(watchers.command(watching), self._broker.pid, self._folder / "watchers.log")
        if not program.await_mark("watching", _SETTLE_S):
            raise Void(program.finish(0.0).failure or "not all could watch")
        time.sleep(self._seconds)
        return watching, program

    def _watched(self, found: Queries, watching: tuple[Watching, Program]) -> Queries:
        """Hold what each watcher was told against the changelog."""
        time.sleep(1.0)
        ran = watching[1].finish(_CLOSE_S, stop=True)
        if ran.failure is not None:
            raise Void(f"watchers: {ran.failure}")
        told, changes = watchers.told(watching[0]), defaultdict[int, list[int]](list)
        for one in self._broker.read(self._changelog):
            changes[number_of(one.key)].append(number_of(one.value))
        watchers.verify(told.counts, changes)
        return replace(
            found,
            watchers=len(told.counts),
            changes=sum(len(counts) - 1 for counts in told.counts),
            watched_p50=quantile(told.waits, 0.5),
            watched_p99=quantile(told.waits, 0.99),
        )

    def _settle(self, keys: Sequence[int]) -> None:
        """Ask until each of these keys has the count of a recount; it may not be there yet."""
        asker, deadline = Asker(self._job.port), time.monotonic() + _SETTLE_S
        for key in keys:
            while (answered := asker.count(key, absent=0)) != (wanted := self.check.count(key)):
                if time.monotonic() > deadline:
                    raise Void(f"key {key} has the count {answered}, and should have {wanted}")
                time.sleep(0.1)
        asker.close()
