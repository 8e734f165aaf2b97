"""Several applications of one program, in one Spark: each ends for itself, and a signal ends all."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

import headrace as hr
from headrace.errors import OptionInvalid
from headrace.log.records import NewRecord, consume, produce
from waiting import until

PROGRAM = """
import headrace as hr


def counting(name, source, target):
    app = hr.App(name, broker={broker!r}, checkpoint={folder!r} + "/" + name, retry_for="0s")
    numbers = app.stream(source, key=hr.STRING, value=hr.INT64)
    numbers.group_by_key().count(store="counts").to_stream().to(target)
    return app


if __name__ == "__main__":
    hr.run(counting("first", {source!r}, {target!r}), counting("second", {source2!r}, {target2!r}))
"""


@pytest.mark.spark
def test_applications_share_a_spark_and_end_for_themselves(
    broker: str, topic: Callable[..., str], tmp_path: Path
) -> None:
    source, target, source2, target2 = topic("one"), topic("out"), topic("two"), topic("out")
    file, errors = tmp_path / "program.py", tmp_path / "errors.txt"
    file.write_text(
        PROGRAM.format(
            broker=broker, folder=str(tmp_path), source=source, target=target, source2=source2, target2=target2
        )
    )

    def send(to: str, key: bytes, value: bytes = bytes(8)) -> None:
        produce(broker, None, to, [NewRecord(key=key, value=value)])

    def keys(of: str) -> set[bytes | None]:
        return {record.key for record in consume(broker, None, of)}

    def await_key(of: str, key: bytes) -> None:
        until(lambda: key in keys(of), errors.read_text)

    with (
        errors.open("w") as stderr,
        subprocess.Popen([sys.executable, str(file)], stderr=stderr) as process,
    ):
        try:
            send(source, b"a")
            send(source2, b"b")
            await_key(target, b"a")
            await_key(target2, b"b")
            assert len(_jvms_of(process.pid)) == 1
            first, second = re.findall(r": queries at (\S+)", errors.read_text())
            assert first == second, "they share a server"
            assert httpx.get(f"{first}/apps").json() == {"apps": ["first", "second"]}
            send(source2, b"bad", b"no number")
            until(lambda: "second: failed" in errors.read_text(), errors.read_text)
            until(lambda: httpx.get(f"{first}/apps").json() == {"apps": ["first"]}, errors.read_text)
            send(source, b"c")
            await_key(target, b"c")
            process.send_signal(signal.SIGTERM)
            process.wait(90)
        finally:
            process.kill()
    told = errors.read_text()
    assert process.returncode == 1, told
    assert "second: failed (first may go on): the value of a record is not " in told
    assert "first: finishing the batch ...\nfirst: closed after 2 records in" in told
    assert told.index("first: closed") < told.index("\nerror: the value of a record is not "), "and it is the end"


def _jvms_of(pid: int) -> list[str]:
    """The command lines of the Java processes that a process has started."""
    listed = subprocess.run(["ps", "-o", "args=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [line for line in listed.stdout.splitlines() if "java" in line.partition(" ")[0]]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((), "apps='nothing'"),
        (("shop.py",), "shop.py"),
        ((hr.App("shop"), hr.App("shop")), "apps='shop'"),
    ],
)
def test_what_cannot_be_run_together_is_refused(given: tuple[hr.App, ...], words: str) -> None:
    with pytest.raises(OptionInvalid, match="applications, each with an id of its own") as caught:
        hr.run(*given)
    assert words in str(caught.value)
