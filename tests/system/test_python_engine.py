"""The engine in pure Python on a real broker: outputs, state and positions through restarts, kills and refusals."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

import headrace as hr
from headrace.engine.batch.checkpoint import Checkpoint
from headrace.errors import CheckpointLost, EngineFailed, OptionInvalid, RecordFailed, StateChanged, TakenOver
from headrace.log.broker import EmbeddedBroker
from headrace.log.records import NewRecord, consume, produce
from headrace.log.topics import Topics
from headrace.passes.pipeline import rewrite
from headrace.runtime.commands.reset import resetting
from waiting import until, while_up

COUNTS = """
import sys
import headrace as hr

broker, app_id, place, source, target, guarantee = sys.argv[1:]
app = hr.App(app_id, broker=broker, checkpoint=place, engine="python", guarantee=guarantee, serve=None)
words = app.stream(source, key=hr.STRING, value=hr.STRING)
words.group_by_key().count(store="counts").to_stream().to(target, key=hr.STRING, value=hr.INT64)
app.run()
"""


def counting(app_id: str, broker: str, place: Path, source: str, target: str, **options: object) -> hr.App:
    app = hr.App(app_id, broker=broker, checkpoint=place, engine="python", serve=None, emit="every", **options)  # type: ignore[arg-type]
    words = app.stream(source, key=hr.STRING, value=hr.STRING)
    words.group_by_key().count(store="counts").to_stream().to(target, key=hr.STRING, value=hr.INT64)
    return app


def written(broker: str, topic: str) -> list[tuple[str, int]]:
    """The keys and counts in a topic, in order."""
    rows = consume(broker, None, topic)
    return [((row.key or b"").decode(), int.from_bytes(row.value or b"", "big")) for row in rows]


def more_than(broker: str, topic: str, count: int) -> bool:
    return len(written(broker, topic)) > count


def send(broker: str, topic: str, *keys: str) -> None:
    produce(broker, None, topic, [NewRecord(key=key.encode(), value=b"x") for key in keys])


def test_counts_go_on_from_the_changelog_alone(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic("in", 2), topic("out", 2)
    for turn, keys in enumerate((["a", "b", "a"], ["a", "c"], [])):
        send(broker, source, *keys)
        app = counting(f"again-{source}", broker, tmp_path / str(turn), source, target)
        app.run(until="latest")
        assert app.metrics().records_in == len(keys)
    assert sorted(written(broker, target)) == [("a", 1), ("a", 2), ("a", 3), ("b", 1), ("c", 1)]
    assert sorted(written(broker, f"again-{source}-counts-changelog"))[-1] == ("c", 1)


@contextmanager
def running(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("guarantee", ["exactly_once", "at_least_once"])
def test_killed_again_and_again(guarantee: str, broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    """Its directory is gone as well each time: all that it goes on from is on the broker."""
    source, target, sent = topic("in", 2), topic("out", 2), 0
    stop = threading.Event()

    def send_on() -> None:
        nonlocal sent
        while not stop.wait(0.01):
            send(broker, source, *(f"k{number % 7}" for number in range(sent, sent + 10)))
            sent += 10

    sending = threading.Thread(target=send_on)
    sending.start()
    try:
        for turn in range(3):
            place, before = tmp_path / str(turn), len(written(broker, target))
            command = [sys.executable, "-c", COUNTS, broker, f"killed-{source}", str(place), source, target, guarantee]
            with running(command) as process:
                until(partial(more_than, broker, target, before + 20), "more counts")
                process.send_signal(signal.SIGKILL)
            shutil.rmtree(place)
    finally:
        stop.set()
        sending.join()
    counting(f"killed-{source}", broker, tmp_path / "last", source, target, guarantee=guarantee).run(until="latest")
    found: dict[str, list[int]] = defaultdict(list)
    for key, count in written(broker, target):
        found[key].append(count)
    assert sum(counts[-1] for counts in found.values()) == sent
    if guarantee == "exactly_once":  # the tables of this one settle: a commit may have seen a key more than once
        assert all(counts == sorted(set(counts)) for counts in found.values())


def test_of_two_the_second_goes_on(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic("in", 1), topic("out", 1)
    first, second = (counting(f"twice-{source}", broker, tmp_path / str(one), source, target) for one in range(2))
    first.start()
    send(broker, source, "a")
    until(lambda: written(broker, target) == [("a", 1)], "the counts")
    with second:
        send(broker, source, "a", "a")
        until(lambda: written(broker, target) == [("a", 1), ("a", 2), ("a", 3)], "the counts")
        with pytest.raises(TakenOver, match=r"was taken over by another process"):
            first.wait(30)
    first.close()


def test_queries_are_answered(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic("in", 2), topic("out", 2)
    with counting(f"asked-{source}", broker, tmp_path, source, target) as app:
        send(broker, source, "a", "b", "a")
        until(lambda: app.store("counts").get("a") == 2, "the counts")


def test_a_changed_store_and_lost_state_are_refused(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic("in", 1), topic("out", 1)
    send(broker, source, "a")
    counting(f"other-{source}", broker, tmp_path, source, target).run(until="latest")
    app = hr.App(f"other-{source}", broker=broker, checkpoint=tmp_path, engine="python", serve=None)
    app.stream(source, key=hr.STRING, value=hr.STRING).group_by_key().reduce(lambda a, b: a + b, store="counts")
    with pytest.raises(StateChanged, match=r"store 'counts'"):
        app.run(until="latest")
    Topics(broker).delete([f"other-{source}-state"])
    with pytest.raises(CheckpointLost, match=r"has run before"):
        counting(f"other-{source}", broker, tmp_path, source, target).run(until="latest")


def test_what_fails_is_told_and_done_again(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic("in", 1), topic("out", 1)
    send(broker, source, "1", "x", "2")

    def numbers(**options: str) -> hr.App:
        app = hr.App(f"fails-{source}", broker=broker, checkpoint=tmp_path, engine="python", serve=None, **options)  # type: ignore[arg-type]
        read = app.stream(source, key=hr.STRING, value=hr.STRING)
        read.map(lambda key, _: (key, int(key))).to(target, key=hr.STRING, value=hr.INT64)
        return app

    with pytest.raises(RecordFailed, match=r"1_000|invalid|number|'x'"):
        numbers().run(until="latest")
    assert written(broker, target) == []
    numbers(on_error="skip").run(until="latest")
    assert written(broker, target) == [("1", 1), ("2", 2)]


class Broken:
    """A clock that stands for whatever nobody has thought of."""

    def now_ms(self) -> int:
        raise ZeroDivisionError("no time")

    steady_ms = now_ms


def test_a_fault_of_ours_is_told_as_one(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic("in", 1), topic("out", 1)
    app = counting(f"broken-{source}", broker, tmp_path, source, target)
    app.clock = Broken()
    with pytest.raises(EngineFailed, match=r"failed: ZeroDivisionError: no time"):
        app.run()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"engine": "jet"}, r"engine='jet' is not possible"),
        ({"engine": "python", "spark": "local[2]"}, r"without Spark"),
        ({"engine": "python", "strict_native": True}, r"without Spark"),
        ({"engine": "python", "commit_every": "5ms"}, r"commit_every"),
        ({"commit_every": "1s"}, r"commits each batch"),
    ],
)
def test_options_that_do_not_go_together(options: dict[str, object], words: str) -> None:
    with pytest.raises(OptionInvalid, match=words):
        hr.App("options", **options)  # type: ignore[arg-type]


def test_waiting_for_records_that_are_not_there_is_refused(tmp_path: Path) -> None:
    app = counting("idle", "nowhere:1", tmp_path, "in", "out", max_task_idle="1s")
    with pytest.raises(OptionInvalid, match=r"max_task_idle='1s' is not possible"):
        app.run()


def test_neither_spark_nor_java_is_needed(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic("in", 1), topic("out", 1)
    send(broker, source, "a")
    ends = COUNTS.replace(
        "app.run()", "app.run(until='latest'); print({'pyspark', 'py4j', 'pyarrow'} & {*sys.modules})"
    )
    command = [sys.executable, "-c", ends, broker, f"alone-{source}", str(tmp_path), source, target, "exactly_once"]
    began = time.monotonic()
    done = subprocess.run(command, env={"PATH": "", "HOME": str(tmp_path)}, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n", f"{done.stdout} after {time.monotonic() - began:.1f} s"
    assert written(broker, target) == [("a", 1)]


def test_reset_begins_anew(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic("in", 1), topic("out", 1)
    send(broker, source, "a", "a")
    app = counting(f"anew-{source}", broker, tmp_path, source, target)
    app.run(until="latest")
    checkpoint = Checkpoint(app.id, tmp_path)
    with resetting(rewrite(app.plan()), checkpoint, "earliest", broker, {}) as reset:
        assert f"{app.id}-state" in reset.changelogs
        reset.carry_out(broker, {})
    counting(f"anew-{source}", broker, tmp_path, source, target).run(until="latest")
    assert written(broker, target) == [("a", 1), ("a", 2)] * 2


def test_a_broker_that_was_killed_and_is_there_again(broker_dir: Path, tmp_path: Path) -> None:
    embedded = EmbeddedBroker(broker_dir)
    with embedded.join() as lease:
        broker = lease.address
        for name in ("in", "out"):
            Topics(broker).create(name, 2)
        with counting("outage", broker, tmp_path, "in", "out") as app:
            send(broker, "in", *"aaa")
            while_up(app, lambda: app.metrics().records_in == 3, "three records")
            os.kill(embedded.status().pid or 0, signal.SIGKILL)
            until(lambda: not embedded.status().running, "the broker is gone")
            with embedded.join() as again:
                assert again.address == broker
                send(broker, "in", *"aa")
                while_up(app, lambda: app.metrics().records_in == 5, "five records")
                assert written(broker, "out") == [("a", number) for number in range(1, 6)]
