"""What the threads of an instance meet, and those who ask while they work; all around them is made up."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from headrace.errors import NobodyAnswers
from headrace.log.topics import Identity
from headrace.query.catalogue import Queryable
from headrace.query.position import Position
from headrace.query.replica import tracker
from headrace.query.replica.key_order import Layout
from headrace.query.replica.reader import ChangelogReader, Followed
from headrace.query.replica.snapshots import Snapshots
from headrace.query.replica.tracker import Tracker
from headrace.query.requests import Count, Get
from headrace.query.service import members
from headrace.query.service.local import Local
from headrace.query.service.members import Members
from headrace.query.service.ports import Member
from headrace.query.service.proof import Proof
from headrace.serde import INT64, STRING
from query.application import until

STORE = Queryable("counts", "changelog", STRING, INT64, None)


def reader(directory: Path, said: list[str]) -> ChangelogReader:
    follower: Any = SimpleNamespace(close=lambda: None)
    followed = {"counts": Followed(STORE, Layout(STRING), Identity("id", 1))}
    return ChangelogReader(follower, directory, followed, Snapshots(), said.append)


def test_a_store_that_is_not_held_yet_is_asked(tmp_path: Path) -> None:
    read = reader(tmp_path, [])
    holding: Any = SimpleNamespace(partition=0, replicas={}, held={}, ready=True, position=Position(), shares=[])
    read.holdings = {0: holding}
    track: Any = SimpleNamespace(in_touch=True, trouble="", patient_until=float("inf"))
    local = Local("app", "me", read, track, Snapshots())
    assert local.at_once(Get(store="counts", key=b"a")) is None
    with pytest.raises(NobodyAnswers, match="nobody answers for partition 0 of store 'counts': it is not held here"):
        local.answer(Count(store="counts"), [0])


def test_a_partition_that_goes_while_it_is_asked(tmp_path: Path) -> None:
    read = reader(tmp_path, [])

    class Going(SimpleNamespace):
        """Ready when it is looked at, and dropped before it is read."""

        @property
        def ready(self) -> bool:
            read.holdings = {}
            self.position = None
            return True

    holding: Any = Going(partition=0, replicas={"counts": None}, held={}, position=Position(), shares=[])
    read.holdings = {0: holding}
    track: Any = SimpleNamespace(in_touch=True, trouble="", patient_until=float("inf"))
    with pytest.raises(NobodyAnswers, match="it is not held here"):
        Local("app", "me", read, track, Snapshots()).answer(Count(store="counts"), [0])


def test_what_is_wrong_with_a_partition_is_said_again_after_it_was_right(tmp_path: Path) -> None:
    said = list[str]()
    read = reader(tmp_path, said)
    for _ in range(2):
        read._fail(0, OSError("no room"))
    assert said == ["partition 0 is not kept up to date, and tried again: no room"]
    holding: Any = SimpleNamespace(ready=True)
    read.holdings = {0: holding}
    read._keep_house()
    read.holdings = {}
    read._fail(0, OSError("no room"))
    assert len(said) == 2


def test_the_tracker_outlives_what_nobody_expected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracker, "_IDLE_S", 0.01)
    turns, said = threading.Semaphore(0), list[str]()

    def positions() -> dict[tuple[str, int], int]:
        turns.release()
        raise RuntimeError("broken")

    group: Any = SimpleNamespace(positions=positions, close=lambda: None)
    topics: Any = SimpleNamespace()
    made = Tracker(topics, group, reader(tmp_path, []), [STORE], lambda: None, said.append)
    made.start()
    assert all(turns.acquire(timeout=5) for _ in range(3))
    made.close()
    assert said == ["queries: positions could not be found out: RuntimeError: broken"]


def test_members_outlive_what_nobody_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(members, "_BEAT_S", 0.01)
    monkeypatch.setattr(members, "_ACQUAINTANCE_S", 0.0)
    beats, said = list[str](), list[str]()

    def turned() -> None:
        raise RuntimeError("broken")

    bulletin: Any = SimpleNamespace(
        topic="t", end=0, hear=lambda _: [], tell=lambda name, _: beats.append(name), close=lambda: None
    )
    made = Members(bulletin, "me", Proof("of the instances"), lambda: Member("me", ""), turned, said.append)
    made.start()
    until(lambda: len(beats) > 3)
    made.close()
    assert said == ["queries: other instances cannot be heard: broken"]
