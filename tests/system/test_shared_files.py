"""Small texts at an address that Spark reaches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headrace.spark.session.shared_files import SharedFiles

pytestmark = pytest.mark.spark


def test_texts_are_written_read_and_removed(spark: Any, tmp_path: Path) -> None:
    files = SharedFiles(lambda: spark, f"{tmp_path.as_uri()}/apps/shop")
    assert files.read("headrace.json") is None
    assert files.names("spark/commits") == []
    for text in ("first", "and the sécond"):
        files.write("headrace.json", text)
        assert files.read("headrace.json") == text
        assert files.names("") == ["headrace.json"]  # nothing is left beside it
    files.write("spark/commits/0", "v1")
    assert files.names("spark/commits") == ["0"]
    files.remove("spark")
    files.remove("spark")
    assert files.names("spark/commits") == []
    files.remove("headrace.json")
    assert files.read("headrace.json") is None


def test_what_cannot_be_written_is_told(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        SharedFiles(lambda: spark, f"{tmp_path.as_uri()}/file").write("headrace.json", "text")
