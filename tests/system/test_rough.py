"""What outsiders do to an application's topics and broker, again and again while records come: `make chaos`."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import headrace as hr
from headrace.log.broker import EmbeddedBroker
from headrace.log.launch import _is_free, _shuffled_ports
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from system.chaos import CHAOS, Ledger, Program, long
from system.damage import halve, own_cache
from waiting import until

pytestmark = pytest.mark.spark

COUNTS = """
import sys
import headrace as hr

app = hr.App("counts", checkpoint=sys.argv[1], broker=(sys.argv[2:] or [None])[0], close_timeout="10s")
app.stream("in", key=hr.STRING).group_by_key().count(store="n").to_stream().to("out", key=hr.STRING, value=hr.INT64)
app.run()
"""


@pytest.fixture
def ledger(broker: str, topic: Callable[..., str], tmp_path: Path) -> Ledger:
    """The program as it is."""
    return Ledger(broker, topic, tmp_path)


@long
def test_topics_that_it_writes_are_deleted(ledger: Ledger, broker: str, chance: random.Random) -> None:
    """Where a topic is made again, what goes to the other one is all there, and once."""
    topics, times, told_s = Topics(broker), CHAOS // 4, []
    program = ledger.running()
    try:
        with ledger.load(chance):
            for number in range(times):
                ledger.await_progress(program)
                time.sleep(chance.uniform(0.0, 4.0))
                begun = time.monotonic()
                topics.delete([ledger.folds])
                program.await_words(f"topic '{ledger.folds}' was deleted while the application writes it;", number + 1)
                told_s.append(time.monotonic() - begun)
                topics.create(ledger.folds, 3)
                program.await_words("running again", number + 1)
        assert program.process.poll() is None, program.said
    finally:
        program.kill()
    ledger.finish()
    ledger.check_copies(f"{times} times a topic deleted, told after {max(told_s):.1f} s at the most")


@long
def test_its_broker_moves_and_goes_away(broker_dir: Path, tmp_path: Path) -> None:
    embedded = EmbeddedBroker(broker_dir)
    program = Program([sys.executable, "-c", COUNTS, str(tmp_path / "checkpoint")], tmp_path / "said")
    wanted: list[int] = []

    def count() -> None:
        address = embedded.status().address
        assert address is not None
        wanted.append(len(wanted) + 1)
        produce(address, None, "in", [NewRecord(key=b"k", value=b"v")])
        until(lambda: [hr.INT64.decode(one.value) for one in consume(address, None, "out")] == wanted, program.said)

    try:
        program.await_words(": running")
        count()
        for number in range(CHAOS // 4):
            embedded.stop()
            embedded.start(port=next(filter(_is_free, _shuffled_ports())))
            program.await_words("running again", number + 1)
            count()
        program.stop()
        address = str(embedded.start().address)
        stranded = Program([sys.executable, "-c", COUNTS, str(tmp_path / "checkpoint"), address], tmp_path / "stranded")
        try:
            stranded.await_words(": queries at")
            embedded.stop()
            begun = time.monotonic()
            stranded.stop()
            took_s = time.monotonic() - begun
            assert f"no Kafka broker answers at {address}" in stranded.said
            print(f"{CHAOS // 4} times the broker moved; without one, closed after {took_s:.1f} s of 10")
        finally:
            stranded.kill()
    finally:
        program.kill()


@long
def test_the_archive_of_classes_is_damaged(ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_cache(tmp_path, monkeypatch)
    ledger.running().stop()
    for sealed, words in (False, "is damaged: this start takes longer"), (True, "and runs without: it is made anew"):
        halve("spark", sealed=sealed)
        program = ledger.running()
        assert words in program.said
        program.stop()
    assert not list(Path.cwd().glob("hs_err_pid*"))
    program = ledger.running()
    assert "archive of classes" not in program.said
    program.stop()
