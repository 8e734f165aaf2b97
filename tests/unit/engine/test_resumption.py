"""What is said of a restart."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from headrace.engine.batch.checkpoint import Checkpoint
from headrace.engine.batch.state_size import bytes_to_load
from headrace.engine.resumption import Restoring, Resumption


def snapshot(file: Path, *sizes: int) -> None:
    metadata = {"sstFiles": [{"localFileName": "1.sst", "sizeBytes": size} for size in sizes], "logFiles": []}
    with zipfile.ZipFile(file, "w") as written:
        written.writestr("metadata", "v1\n" + json.dumps(metadata, separators=(",", ":")))


def test_the_last_snapshot_of_each_store_is_loaded_and_what_changed_since(tmp_path: Path) -> None:
    one, other = tmp_path / "0" / "0", tmp_path / "0" / "1"
    for store in (one, other):
        store.mkdir(parents=True)
        for version in range(1, 4):
            (store / f"{version}_ab-{version}.changelog").write_bytes(bytes(100))
    snapshot(one / "1_ab-1.zip", 5_000)
    snapshot(one / "2_ab-2.zip", 1_000, 2_000)
    assert bytes_to_load(tmp_path) == 1_000 + 2_000 + 100 + 3 * 100
    assert bytes_to_load(tmp_path / "nothing") == 0


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Resumption(41, 4, 1_100_000_000), "going on behind batch 41 with 1.1 GB of state in 4 tasks"),
        (Resumption(0, 1, 2_300), "going on behind batch 0 with 2 kB of state in 1 task"),
        (Resumption(7, 2, 5_250_000), "going on behind batch 7 with 5.2 MB of state in 2 tasks"),
        (Resumption(7, 2, None), "going on behind batch 7 with state in 2 tasks"),
    ],
)
def test_what_there_is_to_go_on_from(found: Resumption, words: str) -> None:
    assert str(found) == words


def test_nothing_is_resumed_before_a_batch_is_done_and_without_state(tmp_path: Path) -> None:
    checkpoint = Checkpoint("app", tmp_path)
    assert checkpoint.resumption(4) is None
    (tmp_path / "spark" / "commits").mkdir(parents=True)
    (tmp_path / "spark" / "state" / "0" / "0").mkdir(parents=True)
    assert checkpoint.resumption(4) is None
    for name in ("9", "10", ".10.crc"):
        (tmp_path / "spark" / "commits" / name).write_text("v1")
    assert checkpoint.resumption(4) == Resumption(10, 4, 0)
    (tmp_path / "spark" / "state" / "0" / "0" / "1_a.changelog").touch()
    (tmp_path / "spark" / "state" / "0" / "0" / "1_a.zip").touch()
    assert checkpoint.resumption(4) is None  # a broken snapshot is for Spark to complain of


def test_a_first_batch_that_takes_its_time_says_how_far_it_is() -> None:
    said: list[str] = []
    at = iter(range(20))
    restoring = Restoring(said.append, lambda: float(next(at)))
    for done, tasks in [(0, 0), (0, 8), (0, 8), (1, 8), (1, 8), (2, 8), (3, 8), (3, 8), (4, 8), (5, 8), (6, 8)]:
        restoring.look(done, tasks)
    restoring.end(9_140)
    assert said == [
        "restoring state: 1 of 8 tasks done",
        "restoring state: 5 of 8 tasks done",
        "restored, first batch done after 9.1 s",
    ]


def test_a_quick_first_batch_says_nothing() -> None:
    said: list[str] = []
    restoring = Restoring(said.append, lambda: 0.0)
    restoring.look(0, 4)
    restoring.end(900)
    assert said == []
