"""The temporary folder of a JVM: it is gone afterwards, also when the JVM was killed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

from headrace.errors import TemporaryUnusable
from headrace.spark.session.scratch import Scratch
from waiting import until

_HOLDER = """
import subprocess, sys, tempfile
from headrace.spark.session.scratch import Scratch

tempfile.tempdir = sys.argv[1]
scratch = Scratch()
(scratch.path / "librocksdbjni.so").write_text("...")
child = subprocess.Popen(["sleep", "60"], pass_fds=[scratch.lock])
print(scratch.path, child.pid, flush=True)
sys.stdin.read()
"""


class _Usage(NamedTuple):
    total: int
    used: int
    free: int


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_it_is_for_one_user_and_removed_in_the_end(place: Path) -> None:
    scratch = Scratch()
    assert scratch.path.parent == place
    assert scratch.path.stat().st_mode & 0o777 == 0o700
    scratch.remove()
    assert list(place.iterdir()) == []


def test_what_a_killed_jvm_has_left_is_removed_by_the_next_one_and_nothing_else_is(place: Path) -> None:
    (place / "headrace-jvm-of-somebody").mkdir()
    command = [sys.executable, "-c", _HOLDER, str(place)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        left, _, child = holder.stdout.readline().rpartition(" ")
        holder.kill()
    Scratch().remove()
    assert Path(left).is_dir(), "what stands for the JVM goes on, and holds the lock"
    subprocess.run(["kill", "-9", child.strip()], check=True)

    def gone() -> bool:
        Scratch().remove()
        return not Path(left).exists()

    until(gone, "the folder is still there")
    assert [path.name for path in place.iterdir()] == ["headrace-jvm-of-somebody"]


def test_a_directory_that_is_not_there(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(place / "gone"))
    with pytest.raises(TemporaryUnusable, match="No such file or directory") as caught:
        Scratch()
    assert caught.value.where == str(place / "gone")


def test_a_directory_that_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    usage = _Usage(1 << 30, 1 << 30, 3 << 20)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(TemporaryUnusable, match="3 MB are free, 64 MB are needed") as caught:
        Scratch()
    assert "name another directory in TMPDIR" in str(caught.value.fix)
