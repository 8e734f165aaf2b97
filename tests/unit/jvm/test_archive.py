"""Archives and kernels carry their SHA-256: one that is damaged is never handed to a JVM."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from headrace.jvm.archive import Archive
from headrace.jvm.java import Java
from headrace.jvm.sealed import Sealed


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """The archive of a program, not made yet."""
    found = Archive.of("program", Java(tmp_path / "java", "17.0.1", 17), [tmp_path / "a.jar"])
    found.java_options(None)  # makes its folder
    return found


def written(archive: Archive, content: bytes = b"classes") -> Path:
    """The archive, once a JVM has ended that wrote this."""
    (option,) = (one for one in archive.java_options(None) if "ArchiveClassesAtExit" in one)
    Path(option.partition("=")[2]).write_bytes(content)
    archive.settle(whole=True)
    found = archive.find()
    assert found is not None
    return found


def test_what_a_jvm_has_written_is_mapped_by_the_next(archive: Archive) -> None:
    said: list[str] = []
    assert archive.take(said.append) is None
    made = written(archive)
    assert archive.take(said.append) == made
    assert f"-XX:SharedArchiveFile={made}" in archive.java_options(made)
    assert said == []


def test_a_cache_that_cannot_be_written_only_costs_time(archive: Archive) -> None:
    archive.path.parent.rmdir()
    archive.path.parent.write_text("no folder")
    assert archive.take(print) is None
    assert not any("Archive" in option for option in archive.java_options(None))
    archive.settle(whole=True)


@pytest.mark.parametrize("content", [b"class", b"cl@sses", b""], ids=["truncated", "replaced", "empty"])
def test_a_damaged_one_is_removed_and_told(archive: Archive, content: bytes) -> None:
    said: list[str] = []
    written(archive).write_bytes(content)
    assert archive.find() is None
    assert archive.take(said.append) is None
    assert said == ["the archive of classes for quick starts is damaged: this start takes longer, and makes it anew"]
    assert list(archive.path.parent.iterdir()) == []
    assert archive.take(said.append) is None
    assert len(said) == 1


def test_a_jvm_that_did_not_end_well_leaves_none(archive: Archive) -> None:
    archive.path.with_name(f"{archive.path.name}.{os.getpid()}").write_bytes(b"half")
    archive.settle(whole=False)
    assert list(archive.path.parent.iterdir()) == []


def test_the_newest_is_kept_and_those_of_other_jars_are_not(archive: Archive) -> None:
    folder = archive.path.parent
    running = folder / f"program-0.{os.getppid()}"
    others = [folder / "program-0.jsa", folder / f"program-1.{'0' * 64}.jsa", running, folder / "another-0.jsa"]
    for other in others:
        other.touch()
    written(archive)
    newest = written(archive, b"more classes")
    assert set(folder.iterdir()) == {newest, running, others[-1]}


def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    synced, replaced = os.fsync, Path.replace

    def fsync(descriptor: int) -> None:
        done.append(f"fsync {names[os.fstat(descriptor).st_ino]}")
        synced(descriptor)

    def replace(self: Path, target: Path) -> Path:
        done.append(f"rename {self.name}")
        return replaced(self, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", replace)
    (tmp_path / "draft").write_bytes(b"whole")
    names = {path.stat().st_ino: path.name for path in (tmp_path, tmp_path / "draft")}
    made = Sealed(tmp_path, "kernel", "jar").put(tmp_path / "draft")
    assert done == ["fsync draft", "rename draft", f"fsync {tmp_path.name}"]
    assert made.read_bytes() == b"whole"
