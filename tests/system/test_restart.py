"""Restarts that must not go on with state in the wrong place, and ends that are not the usual ones."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import headrace as hr
import headrace.functions as F
from headrace.engine.batch.checkpoint import Checkpoint
from headrace.errors import (
    CheckpointBroken,
    CheckpointForeign,
    ClientPropertyRefused,
    PartitionsChanged,
    QueryFailed,
    RecordFailed,
    RecordUndecodable,
    StateChanged,
)
from headrace.log.locks import is_held
from headrace.log.records import NewRecord, consume, produce
from headrace.observe.metrics import Metrics
from headrace.passes.pipeline import rewrite
from headrace.runtime.rescale.rescale import Rescale, rescaling
from headrace.runtime.state_key import codec_of
from headrace.spark.session.spark import Session
from waiting import until, until_read

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]


@pytest.fixture
def source(broker: str, topic: Callable[..., str]) -> str:
    """A topic of two partitions with a record of each of twenty keys."""
    name = topic("in", partitions=2)
    produce(broker, None, name, [NewRecord(key=b"k%d" % n, value=b"v") for n in range(20)])
    return name


def add_partitions(broker: str, topic: str, count: int) -> None:
    from confluent_kafka.admin import AdminClient, NewPartitions  # type: ignore[attr-defined]

    admin = AdminClient({"bootstrap.servers": broker})
    admin.create_partitions([NewPartitions(topic, count)])[topic].result()


def rescaled(app: hr.App, tasks: int | None, spark: Session) -> Rescale:
    """Have an application go on with another number of tasks."""
    assert app.broker is not None
    checkpoint = Checkpoint(app.id, app.checkpoint.directory)
    with rescaling(rewrite(app.plan()), checkpoint, tasks, app.broker, {}, codec_of(app)) as found:
        found.carry_out(spark)
    return found


def test_a_changed_number_of_repartitions_is_refused(
    broker: str, topic: Callable[..., str], source: str, tmp_path: Path
) -> None:
    target = topic()

    def count(partitions: int) -> hr.App:
        app = hr.App("repartitions", broker=broker, checkpoint=tmp_path)
        app.stream(source).repartition(partitions).group_by_key().count(store="n").to_stream().to(target)
        return app

    count(2).run(until="latest")
    with pytest.raises(StateChanged, match="task of a key of store 'n' is hash into 1, it was hash into 2"):
        count(1).run(until="latest")


def test_a_topology_may_grow_inside_its_stages(
    broker: str, topic: Callable[..., str], source: str, tmp_path: Path
) -> None:
    target, letters = topic("counts"), topic("letters")

    def app(*, grown: bool) -> hr.App:
        app = hr.App("grows", broker=broker, checkpoint=tmp_path)
        stream = app.stream(source, key=hr.STRING, value=hr.STRING)
        stream.group_by_key().count(store="n").to_stream().to(target)
        if grown:
            shorter = stream.filter(hr.key != "k1").map_values(lambda v: v + "!")
            shorter.group_by_key().reduce(lambda a, b: a + b, store="added").to_stream().to(letters)
        return app

    app(grown=False).run(until="latest")
    produce(broker, None, source, [NewRecord(key=b"k1", value=b"v"), NewRecord(key=b"k2", value=b"w")])
    app(grown=True).run(until="latest")
    produce(broker, None, source, [NewRecord(key=b"k2", value=b"x")])
    app(grown=True).run(until="latest")
    counted = Counter(hr.INT64.decode(record.value) for record in consume(broker, None, target))
    assert counted == {1: 20, 2: 2, 3: 1}
    assert [record.value for record in consume(broker, None, letters)] == [b"w!", b"w!x!"]
    with pytest.raises(StateChanged, match="store 'added' is not there any more"):
        app(grown=False).run(until="latest")


def test_a_new_source_is_refused_in_words(broker: str, topic: Callable[..., str], source: str, tmp_path: Path) -> None:
    other, target = topic(), topic()

    def count(*names: str) -> hr.App:
        app = hr.App("sources", broker=broker, checkpoint=tmp_path)
        for name in names:
            app.stream(name).group_by_key().count(store=f"n-{name}").to_stream().to(target)
        return app

    count(source).run(until="latest")
    with pytest.raises(CheckpointForeign, match="made with the sources"):
        count(source, other).run(until="latest")


def test_a_topic_that_grew_is_refused_until_the_state_has_followed(
    broker: str, topic: Callable[..., str], source: str, tmp_path: Path, spark: Session
) -> None:
    target = topic()

    def count() -> hr.App:
        app = hr.App("grown", broker=broker, checkpoint=tmp_path)
        app.stream(source).group_by_key().count(store="n").to_stream().to(target)
        return app

    with count() as running:
        until_read(running, 20)
        add_partitions(broker, source, 3)
        produce(broker, None, source, [NewRecord(key=b"k", value=b"v", partition=2)])
        with pytest.raises(PartitionsChanged, match="has more than 2 partitions"):
            running.wait(60)
    with pytest.raises(PartitionsChanged, match="has 3 partitions"):
        count().run(until="latest")
    # A batch was begun that nobody could finish: the new tasks begin it anew.
    assert rescaled(count(), None, spark).after.tasks == 3
    produce(broker, None, source, [NewRecord(key=b"k%d" % n, value=b"v") for n in range(20)])
    count().run(until="latest")
    counted = Counter(hr.INT64.decode(record.value) for record in consume(broker, None, target))
    assert counted == {1: 21, 2: 20}


def test_an_empty_layout_is_told(broker: str, topic: Callable[..., str], source: str, tmp_path: Path) -> None:
    (tmp_path / "headrace.json").touch()
    app = hr.App("broken", broker=broker, checkpoint=tmp_path)
    app.stream(source).to(topic())
    with pytest.raises(CheckpointBroken):
        app.run(until="latest")


def test_a_function_fails_even_if_nobody_reads_its_result(
    broker: str, topic: Callable[..., str], source: str, tmp_path: Path
) -> None:
    app = hr.App("unread", broker=broker, checkpoint=tmp_path)
    numbers = app.stream(source, value=hr.STRING).map_values(lambda v: F.integer(v))
    numbers.map_values(lambda _: 1).to(topic())
    with pytest.raises(RecordFailed, match="'v'"):
        app.run(until="latest")


def test_a_key_that_nobody_reads_is_decoded(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source = topic()
    produce(broker, None, source, [NewRecord(key=b"\xff", value=b"v")])
    app = hr.App("unread-key", broker=broker, checkpoint=tmp_path)
    app.stream(source, key=hr.STRING, value=hr.STRING).group_by(lambda _, v: v).count(store="n").to_stream().to(topic())
    with pytest.raises(RecordUndecodable, match="the key of a record is not STRING"):
        app.run(until="latest")


def test_closing_beside_somebody_who_waits(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic(), topic()
    produce(broker, None, source, (NewRecord(value=b"%d" % n) for n in range(200_000)))
    seen: list[hr.State] = []

    def copy() -> hr.App:
        app = hr.App("waited", broker=broker, checkpoint=tmp_path)
        app.stream(source).to(target)
        app.on_state(lambda _, new: seen.append(new))
        return app

    app = copy()
    app.start()
    waiter = threading.Thread(target=app.wait)
    waiter.start()
    app.close()
    waiter.join()
    assert seen.count(hr.State.CLOSED) == 1
    copy().run(until="latest")
    copied = Counter(record.value for record in consume(broker, None, target))
    assert (len(copied), set(copied.values())) == (200_000, {1})


def test_a_listener_may_close_or_fail(broker: str, topic: Callable[..., str], source: str, tmp_path: Path) -> None:
    app = hr.App("listener", broker=broker, checkpoint=tmp_path)
    app.stream(source).to(topic())
    app.on_state(lambda _, new: app.close() if new is hr.State.CLOSING else None)
    app.on_state(lambda *_: [][0])
    with app:
        pass
    assert app.state is hr.State.CLOSED


@pytest.mark.parametrize("waits", [True, False])
def test_a_listener_may_close_after_a_batch(
    broker: str, topic: Callable[..., str], source: str, tmp_path: Path, waits: bool
) -> None:
    target, seen, told = topic(), list[hr.State](), list[tuple[int, bool]]()

    def copy() -> hr.App:
        app = hr.App("listener", broker=broker, checkpoint=tmp_path)
        app.stream(source).to(target)
        return app

    def close(metrics: Metrics) -> None:
        app.close()
        told.append((metrics.batches, app.wait()))

    app = copy()
    app.on_state(lambda _, new: seen.append(new))
    app.on_batch(close)
    app.on_batch(close)
    if waits:
        app.run()
    else:
        app.start()
        until(lambda: app.state is hr.State.CLOSED, lambda: app.state)
    assert told == [(1, False)] * 2
    assert [state.value for state in seen] == ["starting", "running", "closing", "closed"]
    assert not is_held(tmp_path / "lock")
    copy().run(until="latest")
    assert len(list(consume(broker, None, target))) == 20


def test_listeners_are_told_of_each_batch_once_while_others_look(
    broker: str, topic: Callable[..., str], source: str, tmp_path: Path
) -> None:
    app = hr.App("looked-at", broker=broker, checkpoint=tmp_path)
    app.stream(source).to(topic())
    told: list[int] = []

    def look(metrics: Metrics) -> None:
        assert app.metrics().batches >= metrics.batches
        told.append(metrics.batches)

    app.on_batch(look)
    with app:
        for sent in range(1, 6):
            produce(broker, None, source, [NewRecord(value=b"x")])
            until_read(app, 20 + sent)
    assert told == list(range(1, app.metrics().batches + 1))


def test_a_property_that_is_ours_is_refused(broker: str, source: str, tmp_path: Path) -> None:
    app = hr.App("ours", broker=broker, checkpoint=tmp_path, kafka={"auto.offset.reset": "latest"})
    app.stream(source).to("out")
    with pytest.raises(ClientPropertyRefused, match="cannot be used: an application sets it by itself"):
        app.run(until="latest")


def test_what_spark_refuses_is_one_sentence(
    broker: str, topic: Callable[..., str], source: str, tmp_path: Path
) -> None:
    app = hr.App("refused", broker=broker, checkpoint=tmp_path, kafka={"max.poll.records": "none"})
    app.stream(source).to(topic())
    with pytest.raises(QueryFailed, match="application 'refused' failed: "):
        app.run(until="latest")


PROGRAM = """
import headrace as hr

app = hr.App("program", broker={broker!r}, checkpoint={checkpoint!r}, retry_for="0s")
app.stream({source!r}).to({target!r})
app.start()
import os, signal
from headrace.spark.session.spark import _SPARK
if {kill}:
    os.kill(_SPARK.gateway.py4j.proc.pid, signal.SIGKILL)
    try:
        app.wait()
    except hr.HeadraceError as error:
        print(error)
    print(app.state)
    app = hr.App("program", broker={broker!r}, checkpoint={checkpoint!r})
    app.stream({source!r}).to({target!r})
    app.run(until="latest")
    print(app.state)
else:
    app.close()
    app = hr.App("program", broker="127.0.0.1:9", checkpoint={checkpoint!r})
    app.stream("a").to("b")
    app.run()
"""


@pytest.mark.parametrize("kill", [True, False])
def test_programs_of_their_own(broker: str, topic: Callable[..., str], source: str, tmp_path: Path, kill: bool) -> None:
    place, target = tmp_path / "a place with spaces", topic()
    place.mkdir()
    file = place / "program.py"
    file.write_text(PROGRAM.format(broker=broker, checkpoint=str(place), source=source, target=target, kill=kill))
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=120, check=False)
    if kill:
        assert done.stdout.startswith("Spark's process has ended or does not answer\n"), done
        assert done.stdout.endswith("State.FAILED\nState.CLOSED\n")
        assert done.returncode == 0
    else:
        told = "error: no Kafka broker answered at 127.0.0.1:9"
        assert done.returncode == 1
        assert [line for line in done.stderr.splitlines() if line.startswith(told)], done.stderr
        assert "Traceback" not in done.stderr


def test_the_jvm_holds_the_checkpoint_as_long_as_it_runs(
    broker: str, topic: Callable[..., str], source: str, tmp_path: Path
) -> None:
    file = tmp_path / "program.py"
    body = PROGRAM.format(broker=broker, checkpoint=str(tmp_path), source=source, target=topic(), kill=True)
    pause = "print(_SPARK.gateway.py4j.proc.pid, flush=True)\nsignal.pause()\n"
    file.write_text(body[: body.index("if True")] + pause)
    program = [sys.executable, str(file)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        jvm = int(process.stdout.readline())
        os.kill(jvm, signal.SIGSTOP)
        process.kill()
        process.wait()
        assert is_held(tmp_path / "lock")
        os.kill(jvm, signal.SIGKILL)
