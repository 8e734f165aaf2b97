"""Spark outside of the application's process: a standalone cluster of two workers, and sessions of somebody else."""

from __future__ import annotations

import inspect
import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import headrace as hr
from headrace.cli.main import main
from headrace.engine.place import Place
from headrace.errors import CheckpointBroken, SessionUnfit, SparkInUse, SparkNotStarted, StateChanged
from headrace.jvm.java import find_java
from headrace.jvm.paths import pyspark_jars
from headrace.log.records import NewRecord, consume, produce
from headrace.spark.session.external_session import borrow
from headrace.spark.session.gateway import Gateway
from headrace.spark.session.master import Master
from headrace.spark.session.spark import join, kernel
from waiting import until

pytestmark = pytest.mark.spark

LINES = ["weir mill race", "sluice weir", "pond mill weir", "ford", "bank race wheel"] * 20

# As Spark's own scripts set it.
ENVIRONMENT = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_SCALA_VERSION": "2.13"}

PROGRAM = """
import json
import time
import headrace as hr
from pyspark import SparkContext

def executors(context):
    each = context._jsc.sc().statusStore().executorList(False)
    each = [each.apply(number) for number in range(each.size())]
    return {{one.id(): one.completedTasks() for one in each if one.id() != "driver"}}

def imported(_):
    import headrace.task.task
    return headrace.__file__

{split}

quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
spark = {{"spark.master": {master!r}, "spark.executor.memory": "512m", "spark.executor.extraJavaOptions": quick}}
app = hr.App("count", broker={broker!r}, checkpoint={checkpoint!r}, spark=spark)
words = app.stream({source!r}, value=hr.STRING).flat_map_values(split)
words.group_by(lambda _, word: word).count(store="n").to_stream().to({target!r}, key=hr.STRING)
deadline = time.monotonic() + 240
with app:
    while app.metrics().records_in < {records}:
        assert not app.wait(0.05)
        assert time.monotonic() < deadline, app.metrics()
    context = SparkContext.getOrCreate()
    print(json.dumps([executors(context), context.parallelize([0]).map(imported).first()]))

    bad = hr.App("bad", broker={broker!r}, checkpoint={checkpoint!r} + "-bad", spark=spark)
    bad.stream({unreadable!r}, value=hr.STRING).to({target!r})
    bad.start(until="latest")
    try:
        bad.wait()
    except hr.HeadraceError as error:
        print(str(error).splitlines()[0])
"""


def split(line: str) -> list[str]:
    """Runs in Python processes, beside the executors if there are any."""
    return [word for word in line.split() if word]


class Cluster:
    """Programs of Spark's own, each ended by its own id."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._started = ExitStack()

    def start(self, name: str, main: str, *arguments: str) -> Path:
        """Start a program and return its log."""
        log, home = self._directory / f"{name}.log", pyspark_jars().parent
        java = [str(find_java().path), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"]
        with log.open("wb") as out:
            process = subprocess.Popen(
                [*java, "-cp", f"{home}/jars/*", f"org.apache.spark.deploy.{main}", "--host", "127.0.0.1", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd=self._directory,
                env={"PATH": os.environ["PATH"], "SPARK_HOME": str(home), **ENVIRONMENT},
            )
        self._started.callback(process.wait)
        self._started.callback(process.terminate)
        return log

    def start_two_workers(self) -> str:
        """Start a master and two workers of one core each; the master's address, once it knows both."""
        log = self.start("master", "master.Master", "--port", "0", "--webui-port", "0")
        master = said(log, r"Starting Spark master at (spark://\S+)")[1]
        for name in ("first", "second"):
            work = ["-c", "1", "-m", "1g", "-d", str(self._directory / name), "--webui-port", "0", master]
            said(self.start(name, "worker.Worker", *work), "Successfully registered with master")
        return master

    def stop(self) -> None:
        self._started.close()


def said(log: Path, words: str) -> re.Match[str]:
    """Wait for words in a log."""
    return until(lambda: re.search(words, log.read_text()), log.read_text)


@pytest.fixture
def master(tmp_path: Path) -> Iterator[str]:
    """A cluster of two workers on this machine, of one core each."""
    cluster = Cluster(tmp_path)
    try:
        yield cluster.start_two_workers()
    finally:
        cluster.stop()


def run(directory: Path, text: str, *command: str) -> list[str]:
    """Run a program and return the lines that it prints."""
    file = directory / "program.py"
    file.write_text(text)
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        [*command, str(file)], capture_output=True, text=True, timeout=300, check=False, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def counts(broker: str, target: str) -> dict[str | None, int | None]:
    return {hr.STRING.decode(record.key): hr.INT64.decode(record.value) for record in consume(broker, None, target)}


def count_here(broker: str, checkpoint: str, source: str, target: str) -> None:
    app = hr.App("count", broker=broker, checkpoint=checkpoint)
    words = app.stream(source, value=hr.STRING).flat_map_values(split)
    words.group_by(lambda _, word: word).count(store="n").to_stream().to(target, key=hr.STRING)
    app.run(until="latest")


@pytest.mark.usefixtures("spark")
def test_two_workers_go_on_where_one_process_was_and_back(
    broker: str, topic: Callable[..., str], tmp_path: Path, master: str
) -> None:
    source, target, checkpoint = topic("lines"), topic("counts"), str(tmp_path / "checkpoint")

    def send(times: int) -> Counter[str]:
        """What is to be counted afterwards."""
        produce(broker, None, source, [NewRecord(value=line.encode()) for line in LINES])
        return Counter(word for line in LINES * times for word in line.split())

    expected = send(1)
    count_here(broker, checkpoint, source, target)
    assert counts(broker, target) == expected

    expected = send(2)
    unreadable = topic("unreadable", partitions=1)
    produce(broker, None, unreadable, [NewRecord(value=b"\xff")])
    names = {"broker": broker, "checkpoint": checkpoint, "source": source, "target": target, "unreadable": unreadable}
    report, failure = run(
        tmp_path,
        PROGRAM.format(**names, master=master, records=len(LINES), split=inspect.getsource(split)),
        sys.executable,
    )
    assert failure.startswith("the value of a record is not STRING: ")
    assert counts(broker, target) == expected
    tasks, shipped = json.loads(report)
    assert len(tasks) == 2
    assert min(tasks.values()) > 0, tasks
    assert re.search(r"/headrace-\w+\.zip/headrace/", shipped), shipped

    expected = send(3)
    count_here(broker, checkpoint, source, target)
    assert counts(broker, target) == expected


GIVEN = """
import headrace as hr
from pyspark.sql import SparkSession

session = SparkSession.builder.getOrCreate()
session.conf.set("spark.sql.session.timeZone", "CET")

def app(**options):
    app = hr.App("given-" + {source!r}, broker={broker!r}, checkpoint={checkpoint!r}, **options)
    words = app.stream({source!r}, value=hr.STRING).flat_map_values(lambda line: line.split())
    words.group_by(lambda _, word: word).count(store="n").to_stream().to({target!r}, key=hr.STRING)
    return app

for options in ({{}}, {{"spark": session}}):
    try:
        app(**options).run(until="latest")
    except hr.HeadraceError as error:
        print(error)
print(session.range(7).count(), session.conf.get("spark.sql.session.timeZone"))
"""


@pytest.fixture
def given(broker: str, topic: Callable[..., str], tmp_path: Path) -> tuple[str, str]:
    """A program that makes a session of its own, and the topic that it writes to."""
    source, target = topic("lines"), topic("counts")
    produce(broker, None, source, [NewRecord(value=b"weir mill weir")])
    return GIVEN.format(broker=broker, checkpoint=str(tmp_path / "ck"), source=source, target=target), target


def test_spark_submit(broker: str, given: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["jars"]) == 0
    jars = capsys.readouterr().out.strip()
    submit = [str(pyspark_jars().parent / "bin" / "spark-submit"), "--master", "local[2]", "--jars", jars]
    settings = ["--conf", "spark.sql.extensions=org.apache.spark.sql.headrace.Extensions"]
    said = run(tmp_path, given[0], *submit, *settings)
    assert [line for line in said if not line.startswith("given-")] == [
        "this process runs Spark on local[2] already, the application wants one of its own",
        "  to do: give it the session: hr.App(..., spark=SparkSession.builder.getOrCreate())",
        "7 CET",
    ]
    assert counts(broker, given[1]) == {"weir": 2, "mill": 1}


def test_a_session_without_our_jars_is_refused(given: tuple[str, str], tmp_path: Path) -> None:
    said = run(tmp_path, given[0], sys.executable)
    assert [line for line in said if line.startswith("this SparkSession cannot run an application: ")], said
    assert "the kernel of headrace is not on its class path" in "".join(said)
    assert '  to do: start it with spark-submit --jars "$(headrace jars)"' in "".join(said)
    assert said[-1] == "7 CET"


def count_at(place: Place, broker: str, source: str, target: str) -> hr.App:
    app = hr.App("shared", broker=broker)
    app.checkpoint = place
    app.stream(source).group_by_key().count(store="n").to_stream().to(target)
    return app


@pytest.mark.usefixtures("spark")
def test_a_checkpoint_at_an_address(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    """By Hadoop's own access to files, as with any other storage that Spark reaches."""
    source, target, address = topic(), topic(), (tmp_path / "shared").as_uri()
    place = Place(tmp_path / "here", address=address, shared=True)
    for times in (1, 2):
        produce(broker, None, source, [NewRecord(key=b"k", value=b"v")])
        count_at(place, broker, source, target).run(until="latest")
        assert counts(broker, target) == {"k": times}
    assert {file.name for file in (tmp_path / "here").iterdir()} == {"lock", "pid"}
    with pytest.raises(StateChanged, match=f"the rule for the task of a key of store 'n'(?s:.*)at: {address}"):
        count_at(place, broker, topic(), target).run(until="latest")
    (tmp_path / "shared" / "headrace.json").write_text("{")
    (tmp_path / "shared" / ".headrace.json.crc").unlink()
    with pytest.raises(CheckpointBroken, match=f"cannot be read: Expecting(?s:.*)at: {address}/headrace.json"):
        count_at(place, broker, source, target).run(until="latest")


@pytest.mark.parametrize(("guarantee", "which"), [("exactly_once", "TaskProducers"), ("at_least_once", "Producers")])
def test_producers_that_nobody_uses_are_closed(
    spark: Any, broker: str, topic: Callable[..., str], tmp_path: Path, guarantee: str, which: str
) -> None:
    producers, source, target = getattr(kernel(spark, "kafka"), which), topic(), topic()
    for number in range(2):
        produce(broker, None, source, [NewRecord(value=b"v")])
        app = hr.App("idle", broker=broker, checkpoint=tmp_path, guarantee=guarantee)
        app.stream(source).to(target)
        app.run(until="latest")
        assert len(list(consume(broker, None, target))) == number + 1
        producers.sweep(60_000)
        assert producers.count() >= 1
        producers.sweep(0)
        assert producers.count() == 0


def test_spark_on_another_cluster_is_not_started_beside(spark: Any, tmp_path: Path) -> None:  # noqa: ARG001
    app = hr.App("elsewhere", spark="spark://localhost:7077", checkpoint=tmp_path)
    app.stream("a").to("b")
    with pytest.raises(
        SparkInUse, match=r"runs Spark on local\[2\] already, the application wants spark://localhost:7077"
    ):
        join(app.spark, tmp_path / "spark.log")


def test_what_only_a_new_session_can_be_told(spark: Any) -> None:
    with pytest.raises(SessionUnfit, match=r"warehouse\.dir is not elsewhere(?s:.*)--conf spark\.sql\.warehouse\.dir"):
        borrow(spark, {"spark.sql.session.timeZone": "UTC", "spark.sql.warehouse.dir": "elsewhere"})


def test_spark_that_does_not_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SparkNotStarted, match=r"on yarn: .*HADOOP_CONF_DIR or YARN_CONF_DIR must be set"):
        Gateway(Master("yarn"), {"spark.master": "yarn"}, tmp_path / "spark.log", verbose=False, inherited=())
