"""Watching a store on a real broker: what is there, each change, and going on after a break."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headrace.errors import NobodyAnswers
from headrace.query.replica.watched import LocalWatch
from headrace.query.service.instance import Instance
from headrace.query.service.ports import Changed, Watched
from headrace.query.store import Store
from headrace.serde import INT64, STRING
from query.application import Application, until

pytestmark = pytest.mark.spark

ALL = range(4)


@pytest.fixture
def app(broker: str) -> Application:
    application = Application(broker)
    application.store("counts", STRING, INT64)
    application.batch({"counts": [("a", 1), ("b", 2), ("c", 3)]})
    return application


class Told:
    """What one who watches knows: changes in the order they came, and what they add up to."""

    def __init__(self, known: dict[str, int] | None = None) -> None:
        self.changes: list[Changed] = []
        self.known, self.since = dict(known or {}), dict[int, int]()
        self.gone: list[int] = []
        self.life = ""

    def tell(self, changes: list[Changed]) -> None:
        for change in changes:
            self.changes.append(change)
            key = STRING.read(change.key)
            if change.entry is None:
                self.known.pop(key, None)
            else:
                self.known[key] = INT64.read(change.entry.value)
            if change.offset >= 0:
                self.since[change.partition] = change.offset + 1


def watch(instance: Instance, told: Told, **which: Any) -> LocalWatch:
    watching = instance.watch(Watched("counts", **which), told.tell, ALL, told.gone.append)
    for part in watching.first:
        told.tell(part)
    told.since, told.life = {**watching.since, **told.since}, watching.life
    return watching


def test_what_is_there_comes_first_and_then_each_change(app: Application, tmp_path: Path) -> None:
    with app.ready(tmp_path) as instance:
        told = Told()
        watching = watch(instance, told)
        assert told.known == {"a": 1, "b": 2, "c": 3}  # before it returns
        assert watching.whole == set(ALL) and all(change.offset < 0 for change in told.changes)
        app.batch({"counts": [("a", 10), ("b", None), ("d", 4)]})
        app.batch({"counts": [("a", 11)]})
        until(lambda: told.known == {"a": 11, "c": 3, "d": 4})
        assert [change.entry and INT64.read(change.entry.value) for change in told.changes if change.key == b"a"] == [
            1,
            10,
            11,
        ]
        watching.close()
        later = Told()
        watch(instance, later)
        app.batch({"counts": [("a", 12)]})
        until(lambda: later.known["a"] == 12)
        assert told.known["a"] == 11


@pytest.mark.parametrize(
    ("which", "seen"),
    [
        ({"key": b"a"}, {"a": 10}),
        ({"first": b"b", "last": b"c"}, {"b": 20, "c": 30}),
        ({"prefix": b"c"}, {"c": 30, "cc": 33}),
    ],
)
def test_only_what_is_watched_is_told(
    app: Application, tmp_path: Path, which: dict[str, bytes], seen: dict[str, int]
) -> None:
    with app.ready(tmp_path) as instance:
        told, everything = Told(), Told()
        watch(instance, told, **which)
        watch(instance, everything)
        app.batch({"counts": [("a", 10), ("b", 20), ("c", 30), ("cc", 33)]})
        until(lambda: everything.known == {"a": 10, "b": 20, "c": 30, "cc": 33})
        assert told.known == seen


def test_who_comes_back_is_told_what_was_missed(app: Application, tmp_path: Path) -> None:
    with app.ready(tmp_path) as instance:
        told = Told()
        watch(instance, told).close()
        app.batch({"counts": [("a", 10), ("b", None)]})
        again = Told(told.known)
        until(lambda: Store(instance, "counts").get("a") == 10)
        watching = watch(instance, again, since=told.since, life=told.life)
        assert not watching.whole
        assert {change.key for change in again.changes} == {b"a", b"b"}
        assert again.known == {"a": 10, "c": 3}
        app.batch({"counts": [("e", 5)]})
        until(lambda: again.known == {"a": 10, "c": 3, "e": 5})


def test_what_is_not_remembered_is_told_again(app: Application, tmp_path: Path) -> None:
    with app.ready(tmp_path) as instance:
        told = Told()
        life = watch(instance, Told()).life
        watching = watch(instance, told, since=dict.fromkeys(ALL, 0), life=life)
        assert watching.whole == {change.partition for change in told.changes}  # nothing was missed of empty ones
        assert told.known == {"a": 1, "b": 2, "c": 3}


def test_who_watches_is_told_when_a_partition_goes(app: Application, tmp_path: Path) -> None:
    with app.ready(tmp_path) as instance:
        told = Told()
        watch(instance, told)
        app.begin_anew()
        until(lambda: sorted(told.gone) == list(ALL))
        until(lambda: instance.ready)
        watch(instance, told)
    with pytest.raises(NobodyAnswers, match="it is not held here"):
        watch(instance, told)


def test_after_a_reset_what_was_told_before_means_nothing(app: Application, tmp_path: Path) -> None:
    with app.ready(tmp_path) as instance:
        told = Told()
        watch(instance, told)
        app.begin_anew()
        app.batch({"counts": [("a", 10), ("b", 20), ("c", 30), ("d", 40)]})
        until(lambda: sorted(told.gone) == list(ALL))
        until(lambda: instance.ready and Store(instance, "counts").get("d") == 40)
        again = Told()
        watching = watch(instance, again, since=told.since, life=told.life)
        assert watching.life != told.life
        assert watching.whole == set(ALL)
        assert again.known == {"a": 10, "b": 20, "c": 30, "d": 40}


def test_what_has_just_ended_here_is_looked_for_elsewhere(app: Application, tmp_path: Path) -> None:
    with app.ready(tmp_path) as instance:
        told = Told()
        watch(instance, told).close()
        instance._reader.holdings[0].held["counts"].channel.end()
        with pytest.raises(NobodyAnswers, match="it was closed here"):
            watch(instance, told, since=told.since, life=told.life)
