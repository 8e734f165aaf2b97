"""Pushed changes: what is there, then what changes, and where to go on."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from headrace.query.service.ports import Watched
from headrace.rest.client.peers import PeerWatches
from headrace.rest.server.service import Service
from headrace.rest.server.settings import Limits, Serve
from headrace.rest.server.users import Role, User
from headrace.rest.watch.events import tell_socket
from headrace.rest.watch.registry import Room, Watchers
from query.application import until
from rest.conftest import Serving
from rest.memory import Memory, MemoryWatch

WATCH = "/apps/music/stores/counts/watch"


class Events:
    """Server-sent events as a browser reads them."""

    def __init__(self, answer: httpx.Response) -> None:
        assert answer.status_code == 200, answer.read()
        assert answer.headers["content-type"].startswith("text/event-stream")
        self.last_id = ""
        self._lines = answer.iter_lines()

    def next(self) -> tuple[str, Any]:
        """The next one: its kind and its data."""
        kind, data = "message", ""
        for line in self._lines:
            name, _, text = line.partition(":")
            text = text.removeprefix(" ")
            if name == "event":
                kind = text
            elif name == "data":
                data = text
            elif name == "id":
                self.last_id = text
            elif not line and data:
                return kind, json.loads(data)
        raise EOFError

    def until(self, kind: str) -> list[Any]:
        """All data up to the first event of a kind, and that one's."""
        found = []
        while True:
            told, data = self.next()
            found.append(data)
            if told == kind:
                return found


@pytest.fixture
def watching(memory: Memory, serving: Serving) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=serving(memory).url, timeout=20) as client:
        yield client


def test_what_is_there_and_then_each_change(watching: httpx.Client, memory: Memory) -> None:
    with watching.stream("GET", WATCH) as answer:
        events = Events(answer)
        assert events.next() == ("anew", {})
        there = [events.next() for _ in range(4)]
        assert sorted(data["key"] for kind, data in there if kind == "change") == ["be", "not", "or", "to"]
        assert events.next() == ("current", {})
        memory.put("counts", "be", 3, ts=2_000)
        assert events.next() == ("change", {"key": "be", "value": 3, "ts": 2000})
        memory.put("counts", "be", None)
        assert events.next() == ("change", {"key": "be", "value": None})


def test_one_who_comes_back_is_told_what_was_missed(watching: httpx.Client, memory: Memory) -> None:
    with watching.stream("GET", WATCH) as answer:
        events = Events(answer)
        events.until("current")
        assert events.last_id == "0=9~Life1"
    memory.put("counts", "or", 7)
    for how in ({"params": {"since": "0=9~Life1"}}, {"headers": {"last-event-id": "0=9~Life1"}}):
        with watching.stream("GET", WATCH, **how) as answer:  # type: ignore[arg-type]
            events = Events(answer)
            assert events.next() == ("change", {"key": "or", "value": 7, "ts": 1000})
            assert events.next() == ("current", {})
            assert events.last_id == "0=10~Life1"


def test_one_who_comes_back_too_late_is_told_everything_anew(watching: httpx.Client, memory: Memory) -> None:
    memory.forgotten = 9
    with watching.stream("GET", f"{WATCH}?since=0=3~Life1") as answer:
        events = Events(answer)
        events.last_id = "0=3~Life1"
        assert events.next() == ("anew", {})
        assert events.last_id == ""
        assert len(events.until("current")) == 5
        assert events.last_id == "0=9~Life1"


@pytest.mark.parametrize("since", ["0=9~Life1", "0=9"])
def test_one_who_comes_back_after_a_reset_is_told_everything_anew(
    watching: httpx.Client, memory: Memory, since: str
) -> None:
    memory.life = "Life2"
    with watching.stream("GET", f"{WATCH}?since={since}") as answer:
        events = Events(answer)
        assert events.next() == ("anew", {})
        assert len(events.until("current")) == 5
        assert events.last_id == "0=9~Life2"


def test_one_who_is_there_at_a_reset_is_told_everything_anew(watching: httpx.Client, memory: Memory) -> None:
    with watching.stream("GET", WATCH) as answer:
        events = Events(answer)
        events.until("current")
        memory.put("counts", "be", 5)
        assert events.next()[1]["key"] == "be"
        (first,) = memory.watches
        memory.watches.clear()
        memory.life, memory.offset = "Life2", 8
        memory.rows["counts"].clear()
        memory.put("counts", "new", 1)
        first.gone(0)
        assert events.next() == ("anew", {})
        assert events.until("current") == [{"key": "new", "value": 1, "ts": 1000}, {}]
        assert events.last_id == "0=9~Life2"
        memory.put("counts", "new", 2)  # at the same offset as that of before
        assert events.next() == ("change", {"key": "new", "value": 2, "ts": 1000})


def test_one_key(watching: httpx.Client, memory: Memory) -> None:
    with watching.stream("GET", f"{WATCH}?key=or") as answer:
        events = Events(answer)
        events.until("current")
        memory.put("counts", "be", 8)
        memory.put("counts", "or", 9)
        assert events.next()[1]["key"] == "or"


def test_over_a_web_socket(memory: Memory, serving: Serving) -> None:
    url = serving(memory).url.replace("http", "ws")
    with connect(f"{url}{WATCH}?key=be") as socket:
        told = [json.loads(socket.recv(10)) for _ in range(3)]
        assert told == [
            {"event": "anew", "id": ""},
            {"event": "change", "key": "be", "value": 2, "ts": 1000},
            {"event": "current", "id": "0=9~Life1"},
        ]
        socket.send("nobody listens")
        memory.put("counts", "be", 3)
        assert json.loads(socket.recv(10)) == {
            "event": "change",
            "id": "0=10~Life1",
            "key": "be",
            "value": 3,
            "ts": 1000,
        }
    with pytest.raises(InvalidStatus) as refused, connect(f"{url}/apps/music/stores/none/watch"):
        pass
    assert refused.value.response.status_code == 404


def test_a_partition_that_goes_elsewhere_is_followed_there_or_from_here_again(
    watching: httpx.Client, memory: Memory
) -> None:
    with watching.stream("GET", WATCH) as answer:
        events = Events(answer)
        events.until("current")
        (first,) = memory.watches
        memory.watches.clear()
        memory.put("counts", "be", 5)  # told to nobody
        first.gone(0)
        assert events.next() == ("change", {"key": "be", "value": 5, "ts": 1000})
        memory.put("counts", "be", 6)
        assert events.next() == ("change", {"key": "be", "value": 6, "ts": 1000})


def test_a_partition_that_goes_while_it_is_told_is_followed_again(watching: httpx.Client, memory: Memory) -> None:
    def leave(made: MemoryWatch) -> None:
        memory.meanwhile = lambda _: None
        made.close()
        made.gone(0)
        time.sleep(0.2)  # the server learns of it before the watch is handed back

    memory.meanwhile = leave
    with watching.stream("GET", WATCH) as answer:
        events = Events(answer)
        events.until("current")
        assert len(memory.watches) == 1
        memory.put("counts", "be", 5)
        assert events.next() == ("change", {"key": "be", "value": 5, "ts": 1000})


def test_one_who_leaves_while_being_told_leaves_nothing_behind(watching: httpx.Client, memory: Memory) -> None:
    for number in range(20_000):
        memory.put("counts", f"x{number}", number)
    with watching.stream("GET", WATCH) as answer:
        events = Events(answer)  # kept: with its generator the connection would be closed
        events.until("change")
        assert len(memory.watches) == 1
    until(lambda: watching.get("/apps/music/watchers").json() == {"watchers": []})
    assert memory.watches == []


def test_one_who_goes_before_a_socket_is_open_leaves_nothing_behind(memory: Memory) -> None:
    class Gone:
        async def accept(self) -> None:
            raise RuntimeError

    async def run() -> None:
        service = Service(memory, Limits())
        watchers = Watchers(service, PeerWatches(Serve(), "music"), lambda *_: True, Room(Limits()))
        watcher = watchers.begin(service.store("counts"), Watched("counts"), User("ann", Role.READ, None, ""))
        with pytest.raises(RuntimeError):
            await tell_socket(Gone(), watcher)  # type: ignore[arg-type]
        assert watchers.all() == []

    asyncio.run(run())


def test_watchers_are_seen_and_ended(watching: httpx.Client, memory: Memory) -> None:
    with watching.stream("GET", WATCH) as answer:
        events = Events(answer)
        events.until("current")
        (one,) = watching.get("/apps/music/watchers").json()["watchers"]
        assert (one["user"], one["store"], one["told"]) == ("anybody", "counts", 4)
        assert watching.delete(f"/apps/music/watchers/{one['number']}").status_code == 204
        with pytest.raises(EOFError):
            events.next()
    assert watching.delete(f"/apps/music/watchers/{one['number']}").json()["error"]["code"] == "watcher-unknown"
    assert memory.watches == []


def test_one_who_does_not_read_is_told_the_last_of_each_key(watching: httpx.Client, memory: Memory) -> None:
    with watching.stream("GET", f"{WATCH}?prefix=x") as answer:
        events = Events(answer)
        events.until("current")
        big = 400
        for _ in range(50):  # far more than what fits between the two
            for key in range(big):
                memory.put("counts", f"x{key:03}" + "-" * 1_000, 0)
        for key in range(big):
            memory.put("counts", f"x{key:03}" + "-" * 1_000, 1)
        told, last = 0, dict[str, int]()
        while list(last.values()).count(1) < big:
            data = events.next()[1]
            told += 1
            last[data["key"]] = data["value"]
        assert told < 51 * big
    assert "headrace_query_conflated_total" in watching.get("/metrics").text


def test_one_who_does_not_read_at_all_is_cut_off(memory: Memory, serving: Serving) -> None:
    server = serving(memory, limits=Limits(watch_bytes=200_000))
    with httpx.Client(base_url=server.url, timeout=30) as client, client.stream("GET", f"{WATCH}?prefix=x") as answer:
        events = Events(answer)
        events.until("current")
        number = 0
        while memory.watches:
            memory.put("counts", f"x{number}" + "-" * 10_000, 0)
            number += 1
        with pytest.raises((EOFError, httpx.HTTPError)):
            while True:
                kind, _ = events.next()
                assert kind in ("change", "too-slow")


def test_there_may_only_be_so_many(memory: Memory, serving: Serving) -> None:
    server = serving(memory, limits=Limits(watchers=1))
    with httpx.Client(base_url=server.url) as client, client.stream("GET", WATCH):
        answer = client.get(WATCH)
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "5")


def test_nobody_has_it_yet(memory: Memory, watching: httpx.Client) -> None:
    memory.ready = False
    answer = watching.get(WATCH)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert answer.json()["error"]["code"] == "nobody-answers"


def test_a_server_that_ends_lets_watchers_go(memory: Memory, serving: Serving) -> None:
    server = serving(memory)
    with httpx.Client(base_url=server.url, timeout=20) as client, client.stream("GET", WATCH) as answer:
        events = Events(answer)
        events.until("current")
        server.close()
        with pytest.raises(EOFError):
            events.next()
    assert memory.watches == []


def test_those_who_join_together_and_do_not_read_are_told_the_same_and_little(
    memory: Memory, serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headrace.rest.watch.change_buffer._FIRST", 4 << 20)
    for number in range(20_000):
        memory.put("counts", f"x{number}", number)
    server = serving(memory)
    server._listener.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
    watchers = server._applications.find("music")
    where = httpx.URL(server.url)
    head = f"GET {WATCH} HTTP/1.1\r\nHost: {where.netloc.decode()}\r\n\r\n".encode()
    with ExitStack() as there, httpx.Client(base_url=server.url, timeout=30) as client:
        for _ in range(40):
            one = there.enter_context(socket.socket())
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            one.connect((where.host, where.port))
            one.sendall(head)
        told = list[list[int]]()

        def stand_still() -> bool:
            assert client.get("/health").json() == {"status": "up"}
            told.append([one["told"] for one in client.get("/apps/music/watchers").json()["watchers"]])
            return len(told) > 5 and len(told[-1]) == 40 and min(told[-1]) > 0 and told[-1] == told[-5]

        until(stand_still)
        assert max(told[-1]) - min(told[-1]) < 2_500  # a part more or less
        assert max(told[-1]) < 10_000
        assert watchers.budget.joining == 40
        assert (512 << 20) - watchers.budget._left < 7 << 20  # 4 MiB, and a part and more for each
    until(lambda: watchers.budget._left == 512 << 20)
    assert watchers.budget.joining == 0
