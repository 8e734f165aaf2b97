"""Nothing lost and nothing twice, though the application is killed again and again while records come."""

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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import headrace as hr
from headrace.log.records import NewRecord, consume, produce
from recovery.ledger import Fold, Pair, check_echo, check_folds

pytestmark = pytest.mark.spark

KILLS = int(os.environ.get("HEADRACE_KILLS", "3"))
RATE = 2_000

PROGRAM = """
from dataclasses import dataclass
import headrace as hr

@dataclass
class Fold:
    count: int
    total: int
    least: int
    most: int

app = hr.App("ledger", broker={broker!r}, checkpoint={checkpoint!r})
data = app.stream({source!r}, key=hr.STRING, value=hr.INT32)
data.to({echo!r}, key=hr.STRING, value=hr.INT32)
data.group_by_key().aggregate(
    lambda: Fold(0, 0, 10_000, -1),
    lambda _, value, fold: Fold(
        fold.count + 1, fold.total + value, hr.least(fold.least, value), hr.greatest(fold.most, value)
    ),
    store="folds",
).to_stream().to({folds!r}, key=hr.STRING, value=hr.json(Fold))

if __name__ == "__main__":
    app.run({until})
"""


@contextmanager
def writing(broker: str, topic: str, chance: random.Random) -> Iterator[None]:
    """Records come all the while."""
    over = threading.Event()

    def records() -> Iterator[NewRecord]:
        while not over.wait(0.05):
            for _ in range(RATE // 20):
                yield NewRecord(
                    key=str(chance.randrange(500)).encode(), value=hr.INT32.encode(chance.randrange(10_000))
                )

    thread = threading.Thread(target=lambda: produce(broker, None, topic, records()))
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def read_pairs(broker: str, topic: str) -> dict[int, list[Pair]]:
    found: defaultdict[int, list[Pair]] = defaultdict(list)
    for record in consume(broker, None, topic):
        assert record.key is not None
        assert record.value is not None
        found[record.partition].append((record.key.decode(), hr.INT32.read(record.value)))
    return found


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(("guarantee", "times"), [("exactly_once", 1), ("at_least_once", 2)])
def test_a_batch_that_is_run_again_is_not_written_again(
    broker: str, topic: Callable[..., str], tmp_path: Path, guarantee: str, times: int
) -> None:
    """As if the application had been killed when the sink was done, and before Spark had noted it."""
    source, target = topic("data"), topic("out")

    def run() -> list[bytes]:
        app = hr.App("again", broker=broker, checkpoint=tmp_path, guarantee=guarantee)
        app.stream(source).to(target)
        app.run(until="latest")
        return sorted(record.value or b"" for record in consume(broker, None, target))

    written = [str(number).encode() for number in range(100)]
    produce(broker, None, source, [NewRecord(key=value, value=value) for value in written])
    assert run() == sorted(written)
    last = max((tmp_path / "spark" / "commits").glob("[0-9]*"), key=lambda file: int(file.name))
    last.unlink()
    last.with_name(f".{last.name}.crc").unlink(missing_ok=True)
    assert run() == sorted(written * times)


@pytest.mark.usefixtures("spark")
def test_a_new_checkpoint_begins_anew(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    """Its batches have the numbers of those that were written before, and are others."""
    source, target = topic("data"), topic("out")
    for checkpoint in ("first", "second"):
        produce(broker, None, source, [NewRecord(value=checkpoint.encode())])
        app = hr.App("anew", broker=broker, checkpoint=tmp_path / checkpoint)
        app.stream(source).to(target)
        app.run(until="latest")
    found = sorted(record.value or b"" for record in consume(broker, None, target))
    assert found == [b"first", b"first", b"second"]


def test_killed_again_and_again(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    seed = random.randrange(1_000_000)
    print("seed", seed)
    chance = random.Random(seed)
    names = {"source": topic("data", 3), "echo": topic("echo", 3), "folds": topic("folds", 3)}
    file = tmp_path / "program.py"

    def program(until: str = "") -> list[str]:
        text = PROGRAM.format(broker=broker, checkpoint=str(tmp_path / "checkpoint"), until=until, **names)
        file.write_text(text)
        return [sys.executable, str(file)]

    with writing(broker, names["source"], chance):
        for _ in range(KILLS):
            command = program()
            with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
                assert process.stderr is not None
                said = [process.stderr.readline()]
                while said[-1] and ": running" not in said[-1]:
                    said.append(process.stderr.readline())
                assert said[-1], f"it ended by itself: {said}"
                time.sleep(chance.uniform(3.0, 9.0))
                assert process.poll() is None, process.stderr.read()
                os.kill(process.pid, signal.SIGKILL)
    subprocess.run(program('until="latest"'), check=True, timeout=120, stderr=subprocess.DEVNULL)
    read = read_pairs(broker, names["source"])
    check_echo(read, read_pairs(broker, names["echo"]))
    folds = [(record.key or b"", json.loads(record.value or b"")) for record in consume(broker, None, names["folds"])]
    check_folds(read, [(key.decode(), Fold(**fold)) for key, fold in folds])
    count = sum(map(len, read.values()))
    print(f"{KILLS} kills, {count} records read, {count} written, {len(folds)} folds: nothing lost, nothing twice")
