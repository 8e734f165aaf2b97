"""File locks: who gets in, and when."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from headrace.log.locks import FileLock, is_held


def test_one_at_a_time(tmp_path: Path) -> None:
    first, second = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    assert first.take()
    assert not second.take()
    first.release()
    assert second.take()
    second.release()


def test_shared_by_many_and_exclusive_to_none_of_them(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    first, second, third = FileLock(path), FileLock(path), FileLock(path)
    assert first.take(shared=True)
    assert second.take(shared=True)
    assert not third.take()
    first.release()
    assert is_held(path)
    second.release()
    assert not is_held(path)


def test_waiting_ends(tmp_path: Path) -> None:
    held = FileLock(tmp_path / "lock")
    assert held.take()
    began = time.monotonic()
    assert not FileLock(tmp_path / "lock").take(wait_s=0.3)
    assert 0.3 <= time.monotonic() - began < 5
    held.release()


def test_a_lock_nobody_ever_took_is_not_held(tmp_path: Path) -> None:
    assert not is_held(tmp_path / "lock")
    assert not (tmp_path / "lock").exists()


def test_a_killed_holder_lets_go(tmp_path: Path) -> None:
    code = "import sys,time,pathlib; from headrace.log.locks import FileLock; l=FileLock(pathlib.Path(sys.argv[1]));"
    code += "l.take(); print('taken', flush=True); time.sleep(60)"
    path = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"taken\n"
        assert is_held(path)
        holder.kill()
        holder.wait()
    assert not is_held(path)


def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    lock = FileLock(tmp_path / "lock")
    lock.take()
    lock.release()
    assert (tmp_path / "lock").stat().st_mode & 0o077 == 0
