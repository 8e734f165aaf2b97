"""Stream threads: what they have done is in Kafka, whatever becomes of the disk and of the process."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import headrace as hr
from headrace.log.records import NewRecord, consume, produce
from waiting import until

pytestmark = pytest.mark.spark

PROGRAM = """
import sys

import headrace as hr

broker, source, out, checkpoint = sys.argv[1:]
app = hr.App("live-kill", broker=broker, checkpoint=checkpoint, engine="live", emit="every", queryable=False)
counts = app.stream(source, key=hr.STRING, value=hr.STRING).group_by_key().count()
firsts = counts.to_stream().map(lambda key, count: (key[:1], count)).group_by_key().count()
firsts.to_stream().to(out)
app.run()
"""


def send(broker: str, topic: str, first: int, count: int) -> int:
    """Write records of a hundred keys, numbered on; the number of the next."""
    times = range(1_700_000_000_000 + first, 1_700_000_000_000 + first + count)
    produce(broker, {}, topic, (NewRecord(key=b"k%d" % (ms % 100), value=b"v", timestamp_ms=ms) for ms in times))
    return first + count


def counts_in(broker: str, topic: str) -> Counter[bytes]:
    """What was written, by key: each key has to have 1, 2, 3 ... in this order."""
    seen = Counter[bytes]()
    for row in consume(broker, {}, topic):
        assert row.key is not None and row.value is not None
        seen[row.key] += 1
        assert int.from_bytes(row.value, "big") == seen[row.key], row.key
    return seen


def written(broker: str, topic: str) -> int:
    """How many records were written."""
    return sum(counts_in(broker, topic).values())


def until_written(broker: str, topic: str, least: int) -> None:
    """Wait until so many were."""
    until(lambda: written(broker, topic) >= least, f"{least} outputs")


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("guarantee", ["exactly_once", "at_least_once"])
def test_goes_on_where_it_was_though_its_directory_is_gone(
    broker: str, topic: Callable[..., str], tmp_path: Path, guarantee: str
) -> None:
    source, out = topic("live-in"), topic("live-out")
    for run in range(3):
        send(broker, source, run * 1_000, 1_000)
        app = hr.App(
            f"live-{guarantee[:2]}",
            broker=broker,
            checkpoint=tmp_path / "checkpoint",
            engine="live",
            guarantee=guarantee,
            emit="every",
            queryable=False,
        )
        app.stream(source, key=hr.STRING, value=hr.STRING).group_by_key().count().to_stream().to(out)
        app.run(until="latest")
        assert app.metrics().records_in == 1_000
        assert counts_in(broker, out) == {f"k{n}".encode(): (run + 1) * 10 for n in range(100)}
        if run == 1:
            shutil.rmtree(tmp_path / "checkpoint")


def test_killed_it_loses_nothing_and_writes_nothing_twice(
    broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    source, out, sent = topic("live-in"), topic("live-out"), 0
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, str(program), broker, source, out, str(tmp_path / "checkpoint")]
    for kill in (True, True, False):
        running, before = subprocess.Popen(command, stdout=subprocess.DEVNULL), written(broker, out)
        try:
            sent = send(broker, source, sent, 500)
            until_written(broker, out, before + 1)
            for _ in range(50):
                sent = send(broker, source, sent, 100)
                time.sleep(0.05)
            if not kill:
                until_written(broker, out, sent)
        finally:
            running.send_signal(signal.SIGKILL if kill else signal.SIGTERM)
            running.wait()
    assert counts_in(broker, out) == {b"k": sent}
