"""The wheel alone, without this repository beside it: its kernel is inside, and it runs an application."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import headrace as hr
from headrace.log.records import NewRecord, consume, produce

ROOT = Path(__file__).parents[2]
PROGRAM = """
import headrace as hr

app = hr.App("wheel", checkpoint="state")
app.stream({source!r}, value=hr.STRING).group_by(lambda _, word: word).count(store="n").to_stream().to(
    {target!r}, key=hr.STRING, value=hr.INT64
)
"""

pytestmark = pytest.mark.spark


def test_an_application_runs_from_the_wheel(broker: str, topic: Callable[..., str], tmp_path: Path) -> None:
    built = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(built, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("headrace-*.whl")
    installed, home = tmp_path / "installed", tmp_path / "home"
    with zipfile.ZipFile(wheel) as files:
        files.extractall(installed)
    home.mkdir()

    def headrace(*arguments: str) -> str:
        command = [sys.executable, "-m", "headrace.cli.main", *arguments, "--broker", broker]
        environment = {**os.environ, "PYTHONPATH": str(installed), "HEADRACE_DATA_DIR": str(home / "data")}
        ran = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    found = {one["name"]: one for one in json.loads(headrace("doctor", "--json"))["checks"]}
    (kernel,) = (installed / "headrace" / "jvm").glob("kernel.*.jar")
    assert found["kernel"]["what"] == str(kernel)
    assert found["broker"]["what"].startswith(f"{broker} answers")
    source, target = topic("words"), topic("counts")
    (home / "app.py").write_text(PROGRAM.format(source=source, target=target))
    produce(broker, None, source, (NewRecord(value=word) for word in (b"be", b"to", b"be")))
    headrace("run", "app.py", "--until", "latest")
    counted = {hr.STRING.decode(one.key): hr.INT64.decode(one.value) for one in consume(broker, None, target)}
    assert counted == {"to": 1, "be": 2}
