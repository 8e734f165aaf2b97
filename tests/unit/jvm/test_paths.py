"""Where things lie."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from headrace.errors import CacheUnwritable, SparkMissing
from headrace.jvm import paths


def test_the_environment_names_the_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADRACE_CACHE_DIR", "/a/cache")
    monkeypatch.setenv("HEADRACE_DATA_DIR", "/a/data")
    assert (paths.cache_dir(), paths.data_dir()) == (Path("/a/cache"), Path("/a/data"))


def test_without_it_the_system_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HEADRACE_CACHE_DIR")
    monkeypatch.delenv("HEADRACE_DATA_DIR", raising=False)
    assert paths.cache_dir().name == paths.data_dir().name == "headrace"
    assert paths.cache_dir() != paths.data_dir()


def test_asking_makes_no_folder(cache: Path) -> None:
    assert paths.cache_dir() == cache
    assert not cache.exists()


def test_pyspark_is_found_and_not_imported() -> None:
    loaded = "pyspark" in sys.modules
    assert list(paths.pyspark_jars().glob("ivy-*.jar"))
    assert ("pyspark" in sys.modules) == loaded


def test_no_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "find_spec", lambda _: None)
    with pytest.raises(SparkMissing) as caught:
        paths.pyspark_jars()
    assert str(caught.value) == (
        "pyspark was not found\n  to do: install headrace with its dependencies: pip install headrace"
    )


def test_a_cache_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("HEADRACE_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.raises(CacheUnwritable) as caught, paths.cache_folder("jars"):
        pass
    assert str(caught.value) == (
        "the cache directory cannot be used: Not a directory\n"
        f"  at: {tmp_path}/file/cache/jars\n"
        "  to do: make room or give the right to write there, or name another directory in HEADRACE_CACHE_DIR"
    )
