"""The client: stores that are elsewhere, asked as if they were here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import cast

import httpx
import pytest

import headrace as hr
from headrace.errors import (
    EntryUnreadable,
    ServerNotReached,
    ServerRefused,
    StoreAskedWrongly,
    StoreNotAsked,
)
from headrace.query.position import Position
from headrace.rest.client.client import Change, Connection, Watching
from headrace.rest.client.remote import Remote
from headrace.rest.key_value_text import StoreForm
from headrace.rest.server.users import Role, User, hashed_password, hashed_token, new_token
from rest.conftest import Play, Serving
from rest.memory import Memory

NOBODY = "http://127.0.0.1:1"


@pytest.fixture
def connection(memory: Memory, serving: Serving) -> Iterator[Connection]:
    with hr.connect(serving(memory).url) as connection:
        yield connection


def test_a_table(connection: Connection) -> None:
    counts = connection.store("counts")
    assert (connection.app, connection.stores) == ("music", ["by-window", "counts", "last", "visits"])
    assert (counts.get("be"), counts.get("nothing"), counts.count()) == (2, None, 4)
    assert counts.range("c", "or") == {"not": 1, "or": 1}
    assert list(counts.all(reverse=True, limit=2)) == ["to", "or"]
    assert counts.prefix("t") == {"to": 2}
    assert list(counts.pages(size=3)) == [{"be": 2, "not": 1, "or": 1}, {"to": 2}]
    assert counts.answers.get("be").position == Position({("plays", 0): 9})
    assert counts.holders("be")[0].name == "here"
    assert counts.instances()[0].shares[0].store == "counts"


def test_keys_of_any_letters(connection: Connection, memory: Memory) -> None:
    for key in ("", "a/b", "..", "%2F", "🎵 ü", "a+b&c=d?#", "\x00\r\n"):
        memory.put("counts", key, 7)
        assert connection.store("counts").get(key) == 7


def test_windows_and_sessions(connection: Connection) -> None:
    in_windows, visits = connection.store("by-window"), connection.store("visits")
    assert in_windows.fetch("ann", 5_000) == {hr.Windowed("ann", 10_000, 20_000): 2}
    assert len(in_windows.fetch_all()) == 2
    assert in_windows.get(hr.Windowed("ann", 10_000, 20_000)) == 2
    assert in_windows.get(hr.Windowed("ann", 7, 20_000)) is None
    assert visits.find("bob") == {hr.Windowed("bob", 5, 9): 0.5}
    with pytest.raises(StoreAskedWrongly, match="for windows"):
        visits.fetch("bob")


def test_json_is_plain_unless_a_class_is_given(connection: Connection) -> None:
    assert connection.store("last").get(7) == {"song": "Aqualung", "seconds": 391}
    assert connection.store("last", value=hr.json(Play)).get(7) == Play("Aqualung", 391)


def test_time_does_not_go_back(connection: Connection, memory: Memory) -> None:
    counts = connection.store("counts")
    counts.get("be")
    counts.get("be")
    assert memory.asked[-1].at_least == Position({("plays", 0): 9})
    memory.position, memory.lags = Position({("plays", 0): 3}), True  # as another server would be
    assert counts.stale().get("be") == 2
    with pytest.raises(ServerRefused) as refused:
        counts.at_least(Position({("plays", 0): 1}), "1s").get("be")
    assert refused.value.answered == "position-not-reached"
    assert str(refused.value).startswith("plays-0@9 was not reached within 1 s, plays-0@3 was\n  to do: ask again")


def test_an_application_that_begins_anew_answers_again(connection: Connection, memory: Memory) -> None:
    counts = connection.store("counts")
    counts.get("be")
    memory.position = Position({("plays", 0): 3})  # it has begun anew
    assert counts.get("be") == 2
    assert [one.at_least for one in memory.asked[-2:]] == [Position({("plays", 0): 9}), None]
    assert counts.at_least(Position({("plays", 0): 2})).all() == {"be": 2, "not": 1, "or": 1, "to": 2}
    memory.position = Position({("plays", 0): 1})
    asked = len(memory.asked)
    with pytest.raises(ServerRefused, match="the application has not come to plays-0@2"):
        counts.at_least(Position({("plays", 0): 2})).count()
    assert [one.at_least for one in memory.asked[asked:]] == [Position({("plays", 0): at}) for at in (3, 2)]


def test_the_next_server_is_asked_if_one_is_not_there(memory: Memory, serving: Serving) -> None:
    with hr.connect([NOBODY, serving(memory).url]) as connection:
        assert connection.store("counts").get("be") == 2
    with pytest.raises(ServerNotReached) as nobody:
        hr.connect(NOBODY)
    assert "no query server answers at http://127.0.0.1:1:" in str(nobody.value)
    assert str(nobody.value).endswith("to do: start the application, or: headrace query serve app.py")


def test_a_store_that_is_not_there(connection: Connection) -> None:
    with pytest.raises(StoreNotAsked, match="music has no store 'none'"):
        connection.store("none")


def test_an_entry_that_nobody_can_read(connection: Connection, memory: Memory) -> None:
    about = memory.stores["counts"]
    memory.stores["counts"] = replace(about, value=hr.BYTES)
    memory.put("counts", "broken", b"123")
    with pytest.raises(EntryUnreadable, match="3 bytes, 8 are needed"):
        connection.store("counts").get("broken")


def test_who_asks(memory: Memory, serving: Serving, tmp_path: Path) -> None:
    token = new_token("page")
    users = [
        User("page", Role.READ, None, hashed_token(token)),
        User("ann", Role.READ, None, hashed_password("secret:")),
    ]
    (tmp_path / "users").write_text("\n".join(user.line for user in users))
    url = serving(memory, users=tmp_path / "users").url
    for login in ({"token": token}, {"user": ("ann", "secret:")}):
        with hr.connect(url, **login) as connection:
            assert connection.store("counts").get("be") == 2
    with pytest.raises(ServerRefused, match="nobody known by this name, password or token"):
        hr.connect(url, token="wrong")


def test_watching(connection: Connection, memory: Memory) -> None:
    watching = connection.store("counts").watch(prefix="t")
    assert next(watching) == Change("to", 2, 1000)
    memory.put("counts", "two", 2, ts=5)
    memory.put("counts", "to", None)
    assert next(watching) == Change("two", 2, 5)
    assert next(watching) == Change("to", None, None)
    memory.put("counts", "two", 3, ts=6)
    assert next(watching) == Change("two", 3, 6)
    assert watching.current
    watching.close()


def test_a_watch_goes_on_at_another_server(memory: Memory, serving: Serving) -> None:
    first = serving(memory)
    with hr.connect([first.url, serving(memory).url]) as connection:
        watching = connection.store("counts").watch(key="be")
        assert next(watching).value == 2
        memory.put("counts", "be", 3)
        assert next(watching).value == 3
        first.close()
        memory.put("counts", "be", 4)
        assert next(watching).value == 4
        watching.close()


def test_what_went_while_nobody_could_watch_is_told(memory: Memory, serving: Serving) -> None:
    first = serving(memory)
    with hr.connect([first.url, serving(memory).url]) as connection:
        watching = connection.store("counts").watch()
        held = {change.key: change.value for _, change in zip(range(4), watching, strict=False)}
        first.close()
        memory.put("counts", "be", None)
        memory.forgotten = memory.offset  # too much has changed since
        memory.put("counts", "or", 5)
        for change in watching:
            held[change.key] = change.value
            if change.key == "be":
                break
        assert held == {"be": None, "not": 1, "or": 5, "to": 2}
        watching.close()


def test_who_had_to_begin_anew_does_not_go_on_from_before(memory: Memory) -> None:
    there = '"value":2,"ts":1}\n\n'
    told = [
        f'event: change\nid: 0=5\ndata: {{"key":"be",{there}' + "event: anew\nid:\ndata: {}\n\n",
        f'event: change\ndata: {{"key":"be",{there}' + "event: current\nid: 0=7\ndata: {}\n\n",
        f'event: change\nid: 0=8\ndata: {{"key":"end",{there}',
    ]
    asked: list[str] = []

    class Scripted:
        closed = False

        def path(self, *_: object) -> str:
            return ""

        @contextmanager
        def open(self, _path: str, params: dict[str, str], *_: object) -> Iterator[httpx.Response]:
            asked.append(params.get("since", ""))
            yield httpx.Response(200, content=told[len(asked) - 1].encode())

        def turn(self) -> None:
            pass

    watching = Watching(cast(Remote, Scripted()), StoreForm(memory.stores["counts"]), {})
    assert [next(watching) for _ in range(3)] == [Change("be", 2, 1), Change("be", 2, 1), Change("end", 2, 1)]
    assert asked == ["", "", "0=7"]


def test_texts_with_any_ends_of_lines_are_watched(connection: Connection, memory: Memory) -> None:
    for letter in "\x85\u2028\u2029\x0b\x0c\x1c\r\n":
        memory.put("counts", f"t{letter}t", 1)
    watching = connection.store("counts").watch(prefix="t")
    told = {next(watching).key for _ in range(9)}
    assert told == {"to", *(f"t{letter}t" for letter in "\x85\u2028\u2029\x0b\x0c\x1c\r\n")}
    watching.close()
