"""Replicas of changelogs on a real broker: what they hold, across restarts and mishaps, and what that reflects."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from headrace.errors import (
    EntryUnreadable,
    NobodyAnswers,
    PositionAhead,
    PositionGone,
    PositionNotReached,
    ReplicasInUse,
    ReplicasUnwritable,
    StoreAskedWrongly,
    StoreNotAsked,
)
from headrace.model.windows import Windowed
from headrace.query.position import Position
from headrace.query.requests import Get, Scan
from headrace.query.service.instance import Instance
from headrace.query.store import Store
from headrace.serde import BYTES, INT64, STRING, SessionWindowedSerde, TimeWindowedSerde
from query.application import Application, until

pytestmark = pytest.mark.spark

WORDS = {word: number for number, word in enumerate(["to", "be", "or", "not", "that", "is", "the", "question"])}


@pytest.fixture
def app(broker: str) -> Application:
    application = Application(broker)
    application.store("counts", STRING, INT64)
    return application


def test_every_entry_is_found_and_in_order(app: Application, tmp_path: Path) -> None:
    app.store("by-number", INT64, STRING)
    numbers = {number: str(number) for number in range(-50, 50, 7)}
    app.batch({"counts": WORDS.items(), "by-number": numbers.items()})
    app.batch({"counts": [("to", 70), ("be", None)]})
    words = {**WORDS, "to": 70}
    del words["be"]
    with app.ready(tmp_path) as instance:
        counts, by_number = Store(instance, "counts"), Store(instance, "by-number")
        assert {word: counts.get(word) for word in WORDS} == {**words, "be": None}
        assert list(counts.all().items()) == sorted(words.items())
        assert list(by_number.all(reverse=True)) == sorted(numbers, reverse=True)
        assert counts.count() == len(words)
        assert list(counts.range("is", "question")) == ["is", "not", "or", "question"]
        assert list(by_number.range(-10, limit=2)) == [-8, -1]
        assert list(counts.prefix("t")) == ["that", "the", "to"]
        assert list(counts.prefix("t", reverse=True, limit=1)) == ["to"]
        answer = counts.answers.get("to")
        assert (answer.value, answer.position, answer.stale) == (70, Position({("in", 0): 2}), False)
        assert answer.instances == (instance.name,)
        assert counts.answers.all().position == answer.position


def test_open_and_aborted_transactions_are_not_seen(app: Application, tmp_path: Path) -> None:
    app.batch({"counts": [("a", 1)]})
    with app.ready(tmp_path) as instance:
        producer, store = app._producer, app.stores["counts"]
        producer.begin_transaction()
        app.write_bytes(store, b"a", INT64.write(2), 1)
        producer.flush()
        position = Position({("in", 0): 2})
        app._group.publish(position.offsets)
        with pytest.raises(PositionNotReached, match=r"in-0@2 was not reached within 0\.3 s, in-0@1 was"):
            Store(instance, "counts").at_least(position, "300ms").get("a")
        producer.abort_transaction()
        assert Store(instance, "counts").at_least(position).get("a") == 1


def test_the_application_itself_may_not_have_come_so_far(app: Application, tmp_path: Path) -> None:
    app.batch({"counts": [("a", 1)]})
    with app.ready(tmp_path) as instance:
        ahead = Store(instance, "counts").at_least(Position({("in", 0): 2}), "50ms")
        with pytest.raises(PositionAhead, match=r"has not come to in-0@2 within 0\.05 s, but to in-0@1"):
            ahead.get("a")


def test_an_answer_waits_for_what_it_is_to_reflect(app: Application, tmp_path: Path) -> None:
    app.batch({"counts": [("a", 0)]})
    with app.ready(tmp_path) as instance:
        counts = Store(instance, "counts")
        for number in range(1, 20):
            position = app.batch({"counts": [("a", number), (str(number), number)]})
            assert counts.at_least(position).answers.get("a").value == number
            assert counts.at_least(position).count() == number + 1


def test_the_application_itself_says_how_far_it_has_come(app: Application, tmp_path: Path) -> None:
    with app.ready(tmp_path) as instance:
        counts = Store(instance, "counts")
        for number in range(5):
            position = app.batch({"counts": [("a", number)]}, say=False)
            instance.note(position)
            assert counts.at_least(position).get("a") == number


def test_a_restarted_one_goes_on_from_its_copy(app: Application, tmp_path: Path) -> None:
    foreign = (b"\xff", 1)
    app.batch({"counts": [*WORDS.items(), foreign]})
    with app.ready(tmp_path) as instance:
        assert instance.foreign == 1
        name = instance.name
    app.batch({"counts": [("to", 70)]})
    with app.ready(tmp_path) as instance:
        assert Store(instance, "counts").all() == {**WORDS, "to": 70}
        assert instance.foreign == 0  # what was read before is not read again
        assert instance.name == name


@pytest.mark.parametrize("harm", ["cut off", "overwritten", "gone"])
def test_a_broken_copy_is_built_anew(app: Application, tmp_path: Path, harm: str) -> None:
    app.batch({"counts": WORDS.items()})
    with app.ready(tmp_path):
        pass
    for file in tmp_path.glob("counts/*/*/*.sst"):
        if harm == "gone":
            file.unlink()
        else:
            file.write_bytes(file.read_bytes()[:40] if harm == "cut off" else b"x" * file.stat().st_size)
    said: list[str] = []
    with app.ready(tmp_path, say=said.append) as instance:
        until(lambda: _all(instance) == WORDS)
    assert any("of counts is built anew: it cannot be read" in line for line in said)


def _all(instance: Instance) -> object:
    try:
        return Store(instance, "counts").all()
    except NobodyAnswers:
        return None


def test_a_changelog_that_was_made_again_is_another_one(app: Application, tmp_path: Path) -> None:
    app.batch({"counts": WORDS.items()})
    app.batch({"counts": WORDS.items()})
    with app.ready(tmp_path) as instance:
        app.begin_anew()
        app.batch({"counts": [("new", 1)]})
        until(lambda: _all(instance) == {"new": 1})
        assert Store(instance, "counts").answers.get("new").position == Position({("in", 0): 1})
    app.begin_anew()
    app.batch({"counts": [("newer", 1)]})
    said: list[str] = []
    with app.ready(tmp_path, say=said.append) as instance:
        assert Store(instance, "counts").all() == {"newer": 1}
    assert not any("built anew" in line for line in said), "who begins anew need not be told of the old copies"


def test_pages_are_of_one_moment(app: Application, tmp_path: Path) -> None:
    rows = {f"{number:04}": number for number in range(500)}
    app.batch({"counts": rows.items()})
    with app.ready(tmp_path) as instance:
        counts, found = Store(instance, "counts"), dict[str, int]()
        for number, page in enumerate(counts.pages(size=90)):
            assert len(page) <= 90
            found |= page
            position = app.batch({"counts": [(f"{number:04}x", 1), ("0499", None)]})
            counts.at_least(position).get("0499")
        assert found == rows
        assert counts.count() == 499 + 6
        first = next(counts.answers.pages(size=10))
        app.batch({"counts": [("0000", 77)]})
        assert counts.range(limit=1, as_of=first.position) == {"0000": 0}
        with pytest.raises(PositionGone, match="what stores held at in-0@7~3f2a is not kept any more"):
            counts.range(as_of=Position.read("in-0@7~3f2a"))
        with pytest.raises(PositionGone, match="begin with the first page again"):
            counts.range(as_of=counts.answers.get("0000").position)


def test_windows_and_sessions_equal_a_recount(app: Application, tmp_path: Path) -> None:
    windows, sessions = TimeWindowedSerde(BYTES, 10), SessionWindowedSerde(STRING)
    app.store("windows", windows, INT64)
    app.store("sessions", sessions, INT64)
    chance = random.Random(7)
    keys = [b"", b"\x00", b"\x00\x00", b"a", b"a\x00", b"a\xff", b"b"]
    counted = {
        Windowed(key, start, start + 10): chance.randrange(100)
        for key in keys
        for start in range(0, 200, 10)
        if chance.random() < 0.7
    }
    visits = {
        Windowed(f"user-{user}", start, start + chance.randrange(9)): chance.randrange(100)
        for user in range(6)
        for start in range(0, 200, 10)
        if chance.random() < 0.7
    }
    app.batch({"windows": counted.items(), "sessions": visits.items()})
    with app.ready(tmp_path) as instance:
        count, visited = Store(instance, "windows"), Store(instance, "sessions")
        assert list(count.all().items()) == sorted(counted.items())
        assert list(visited.fetch_all(reverse=True).items()) == sorted(visits.items(), reverse=True)
        assert count.get(next(iter(counted))) == next(iter(counted.values()))
        for _ in range(30):
            first, last = sorted(chance.choices(range(220), k=2))
            key, user = chance.choice(keys), f"user-{chance.randrange(7)}"
            inside = {one: n for one, n in counted.items() if first <= one.start <= last}
            assert count.fetch_all(first, last) == inside
            assert count.fetch(key, first, last) == {one: n for one, n in inside.items() if one.key == key}
            assert visited.find(user, first, last) == {
                one: n for one, n in visits.items() if one.key == user and one.end >= first and one.start <= last
            }
            assert (
                list(count.fetch(key, first, last, reverse=True, limit=3))
                == sorted((one for one in inside if one.key == key), reverse=True)[:3]
            )
        assert count.range(b"\x00", b"a") == {one: n for one, n in counted.items() if b"\x00" <= one.key <= b"a"}
        assert count.prefix(b"a") == {one: n for one, n in counted.items() if one.key.startswith(b"a")}


def test_foreign_records_are_left_out(app: Application, tmp_path: Path) -> None:
    app.store("numbers", INT64, INT64)
    app.batch({"numbers": [(1, 1), (b"abc", 2), (2, 2)], "counts": [("good", 1)]})
    store = app.stores["counts"]
    app._producer.begin_transaction()
    app.write_bytes(store, b"good", b"???", 1)
    app._producer.commit_transaction()
    with app.ready(tmp_path) as instance:
        assert Store(instance, "numbers").all() == {1: 1, 2: 2}
        assert instance.foreign == 1
        with pytest.raises(EntryUnreadable, match="an entry of store 'counts' cannot be read: its value is not INT64"):
            Store(instance, "counts").get("good")
        with pytest.raises(EntryUnreadable, match="3 bytes, 8 are needed"):
            Store(instance, "counts").all()


def test_what_a_store_cannot_answer_is_refused(app: Application, tmp_path: Path) -> None:
    app.store("numbers", INT64, INT64)
    app.store("windows", TimeWindowedSerde(STRING, 10), INT64)
    with app.ready(tmp_path) as instance:
        with pytest.raises(StoreNotAsked, match="has no store 'nonsense' that can be asked") as refused:
            Store(instance, "nonsense")
        assert "it has counts, numbers, windows" in str(refused.value)
        with pytest.raises(StoreAskedWrongly, match=r"fetch\(\) is for windows, it holds a table"):
            Store(instance, "counts").fetch("a")
        with pytest.raises(StoreAskedWrongly, match=r"find\(\) is for sessions, it holds windows"):
            Store(instance, "windows").find("a")
        with pytest.raises(StoreAskedWrongly, match="it has no windows"):
            Store(instance, "counts").fetch_all()
        with pytest.raises(StoreAskedWrongly, match="its keys are INT64") as refused_prefix:
            instance.answer(Scan(store="numbers", prefix=b"1"))
        assert "prefixes are for text and bytes" in str(refused_prefix.value)
        with pytest.raises(StoreAskedWrongly, match="'a' is a str, int is needed"):
            Store(instance, "numbers").get("a")
        with pytest.raises(StoreAskedWrongly, match="key is none of its keys: 1 bytes, 8 are needed"):
            instance.answer(Get(store="numbers", key=b"a"))
        with pytest.raises(StoreAskedWrongly, match="limit is 0"):
            Store(instance, "counts").range(limit=0)


def test_a_directory_is_for_one_instance(app: Application, tmp_path: Path) -> None:
    with app.instance(tmp_path):
        with pytest.raises(ReplicasInUse, match="used by another process") as used:
            Instance(app.id, app.stores, app.broker, None, tmp_path)
        assert str(tmp_path) in str(used.value)
    (tmp_path / "file").write_text("")
    with pytest.raises(ReplicasUnwritable, match="replicas cannot be kept: File exists"):
        Instance(app.id, app.stores, app.broker, None, tmp_path / "file")


def test_nobody_answers_before_it_is_built(app: Application, tmp_path: Path) -> None:
    app.batch({"counts": WORDS.items()})
    instance = Instance(app.id, app.stores, app.broker, None, tmp_path)
    with pytest.raises(NobodyAnswers, match=r"nobody answers for partition \d of store 'counts': it is not held here"):
        Store(instance, "counts").get("to")
    instance.close()
