"""One replica on this disk, without a broker; and the moments that are kept of it."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from headrace.errors import AnswerTookTooLong
from headrace.query import deadline
from headrace.query.catalogue import Queryable
from headrace.query.deadline import ScanDeadline
from headrace.query.replica import replica, snapshots
from headrace.query.replica.key_order import Layout
from headrace.query.replica.replica import Origin, Replica, ReplicaMemory
from headrace.query.replica.snapshots import Snapshots
from headrace.query.requests import Count
from headrace.serde import INT64, STRING


def opened(directory: Path) -> Replica:
    store = Queryable("counts", "changelog", STRING, INT64, None)
    return Replica(directory, store, Layout(STRING), Origin("changelog", "id", 0, "string"), ReplicaMemory())


def filled(directory: Path, entries: int = 1) -> Replica:
    made = opened(directory)
    made.write([(at, 1, str(at).encode(), INT64.write(at)) for at in range(entries)], entries)
    return made


def test_one_that_is_still_read_is_not_thrown_away(tmp_path: Path) -> None:
    before = filled(tmp_path)
    view = before.now()
    before.close()
    with pytest.raises(Exception, match="lock hold by current process"):
        opened(tmp_path)
    del view, before
    again = opened(tmp_path)
    assert (again.anew, again.next) == ("", 1)
    again.close()


def test_moments_of_a_partition_that_is_let_go_hold_nothing_up(tmp_path: Path) -> None:
    before, kept = filled(tmp_path), Snapshots()
    kept.keep("m", "counts", {0: before.now()})
    before.close()
    del before
    kept.let_go(0)
    assert kept.find("m", "counts", [0]) is None
    assert opened(tmp_path).anew == ""


@pytest.mark.parametrize("way", ["flush", "close"])
def test_one_that_does_not_change_stays_current(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    began = time.time()
    made = filled(tmp_path)
    monkeypatch.setattr(time, "time", lambda: began + 13 * 3600)
    made.next = 5  # behind what is no record
    if way == "flush":
        made.flush(time.time())
        assert made._db.get(replica._MARK) == replica._MARK_FORM.pack(5, began + 13 * 3600)
    made.close(time.time())
    again = opened(tmp_path)
    assert (again.anew, again.next) == ("", 5)
    again.close()
    monkeypatch.setattr(time, "time", lambda: began + 26 * 3600)
    assert opened(tmp_path).anew == "it is older than 12 hours"


def test_moments_are_kept_for_a_while_after_each_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(snapshots, "_MOST", 2)
    made, kept = filled(tmp_path), Snapshots()
    kept.keep("m", "counts", {0: made.now()})
    for clock[0] in (50.0, 100.0, 150.0):
        assert kept.find("m", "counts", [0]) is not None
        kept.forget()
    kept.keep("n", "counts", {0: made.now()})
    assert kept.find("m", "counts", [0]) is not None
    kept.keep("o", "counts", {0: made.now()})  # one too many: n was not used since
    assert [name for name in "mno" if kept.find(name, "counts", [0])] == ["m", "o"]
    clock[0] = 211.0
    kept.forget()
    assert kept.find("m", "counts", [0]) is None
    made.close()


def test_what_takes_too_long_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "_LOOK_EVERY", 10)
    made = filled(tmp_path, 100)
    view = made.now()
    assert sum(1 for _ in ScanDeadline(Count(store="counts")).among(view.places())) == 100
    over = ScanDeadline(Count(store="counts", timeout_ms=0))
    with pytest.raises(AnswerTookTooLong, match="store 'counts' could not be gone through within 0 s"):
        list(over.among(view.places()))
    assert len(list(over.among(range(9)))) == 9
    made.close()
