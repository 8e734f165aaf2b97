"""`headrace doctor`: what is missing on this machine, said with what to do, and the exit code."""

from __future__ import annotations

import json
import socket
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from headrace.cli.main import main
from headrace.runtime.commands import doctor
from headrace.runtime.life import machine
from headrace.runtime.life.machine import Folder, MachineMemory

Doctor = Callable[..., tuple[int, dict[str, dict[str, str | None]]]]


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Doctor:
    """Ask it for JSON, on a machine whose folders are all in `tmp_path`."""
    for name in ("DATA", "BROKER", "CACHE"):
        monkeypatch.setenv(f"HEADRACE_{name}_DIR", str(tmp_path / name.lower()))
    monkeypatch.delenv("HEADRACE_BROKER", raising=False)

    def asked(*options: str) -> tuple[int, dict[str, dict[str, str | None]]]:
        code = main(["doctor", "--json", *options])
        told = json.loads(capsys.readouterr().out)
        assert told["ok"] is (code == 0)
        return code, {one["name"]: one for one in told["checks"]}

    return asked


def test_a_new_machine_lacks_nothing_that_is_not_fetched_by_itself(ask: Doctor, tmp_path: Path) -> None:
    code, found = ask()
    assert code == 0
    assert {name for name, one in found.items() if one["verdict"] == "missing"} == set()
    assert found["connector jars"]["verdict"] == "note"
    assert found["connector jars"]["fix"] == "fetch them now: headrace jars"
    assert found["broker jars"]["fix"] == "fetch them now: headrace broker start"
    assert found["broker"]["what"] == f"the embedded one starts when it is needed, in {tmp_path / 'broker'}"
    assert list(tmp_path.iterdir()) == []


def test_without_java(ask: Doctor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    code, found = ask()
    assert code == 1
    assert found["java"]["verdict"] == "missing"
    assert found["java"]["what"] == "Java was not found"
    assert "openjdk-17-jre-headless" in str(found["java"]["fix"])


def test_a_small_container_of_a_user_without_a_name(ask: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "memory", lambda: MachineMemory(512 << 20, 400 << 20))
    monkeypatch.setattr(machine, "descriptors", lambda: 256)
    monkeypatch.setattr(machine, "user_name", lambda: None)
    monkeypatch.setattr(machine, "cores", lambda: 1)
    monkeypatch.setattr(machine, "folder", lambda path: Folder(path, 1 << 20, writable=True, runs_code=False))
    code, found = ask()
    assert code == 1
    missing = {name for name, one in found.items() if one["verdict"] == "missing"}
    assert missing == {"memory", "descriptors", "user", "data", "cache", "temporary"}
    assert found["memory"]["what"] == "419 MB free of 537 MB"
    assert str(found["temporary"]["what"]).endswith("is mounted noexec")
    assert found["cores"]["verdict"] == "note"
    assert all(found[name]["fix"] for name in missing)


def test_a_limit_of_the_container_is_the_memory_there_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "meminfo").write_text("MemTotal:       16000000 kB\nMemAvailable:    9000000 kB\n")
    (tmp_path / "max").write_text("1073741824\n")
    monkeypatch.setattr(machine, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(machine, "_LIMITS", (tmp_path / "none", tmp_path / "max"))
    assert machine.memory() == MachineMemory(1 << 30, 1 << 30)
    (tmp_path / "max").write_text("max\n")
    assert machine.memory() == MachineMemory(16_000_000 << 10, 9_000_000 << 10)


def test_a_folder_that_is_not_there_is_judged_by_the_one_above(tmp_path: Path) -> None:
    found = machine.folder(tmp_path / "a" / "b")
    assert found.path == tmp_path / "a" / "b"
    assert found.free > 0
    assert found.writable is True
    (tmp_path / "file").write_text("")
    assert machine.folder(tmp_path / "file").writable is False


def test_a_broker_that_does_not_answer(ask: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_BROKER_S", 0.3)
    with socket.socket() as taken:  # bound, and nobody listens
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        code, found = ask("--broker", address)
    assert code == 1
    assert found["broker"]["verdict"] == "missing"
    assert address in str(found["broker"]["what"])
    assert found["broker jars"]["verdict"] == "ok"


def test_a_port_that_is_taken_is_said(ask: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        monkeypatch.setattr(doctor, "USUAL_PORT", taken.getsockname()[1])
        code, found = ask()
    assert code == 0
    assert found["port"]["verdict"] == "note"


def test_it_wants_the_spark_that_is_installed_with_it() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    assert f"pyspark=={doctor._PYSPARK}" in project["project"]["dependencies"]


@pytest.mark.usefixtures("ask")
def test_as_text(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["doctor"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("ok       python          3.")
    assert text.endswith("\nall that an application needs is there\n")
    monkeypatch.setattr(machine, "user_name", lambda: None)
    assert main(["doctor"]) == 1
    text = capsys.readouterr().out
    assert "missing  user            the user's number has no name on this machine\n" in text
    assert "                         to do: run as a user that /etc/passwd names" in text
    assert text.endswith("\nmissing: user\n")
