"""Spark outside of the application's process: a standalone cluster of two workers, and sessions of somebody else."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import headrace as hr
from headrace.jvm.java import find_java
from headrace.jvm.paths import pyspark_jars
from headrace.log.records import NewRecord, consume, produce

pytestmark = pytest.mark.spark

LINES = ["weir mill race", "sluice weir", "pond mill weir", "ford", "bank race wheel"] * 20

# As Spark's own scripts set it.
ENVIRONMENT = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_SCALA_VERSION": "2.13"}

PROGRAM = """
import json
import headrace as hr
from pyspark import SparkContext

def executors(context):
    each = context._jsc.sc().statusStore().executorList(False)
    each = [each.apply(number) for number in range(each.size())]
    return {{one.id(): one.completedTasks() for one in each if one.id() != "driver"}}

def imported(_):
    import headrace.task.task
    return headrace.__file__

quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
spark = {{"spark.master": {master!r}, "spark.executor.memory": "512m", "spark.executor.extraJavaOptions": quick}}
app = hr.App("count", broker={broker!r}, checkpoint={checkpoint!r}, spark=spark)
words = app.stream({source!r}, value=hr.STRING).flat_map_values(lambda line: line.split())
words.group_by(lambda _, word: word).count(store="n").to_stream().to({target!r}, key=hr.STRING)
with app:
    while app.progress.records_in < {records}:
        assert not app.wait(0.05)
    context = SparkContext.getOrCreate()
    print(json.dumps([executors(context), context.parallelize([0]).map(imported).first()]))
"""


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

    def stop(self) -> None:
        self._started.close()


def said(log: Path, words: str) -> re.Match[str]:
    """Wait for words in a log."""
    deadline = time.monotonic() + 60
    while not (found := re.search(words, log.read_text())):
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)
    return found


@pytest.fixture
def master(tmp_path: Path) -> Iterator[str]:
    """A cluster of two workers on this machine, of one core each."""
    cluster = Cluster(tmp_path)
    try:
        log = cluster.start("master", "master.Master", "--port", "0", "--webui-port", "0")
        master = said(log, r"Starting Spark master at (spark://\S+)")[1]
        for name in ("first", "second"):
            work = str(tmp_path / name)
            cluster.start(name, "worker.Worker", "-c", "1", "-m", "1g", "-d", work, "--webui-port", "0", master)
        yield master
    finally:
        cluster.stop()


def run(directory: Path, text: str, *command: str) -> list[str]:
    """Run a program and return the lines that it prints."""
    file = directory / "program.py"
    file.write_text(text)
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        [*command, str(file)], capture_output=True, text=True, timeout=180, check=False, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def counts(broker: str, target: str) -> dict[str | None, int | None]:
    return {hr.STRING.decode(record.key): hr.INT64.decode(record.value) for record in consume(broker, None, target)}


def count_here(broker: str, checkpoint: str, source: str, target: str) -> None:
    app = hr.App("count", broker=broker, checkpoint=checkpoint)
    words = app.stream(source, value=hr.STRING).flat_map_values(lambda line: line.split())
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
    names = {"broker": broker, "checkpoint": checkpoint, "source": source, "target": target}
    program = PROGRAM.format(**names, master=master, records=len(LINES))
    tasks, shipped = json.loads(run(tmp_path, program, sys.executable)[-1])
    assert counts(broker, target) == expected
    assert len(tasks) == 2
    assert min(tasks.values()) > 0, tasks
    assert re.search(r"/headrace-\w+\.zip/headrace/", shipped), shipped

    expected = send(3)
    count_here(broker, checkpoint, source, target)
    assert counts(broker, target) == expected
