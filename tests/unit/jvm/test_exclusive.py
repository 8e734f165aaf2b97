"""One at a time, and whoever waits says so."""

from __future__ import annotations

import fcntl
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from headrace.jvm.exclusive import exclusive


def test_the_second_waits_for_the_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    order: list[str] = []

    def second() -> None:
        with exclusive(tmp_path / "lock", "fetching jars"):
            order.append("second")

    with ThreadPoolExecutor() as pool:
        with exclusive(tmp_path / "lock", "fetching jars"):
            waiting = pool.submit(second)
            said, deadline = "", time.monotonic() + 10
            while not said.endswith("\n") and time.monotonic() < deadline:
                time.sleep(0.01)
                said += capsys.readouterr().err
            order.append("first")
        waiting.result(timeout=10)
    assert order == ["first", "second"]
    assert said == "waiting for another headrace process that is fetching jars ...\n"


def test_a_disk_that_cannot_lock_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: object) -> None:
        raise OSError("no locks available")

    monkeypatch.setattr(fcntl, "flock", flock)
    with exclusive(tmp_path / "lock", "fetching jars"):
        assert (tmp_path / "lock").exists()
