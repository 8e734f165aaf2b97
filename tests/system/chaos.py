"""A program under load that is killed, stopped and starved, and what it wrote held against what it read."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Self

import pytest
from bench import streams
from bench.job import Job

import headrace as hr
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from system import smoke
from system.ledger import Fold, Pair, Wrong, check_echo, check_folds

CHAOS = int(os.environ.get("HEADRACE_CHAOS", "0"))
long = pytest.mark.skipif(not CHAOS, reason="long: make chaos")
"""How often things go wrong in `make chaos`; 0 in a short run."""

RATE = 2_000
_PATIENCE_S = 120.0

PROGRAM = """
import sys
from dataclasses import dataclass
import headrace as hr
import headrace.functions as F

@dataclass
class Fold:
    count: int
    total: int
    least: int
    most: int

def natively(_, value, fold):
    return Fold(fold.count + 1, fold.total + value, F.least(fold.least, value), F.greatest(fold.most, value))

def in_python(_, value, fold) -> Fold:
    return Fold(fold.count + 1, fold.total + value, min(fold.least, value), max(fold.most, value))

app = hr.App({name!r}, broker={broker!r}, checkpoint={checkpoint!r}, spark={spark!r}, kafka={kafka!r})
data = app.stream({source!r}, key=hr.STRING, value=hr.INT32)
data.to({echo!r}, key=hr.STRING, value=hr.INT32)
data.group_by_key().aggregate(
    lambda: Fold(0, 0, 10_000, -1), {lane}, store="folds"
).to_stream().to({folds!r}, key=hr.STRING, value=hr.json(Fold))

if __name__ == "__main__":
    app.run(until="latest" if sys.argv[1:] == ["latest"] else None)
"""


class Program:
    """One run of it, in a process of its own."""

    def __init__(self, command: Sequence[str], said: Path) -> None:
        self._said = said
        with said.open("wb") as out:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=subprocess.STDOUT)

    @property
    def said(self) -> str:
        return self._said.read_text(errors="replace")

    def await_words(self, words: str, times: int = 1) -> None:
        """Wait until it has said something so often."""
        deadline = time.monotonic() + _PATIENCE_S
        while self.said.count(words) < times:
            assert self.process.poll() is None, f"it ended by itself: {self.said}"
            assert time.monotonic() < deadline, self.said
            time.sleep(0.1)

    def once_it_says(self, words: str) -> Self:
        """Itself, when it has said something; if it does not, it is ended."""
        try:
            self.await_words(words)
        except BaseException:
            self.kill()
            raise
        return self

    def started(self, mark: str) -> list[int]:
        """The processes that it has started, directly or not, with a mark in their command lines."""
        return started(self.process.pid, mark)

    def stop(self) -> None:
        """Have it end by itself."""
        assert self.process.poll() is None, f"it ended by itself: {self.said}"
        self._ask_to_end()
        assert self.process.wait(_PATIENCE_S) == 0, self.said

    def _ask_to_end(self) -> None:
        send(self.process.pid, signal.SIGTERM)

    def kill(self) -> None:
        """Kill it and all that it has started, unless it has ended."""
        if self.process.poll() is not None:
            return
        for pid in [self.process.pid, *_descendants(self.process.pid)]:
            send(pid, signal.SIGKILL)
        self.process.wait()


class Fed(Program):
    """One that ends with its input."""

    def _ask_to_end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()


class Application:
    """A program in a file, which is run again and again."""

    def __init__(self, broker: str, place: Path, text: str, *, echo: str = "", **options: object) -> None:
        self.broker, self.echo, self._place, self._runs = broker, echo, place, 0
        self.checkpoint, self.file = place / "checkpoint", place / "program.py"
        usual = {"broker": broker, "checkpoint": str(self.checkpoint), "echo": echo}
        self.file.write_text(text.format(**{**usual, **options}))

    def run(self, *arguments: str) -> Program:
        """Start the program."""
        self._runs += 1
        return Program([sys.executable, str(self.file), *arguments], self._place / f"said-{self._runs}.txt")

    def running(self) -> Program:
        """Start it, and wait until it runs."""
        return self.run().once_it_says(": running")

    def await_progress(self, program: Program) -> None:
        """Wait until it has written something."""
        before, deadline = self._written(), time.monotonic() + _PATIENCE_S
        while self._written() == before:
            assert program.process.poll() is None, f"it ended by itself: {program.said}"
            assert time.monotonic() < deadline, program.said
            time.sleep(0.2)

    def _written(self) -> int:
        return sum(Topics(self.broker).end_offsets(self.echo, committed=True).values())


class Ledger(Application):
    """The program, its topics and its records."""

    def __init__(self, broker: str, topic: Callable[..., str], place: Path, **options: object) -> None:
        self.source, echo, self.folds = topic("data", 3), topic("echo", 3), topic("folds", 3)
        usual: dict[str, object] = {"name": f"ledger-{self.source}", "spark": None, "kafka": {}, "lane": "natively"}
        named = {"source": self.source, "folds": self.folds}
        super().__init__(broker, place, PROGRAM, echo=echo, **{**usual, **named, **options})

    @contextmanager
    def load(self, chance: random.Random) -> Iterator[None]:
        """Records come all the while."""
        over = threading.Event()

        def records() -> Iterator[NewRecord]:
            while not over.wait(0.05):
                for _ in range(RATE // 20):
                    value = hr.INT32.encode(chance.randrange(10_000))
                    yield NewRecord(key=str(chance.randrange(500)).encode(), value=value)

        thread = threading.Thread(target=lambda: produce(self.broker, None, self.source, records()))
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def finish(self) -> None:
        """Have it process the rest."""
        program = self.run("latest")
        try:
            assert program.process.wait(_PATIENCE_S) == 0, program.said
        finally:
            program.kill()

    def check(self, faults: str) -> None:
        """Hold what was written against what was read, and say how much that is."""
        read = self._pairs(self.source)
        check_echo(read, self._pairs(self.echo))
        found = list(consume(self.broker, None, self.folds))
        check_folds(read, [((one.key or b"").decode(), Fold(**json.loads(one.value or b""))) for one in found])
        count = sum(map(len, read.values()))
        print(f"{faults}: {count:,} records read, {count:,} written, {len(found):,} folds; 0 lost, 0 twice")

    def check_copies(self, faults: str) -> None:
        """The same of those that are sent on as they are, where the topic of the folds was made anew."""
        read = self._pairs(self.source)
        check_echo(read, self._pairs(self.echo))
        count = sum(map(len, read.values()))
        print(f"{faults}: {count:,} records read, {count:,} written; 0 lost, 0 twice")

    def _pairs(self, topic: str) -> dict[int, list[Pair]]:
        found: defaultdict[int, list[Pair]] = defaultdict(list)
        for record in consume(self.broker, None, topic):
            assert record.key is not None
            assert record.value is not None
            found[record.partition].append((record.key.decode(), hr.INT32.read(record.value)))
        return found


class Smoke(Application):
    """The program of the smoke test, its topics and its records."""

    def __init__(
        self, broker: str, topic: Callable[..., str], place: Path, *, keys: int, values: int, partitions: int
    ) -> None:
        self.source, self._keys, self._values, self._partitions = topic("smoke", partitions), keys, values, partitions
        topics = Topics(broker)
        for name in smoke.TOPICS:
            topics.create(f"{self.source}-{name}", partitions)
        super().__init__(broker, place, smoke.PROGRAM, echo=f"{self.source}-echo", source=self.source)

    @contextmanager
    def load(self, chance: random.Random, seconds: float) -> Iterator[threading.Event]:
        """Records come all the while, for so long, and the rest of them at the end; set when all are sent."""
        records = smoke.records(self._keys, self._values, self._partitions, chance)
        pause_s = seconds / (self._keys * self._values)
        over, sent = threading.Event(), threading.Event()

        def paced() -> Iterator[NewRecord]:
            begin = time.monotonic()
            for number, record in enumerate(records):
                over.wait(begin + number * pause_s - time.monotonic())
                yield record

        def produced() -> None:
            produce(self.broker, None, self.source, paced())
            sent.set()

        thread = threading.Thread(target=produced)
        thread.start()
        try:
            yield sent
        finally:
            over.set()
            thread.join()

    def finish(self, program: Program, faults: str) -> None:
        """Wait until it has written what is right, stop it, and find nothing else behind that."""
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            try:
                self._check()
                break
            except Wrong as wrong:
                assert time.monotonic() < deadline, f"{wrong}\n{program.said}"
                assert program.process.poll() is None, f"it ended by itself: {program.said}"
                time.sleep(0.5)
        program.stop()
        read, written = self._check()
        print(f"{faults}: {read:,} records read, {written:,} written; 0 lost, 0 twice")

    def _check(self) -> tuple[int, int]:
        written = cache(self._rows)
        read = self._rows("")
        smoke.check(self._keys, self._values, read, written)
        return len(read), sum(len(written(name)) for name in smoke.TOPICS)

    def _rows(self, name: str) -> list[smoke.Row]:
        found, value, windowed = [], smoke.TOPICS.get(name, hr.INT32), smoke.WINDOWED.get(name)
        for record in consume(self.broker, None, f"{self.source}-{name}" if name else self.source):
            if record.key is None or record.value is None or record.timestamp_ms is None:
                raise Wrong(f"{name} has a record without a key, a value or a time: {record}")
            key = windowed.read(record.key) if windowed else hr.Windowed(hr.STRING.read(record.key), 0, 0)
            row = smoke.Row(record.partition, key.key, value.read(record.value), record.timestamp_ms, key.start)
            found.append(row)
        return found


def kafka_streams(workload: str, broker: str, place: Path, *, source: str, target: str, table: str = "") -> list[str]:
    """The command that runs a topology on Kafka Streams, exactly once, until its input ends."""
    job = Job(
        workload=workload,
        address=broker,
        source=source,
        target=target,
        table=table,
        folder=str(place / "state"),
        records=0,
        inner=0,
        rows=0,
        live=True,
        every=False,
        once=True,
        member="one",  # known again after a kill: else the broker waits 45 s for the one that is gone
    )
    return [*streams.command(), job.text()]


def started(by: int, mark: str) -> list[int]:
    """The processes that one has started, directly or not, with a mark in their command lines."""
    return [pid for pid in _descendants(by) if mark in _command(pid)]


def send(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process that may have ended."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _descendants(pid: int) -> list[int]:
    children: defaultdict[int, list[int]] = defaultdict(list)
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children[parent].append(int(stat.parent.name))
    found, waiting = [], [pid]
    while waiting:
        below = children[waiting.pop()]
        found += below
        waiting += below
    return found


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
    except OSError:
        return ""
