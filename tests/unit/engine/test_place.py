"""Where a checkpoint lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from headrace.engine.batch.checkpoint import Checkpoint
from headrace.engine.place import Place


@pytest.fixture
def usual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEADRACE_DATA_DIR", str(tmp_path))
    return tmp_path / "apps" / "shop"


@pytest.mark.parametrize("given", ["/data/shop", Path("/data/shop"), "/data/a b"])
def test_a_path_is_of_this_machine(given: str | Path) -> None:
    assert Place.of(given, "shop") == Place(Path(given))


def test_a_path_may_begin_where_one_is() -> None:
    assert Place.of("data", "shop") == Place(Path.cwd() / "data")
    assert Place.of("~/data", "shop") == Place(Path.home() / "data")


def test_without_a_word_it_is_in_the_data_directory(usual: Path) -> None:
    assert Place.of(None, "shop") == Place(usual)


@pytest.mark.parametrize("given", ["file:///mnt/a%20shop", "file:/mnt/a%20shop"])
def test_an_address_of_files_says_that_they_are_shared(given: str) -> None:
    assert Place.of(given, "shop") == Place(Path("/mnt/a shop"), shared=True)


@pytest.mark.parametrize("given", ["hdfs://one:8020/shop", "s3a://bucket/shop/", "abfss://c@a.dfs.example/shop"])
def test_an_address_is_kept(given: str, usual: Path) -> None:
    place = Place.of(given, "shop")
    assert place == Place(usual, address=given, shared=True)
    assert str(place) == given
    assert Checkpoint("shop", place.directory, place.address).spark == f"{given.rstrip('/')}/spark"
