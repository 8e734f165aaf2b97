"""What is said of a checkpoint that was damaged, or put together of two."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from headrace.engine.batch.checkpoint import Checkpoint
from headrace.engine.layout import CheckpointLayout
from headrace.errors import CheckpointBroken, CheckpointForeign

LAYOUT = CheckpointLayout(app="shop", cluster="c", tasks=4, sources={}, stages=[], starts={})


def begun(directory: Path) -> Checkpoint:
    """A checkpoint after its first start."""
    checkpoint = Checkpoint("shop", directory)
    checkpoint.settle(LAYOUT)
    return checkpoint


def test_the_id_of_the_query_is_chosen_by_the_first_start(tmp_path: Path) -> None:
    layout = begun(tmp_path).known_layout()
    assert layout is not None
    assert json.loads((tmp_path / "spark" / "metadata").read_text()) == {"id": layout.query}
    assert (tmp_path / "spark").stat().st_mode & 0o777 == 0o700
    begun(tmp_path)
    assert Checkpoint("shop", tmp_path).known_layout() == layout


def test_the_state_of_another_application_is_not_taken(tmp_path: Path) -> None:
    mine, other = begun(tmp_path / "mine"), begun(tmp_path / "other")
    shutil.rmtree(tmp_path / "mine" / "spark")
    shutil.copytree(tmp_path / "other" / "spark", tmp_path / "mine" / "spark")
    known, strange = mine.known_layout(), other.known_layout()
    assert known is not None
    assert strange is not None
    with pytest.raises(CheckpointForeign) as caught:
        mine.refuse_foreign(known, "shop", "c")
    assert caught.value.what == f"this checkpoint was made with Spark's query {known.query}, now it is {strange.query}"
    assert "put back the directory 'spark' that belongs here" in str(caught.value.fix)


def test_a_checkpoint_from_before_the_id_was_kept_goes_on(tmp_path: Path) -> None:
    (tmp_path / "spark").mkdir()
    (tmp_path / "spark" / "metadata").write_text('{"id":"of old"}')
    layout = begun(tmp_path).known_layout()
    assert layout is not None
    assert layout.query == "of old"


@pytest.mark.parametrize("log", ["offsets", "commits"])
def test_a_log_that_is_empty_since_the_power_was_lost(log: str, tmp_path: Path) -> None:
    checkpoint = begun(tmp_path)
    for one in ("offsets", "commits"):
        (tmp_path / "spark" / one).mkdir()
        (tmp_path / "spark" / one / "7").write_text("v1\n{}")
    assert checkpoint.half_done() is None
    (tmp_path / "spark" / log / "7").write_text("")
    with pytest.raises(CheckpointBroken, match="it is empty, as files may be after the power was lost") as caught:
        checkpoint.half_done()
    assert caught.value.where == f"{tmp_path}/spark/{log}/7"


def test_a_query_without_a_name(tmp_path: Path) -> None:
    checkpoint = begun(tmp_path)
    (tmp_path / "spark" / "metadata").write_text("")
    with pytest.raises(CheckpointBroken, match="it does not name a query"):
        checkpoint.settle(LAYOUT)
