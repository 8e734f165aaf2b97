"""A cache of a test's own, and archives in it that are damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.jvm.paths import cache_dir
from headrace.jvm.sealed import Sealed


def own_cache(place: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have this test's processes use a cache without archives, with the jars that were fetched before."""
    jars, cache = cache_dir() / "jars", place / "cache"
    cache.mkdir()
    (cache / "jars").symlink_to(jars)
    monkeypatch.setenv("HEADRACE_CACHE_DIR", str(cache))
    return cache


def halve(program: str, *, sealed: bool) -> None:
    """Cut an archive in half; sealed, its name says so, as if it had been written like that."""
    archive = next((cache_dir() / "class-archives").glob(f"{program}-*.jsa"))
    half = archive.with_suffix(".half")
    half.write_bytes(archive.read_bytes()[: archive.stat().st_size // 2])
    archive.unlink()
    if sealed:
        Sealed(archive.parent, archive.stem.rpartition(".")[0], "jsa").put(half)
    else:
        half.rename(archive)
