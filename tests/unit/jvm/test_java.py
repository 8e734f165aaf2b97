"""Which Java is taken, and what is said when there is none that fits."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.errors import HeadraceError, JavaFails, JavaMissing, JavaTooOld
from headrace.jvm.java import Java, find_java

pytestmark = pytest.mark.usefixtures("no_java")

TO_DO = (
    "  to do: install Java 17 or newer (Debian: apt-get install openjdk-17-jre-headless,"
    " macOS: brew install openjdk@17) and put it on the PATH or name it in JAVA_HOME"
)


def fake_java(home: Path, script: str) -> Path:
    path = home / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def says(version: str) -> str:
    return f"""echo 'openjdk version "{version}" 2025-04-15' >&2"""


@pytest.mark.parametrize(
    ("version", "major"), [("17.0.15", 17), ("21", 21), ("21.0.4", 21), ("26-ea", 26)], ids=lambda value: str(value)
)
def test_a_java_on_the_path(version: str, major: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = fake_java(tmp_path, says(version))
    monkeypatch.setenv("PATH", str(path.parent))
    assert find_java() == Java(path, version, major)


def test_java_home_goes_before_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_path = fake_java(tmp_path / "a", says("17.0.15"))
    at_home = fake_java(tmp_path / "b", says("21.0.4"))
    monkeypatch.setenv("PATH", str(on_path.parent))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "b"))
    assert find_java().path == at_home


def test_other_lines_around_the_version_do_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = fake_java(tmp_path, "echo 'Picked up JAVA_TOOL_OPTIONS: -Dversion=8' >&2; " + says("17.0.15"))
    monkeypatch.setenv("PATH", str(path.parent))
    assert find_java().major == 17


@pytest.mark.parametrize("version", ["1.8.0_392", "11.0.21"])
def test_an_old_java(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = fake_java(tmp_path, says(version))
    monkeypatch.setenv("PATH", str(path.parent))
    with pytest.raises(JavaTooOld) as caught:
        find_java()
    assert str(caught.value) == f"Java 17 or newer is needed, {path} is version {version}\n{TO_DO}"


def test_no_java() -> None:
    assert_missing(f"Java was not found\n{TO_DO}")


@pytest.mark.parametrize(
    "script",
    ["echo 'Unable to locate a Java Runtime.' >&2; exit 1", "echo hello"],
    ids=["the stub of macOS", "not a Java at all"],
)
def test_a_java_that_is_none(script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(fake_java(tmp_path, script).parent))
    assert_missing(f"Java was not found\n{TO_DO}")


def test_a_java_that_gets_too_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = """echo 'Error occurred during initialization of VM
Could not reserve enough space for 2097152KB object heap' >&2; exit 1"""
    path = fake_java(tmp_path, script)
    monkeypatch.setenv("PATH", str(path.parent))
    with pytest.raises(JavaFails) as caught:
        find_java()
    assert caught.value.what == "Java does not start: Could not reserve enough space for 2097152KB object heap"
    assert "ulimit -v unlimited" in str(caught.value.fix)
    assert caught.value.where == str(path)


def test_a_java_home_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(fake_java(tmp_path, says("17.0.15")).parent))
    monkeypatch.setenv("JAVA_HOME", "/no/such/java")
    assert_missing(f"Java was not found\n  at: JAVA_HOME names /no/such/java, where no bin/java runs\n{TO_DO}")


def assert_missing(words: str) -> None:
    with pytest.raises(JavaMissing) as caught:
        find_java()
    assert str(caught.value) == words
    assert caught.value.__cause__ is None
    assert isinstance(caught.value, HeadraceError)
