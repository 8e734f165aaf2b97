"""A cache of its own for each test, and a small repository of made-up jars on disk: no network."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from headrace.jvm import jars, lock
from headrace.jvm.lock import Jar


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache directory of this test; it does not exist yet."""
    monkeypatch.setenv("HEADRACE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("HEADRACE_IVY_SETTINGS", raising=False)
    return tmp_path / "cache"


@dataclass
class Repository:
    """A Maven repository in a folder, and the lock that pins what is in it."""

    root: Path
    lock: Path
    jars: list[Jar] = field(default_factory=list)

    def pin(self, group: str, name: str, content: bytes) -> Jar:
        """Add a jar to the lock and to the repository."""
        jar = Jar(group, hashlib.sha256(content).hexdigest(), len(content), "org.example", name, "1.0")
        self.jars.append(jar)
        lock.write(self.lock, self.jars, by="a test")
        self.put(jar, content)
        return jar

    def put(self, jar: Jar, content: bytes) -> None:
        path = self._path(jar)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def remove(self, jar: Jar) -> None:
        self._path(jar).unlink()

    def _path(self, jar: Jar) -> Path:
        return self.root.joinpath(*jar.organisation.split("."), jar.name, jar.revision, jar.file)


def write_settings(path: Path, url: str) -> Path:
    """Write an Ivy settings file for one Maven repository."""
    path.write_text(
        '<ivysettings><settings defaultResolver="one"/><resolvers>'
        f'<ibiblio name="one" m2compatible="true" root="{url}"/></resolvers></ivysettings>'
    )
    return path


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """An empty repository that Ivy is told to use, with an empty lock."""
    root = tmp_path / "repository"
    root.mkdir()
    settings = write_settings(tmp_path / "settings.xml", root.as_uri() + "/")
    monkeypatch.setenv("HEADRACE_IVY_SETTINGS", str(settings))
    monkeypatch.setattr(jars, "LOCK", tmp_path / "test.lock")
    return Repository(root, tmp_path / "test.lock")


@pytest.fixture
def no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without Java."""
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
