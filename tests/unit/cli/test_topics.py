"""`headrace topics` and `headrace broker` against a real broker."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from headrace.cli.main import main
from headrace.log.broker import EmbeddedBroker

pytestmark = pytest.mark.spark


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Outcome]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command with some standard input."""

    def run(*arguments: str, stdin: str = "") -> Outcome:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = main(arguments)
        return Outcome(code, *capsys.readouterr())

    return run


@pytest.fixture
def there(broker: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The shared broker, as one of the user's own."""
    monkeypatch.setenv("HEADRACE_BROKER", broker)
    return broker


def test_the_life_of_a_topic(run: Run, there: str) -> None:
    assert run("topics", "create", "life", "--partitions", "2", "--config-entry", "cleanup.policy=compact") == (
        0,
        "created life with 2 partitions\n",
        "",
    )
    assert "life" in run("topics", "list").out.splitlines()
    described = run("topics", "describe", "life").out
    assert described.startswith("life: 2 partitions, 0 offsets held\n  partition  leader")
    assert "cleanup.policy=compact" in described
    assert run("topics", "delete", "life", stdin="n\n")[0] == 1
    asked = run("topics", "delete", "life", stdin="y\n")
    assert asked.out == "deleted life\n"
    assert f"delete life on {there} with all records?" in asked.err
    gone = run("topics", "delete", "life", "--yes")
    assert (gone.code, gone.err.splitlines()[0]) == (1, f"error: no topic 'life' on {there}")


def test_records_there_and_back(run: Run, there: str, topic: Callable[..., str]) -> None:  # noqa: ARG001
    name = topic(partitions=1)
    options = ("--key-separator", "=", "--value", "int64", "--null-marker", "-")
    produced = run(
        "topics",
        "produce",
        name,
        *options,
        "--header",
        "a=1",
        "--header",
        "a=2",
        "--timestamp",
        "5000",
        stdin="ann=1\nbob=-7\nann=-\n",
    )
    assert produced == (0, "", f"produced 3 records to {name}\n")
    assert run("topics", "consume", name, "--value", "int64").out == "ann\t1\nbob\t-7\nann\tnull\n"
    assert run("topics", "consume", name, "--value", "int64", "--max", "1", "--timestamps", "--headers").out == (
        "1970-01-01T00:00:05.000Z\ta=1,a=2\tann\t1\n"
    )
    lines = run("topics", "consume", name, "--json", "--value", "int64").out.splitlines()
    assert json.loads(lines[1]) == {
        "partition": 0,
        "offset": 1,
        "timestamp": 5000,
        "key": "bob",
        "value": -7,
        "headers": [["a", "1"], ["a", "2"]],
    }
    copied = run("topics", "produce", name, "--json", "--value", "int64", stdin="\n".join(lines) + "\n")
    assert copied == (0, "", f"produced 3 records to {name}\n")
    again = run("topics", "consume", name, "--json", "--value", "int64").out.splitlines()
    assert [json.loads(line) | {"offset": 0} for line in again[3:]] == [
        json.loads(line) | {"offset": 0} for line in lines
    ]


def test_a_bad_line_ends_it_after_the_good_ones(run: Run, there: str, topic: Callable[..., str]) -> None:  # noqa: ARG001
    name = topic(partitions=1)
    bad = run("topics", "produce", name, "--value", "int32", stdin="1\ntwo\n3\n")
    assert (bad.code, bad.out) == (1, "")
    assert bad.err == (
        f"error: a record for topic '{name}' was refused: 'two' is not int32\n  at: line 2 of standard input\n"
    )
    assert run("topics", "consume", name, "--value", "int32").out == "null\t1\n"


def test_records_from_a_file(run: Run, there: str, topic: Callable[..., str], tmp_path: Path) -> None:  # noqa: ARG001
    name, file = topic(partitions=1), tmp_path / "lines.json"
    file.write_text('{"key":"k","value":{"n":1}}\n{"key":"k"}\n')
    assert run("topics", "produce", name, "--json", "--value", "json", "--file", str(file)).code == 0
    assert run("topics", "consume", name, "--value", "json").out == 'k\t{"n":1}\nk\tnull\n'
    file.write_text("{}\n{}\noops\n")
    assert f"at: line 3 of {file}" in run("topics", "produce", name, "--json", "--file", str(file)).err


def test_a_missing_topic_on_a_broker_of_ones_own(run: Run, there: str) -> None:
    for command in ("consume", "produce", "describe"):
        missing = run("topics", command, "nowhere", stdin="x\n")
        assert missing.code == 1
        assert missing.err == (
            f"error: no topic 'nowhere' on {there}\n"
            f"  to do: headrace topics create nowhere --partitions 4 --broker {there}\n"
        )


def test_client_properties(run: Run, there: str, tmp_path: Path) -> None:  # noqa: ARG001
    file = tmp_path / "client.properties"
    file.write_text("security.protocol=PLAINTEXT\nno.such.thing=1\n")
    assert "'no.such.thing' cannot be used" in run("topics", "list", "--config", str(file)).err
    assert "'other.thing' cannot be used" in run("topics", "list", "-X", "other.thing=1").err
    assert run("topics", "list", "-X", "oops").code == 2
    assert run("topics", "list", "-X", "client.id=me").code == 0


def test_following_ends_calmly_with_ctrl_c(there: str, topic: Callable[..., str]) -> None:
    name = topic(partitions=1)
    command = [sys.executable, "-m", "headrace.cli.main", "topics", "consume", name, "-f", "--from-beginning"]
    produce = [*command[:4], "produce", name]
    subprocess.run(produce, input=b"hello\n", capture_output=True, check=True, env={**os.environ})
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as following:
        assert following.stdout is not None
        assert following.stdout.readline() == "null\thello\n", there
        following.send_signal(signal.SIGINT)
        try:
            out, err = following.communicate(timeout=20)
        finally:
            following.kill()
    assert (following.returncode, out, err.strip()) == (130, "", "stopped")


def test_a_reader_that_has_enough_is_no_error(there: str, topic: Callable[..., str]) -> None:  # noqa: ARG001
    name = topic(partitions=1)
    base = [sys.executable, "-m", "headrace.cli.main", "topics"]
    lines = b"some words that fill a pipe\n" * 20_000
    subprocess.run([*base, "produce", name], input=lines, capture_output=True, check=True)
    with subprocess.Popen([*base, "consume", name], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as reading:
        assert reading.stdout is not None
        assert reading.stderr is not None
        assert reading.stdout.readline()
        reading.stdout.close()
        assert reading.stderr.read() == b""


def test_the_embedded_broker_by_hand(run: Run, broker_dir: Path) -> None:
    stopped = run("broker", "status")
    assert stopped.code == 3
    assert stopped.out == (
        f"the embedded broker is not running\n  data:    {broker_dir}\n  log:     {broker_dir}/logs/broker.log\n"
    )
    started = run("broker", "start")
    assert started.code == 0
    found = EmbeddedBroker().status()
    assert f"the embedded broker runs at {found.address}\n  process: {found.pid}, since " in started.out
    assert "runs:    until `headrace broker stop`, not in use" in started.out
    assert run("broker", "status").code == 0

    produced = run("topics", "produce", "fresh", stdin="one\n")
    assert produced == (0, "", "created topic fresh with 4 partitions\nproduced 1 record to fresh\n")
    assert run("topics", "consume", "fresh").out == "null\tone\n"
    assert run("topics", "consume", "never").err == (
        "error: no topic 'never' on the embedded broker\n  to do: headrace topics create never --partitions 4\n"
    )
    elsewhere = run("broker", "start", "--port", "1")
    assert (elsewhere.code, elsewhere.err.splitlines()[0]) == (
        1,
        f"error: the embedded broker runs already, at {found.address}",
    )
    assert run("broker", "stop").out == "stopping the embedded broker ...\nstopped\n"
    assert run("broker", "stop").out == "the embedded broker was not running\n"
