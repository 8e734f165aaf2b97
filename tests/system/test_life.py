"""The life of an application, as a program in a terminal and as an object in one."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import headrace as hr
from headrace.errors import AlreadyStarted
from headrace.log.records import NewRecord, consume, produce
from waiting import until

pytestmark = pytest.mark.spark

PROGRAM = """
import headrace as hr

app = hr.App({source!r}, broker={broker!r}, checkpoint={checkpoint!r})
words = app.stream({source!r}, value=hr.STRING).peek(lambda key, word: (key, word))
words.group_by(lambda _, word: word).count(store="n").to_stream().to({target!r})

if __name__ == "__main__":
    app.run()
"""


@pytest.fixture
def program(broker: str, topic: Callable[..., str], tmp_path: Path) -> tuple[Path, str, str]:
    """A file with an application, the topic it reads, after which it is called, and the one it writes."""
    source, target = topic("words"), topic("counts")
    file = tmp_path / "program.py"
    file.write_text(
        PROGRAM.format(broker=broker, checkpoint=str(tmp_path / "checkpoint"), source=source, target=target)
    )
    return file, source, target


def counted(broker: str, target: str) -> dict[bytes | None, int | None]:
    return {record.key: hr.INT64.decode(record.value) for record in consume(broker, None, target)}


def await_count(broker: str, target: str, word: bytes, count: int) -> None:
    until(lambda: counted(broker, target).get(word) == count, lambda: counted(broker, target))


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=lambda one: one.name)
def test_a_signal_finishes_the_batch_and_closes(
    broker: str, program: tuple[Path, str, str], how: signal.Signals, tmp_path: Path
) -> None:
    file, source, target = program
    produce(broker, None, source, [NewRecord(value=b"mill")] * 3)
    command = [sys.executable, "-m", "headrace.cli.main", "run", str(file)]
    environment, started = with_told(tmp_path, "chmod")
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        await_count(broker, target, b"mill", 3)
        process.send_signal(how)
        out, err = process.communicate(timeout=90)
    assert process.returncode == 0, err
    assert out.splitlines() == ["(None, 'mill')"] * 3
    now_and_then = re.compile(rf"{source}: (queries: |[\d,]+ records? in, )")  # where it takes long
    lines = [line for line in err.splitlines() if not now_and_then.match(line)]
    assert lines[0].startswith(f"{source}: starting Spark, its log is ")
    assert lines[1] == f"{source}: running, from {source} to {target}"
    assert lines[2].startswith(f"{source}: queries at http://127.0.0.1:")
    assert lines[3:] == [
        f"{source}: finishing the batch ...",
        f"{source}: closed after 3 records in, 1 out, 1 batch",
    ]
    assert [line for line in started() if "/spark/" in line] == [], "no process is started for a file of the checkpoint"


def with_told(folder: Path, program: str) -> tuple[dict[str, str], Callable[[], list[str]]]:
    """An environment in which a program of the system is told of when it is started, and what was told."""
    told, found = folder / f"{program}.txt", shutil.which(program)
    told.touch()
    stand_in = folder / "bin" / program
    stand_in.parent.mkdir()
    stand_in.write_text(f'#!/bin/sh\necho "$@" >> {told}\nexec {found} "$@"\n')
    stand_in.chmod(0o755)
    path = f"{stand_in.parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path}, lambda: told.read_text().splitlines()


@pytest.mark.parametrize("seconds", [0.0, 2.0])
def test_a_signal_while_starting(program: tuple[Path, str, str], seconds: float) -> None:
    file, source, _ = program
    command = [sys.executable, "-m", "headrace.cli.main", "run", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(f"{source}: starting Spark")
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=90)
    assert (process.returncode, out) == (0, ""), err
    assert all(line.startswith(f"{source}: ") for line in err.splitlines()), err
    assert re.search(rf"{source}: closed after 0 records in, 0 out, \d batch", err), err


def test_a_killed_program_goes_on_where_it_was(broker: str, program: tuple[Path, str, str]) -> None:
    file, source, target = program
    for sent in (2, 4):
        produce(broker, None, source, [NewRecord(value=b"weir")] * 2)
        with subprocess.Popen(
            [sys.executable, str(file)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            await_count(broker, target, b"weir", sent)
            os.kill(process.pid, signal.SIGKILL)


@pytest.mark.usefixtures("spark")
def test_states_and_their_listener(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    app = hr.App("states", broker=broker, checkpoint=tmp_path)
    app.stream(topic()).to(topic())
    seen: list[str] = []
    app.on_state(lambda old, new: seen.append(f"{old.value} -> {new.value}"))
    with app:
        assert app.state is hr.State.RUNNING
        with pytest.raises(
            AlreadyStarted, match="application 'states' is running and cannot be started again meanwhile"
        ):
            app.start()
    app.close()
    assert app.state.ended
    assert seen == ["created -> starting", "starting -> running", "running -> closing", "closing -> closed"]
    app.run(until="latest")
    assert seen[4:] == ["closed -> starting", "starting -> running", "running -> closed"]


@pytest.mark.usefixtures("spark")
def test_until_latest_ends_by_itself(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    source, target = topic(), topic()
    produce(broker, None, source, [NewRecord(value=b"x")] * 10)
    app = hr.App("ends", broker=broker, checkpoint=tmp_path)
    app.stream(source).to(target)
    app.start(until="latest")
    assert app.wait(timeout=60)
    assert app.state is hr.State.CLOSED
    assert (app.metrics().records_in, app.metrics().records_out) == (10, 10)
