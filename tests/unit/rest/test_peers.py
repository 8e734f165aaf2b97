"""What instances say to one another: two servers, each in front of an instance that holds a part."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import aclosing
from dataclasses import replace

import httpx
import pytest

import headrace as hr
from headrace.errors import (
    AnswerTookTooLong,
    NobodyAnswers,
    PeerFailed,
    PeerUnreachable,
    PositionAhead,
    PositionNotReached,
    TooManyRequests,
)
from headrace.query.position import Position
from headrace.query.requests import Count, Entry, Get, Question, Reply, Scan
from headrace.query.service.ports import Changed, Watched
from headrace.rest.client.peers import Began, HttpPeers, PeerWatches
from headrace.rest.server.settings import Limits, Serve
from headrace.rest.wire import (
    changes_of,
    changes_text,
    question_of,
    question_text,
    reply_of,
    reply_text,
    watched_of,
    watched_text,
)
from rest.conftest import Serving
from rest.memory import Memory

POSITION = Position({("plays", 0): 3}, "moment1")
QUESTIONS = [
    Get(store="counts", key=b"\xff\x00", at_least=POSITION, timeout_ms=7, stale=True),
    Scan(store="counts", first=b"a", last=b"b", prefix=b"", key=b"k", from_ms=1, to_ms=2, reverse=True, limit=3),
    Scan(store="counts", after=b"x", as_of=POSITION),
    Count(store="counts"),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_questions_there_and_back(question: Question) -> None:
    assert question_of(question_text(question, {2, 0}).encode()) == (question, [0, 2])


def test_replies_watches_and_changes_there_and_back() -> None:
    reply = Reply(
        position=POSITION, entries=[Entry(b"k", b"\xfe", -5)], count=3, more=True, stale=True, instances=("a",)
    )
    assert reply_of(reply_text(reply).encode()) == reply
    watched = Watched("counts", key=b"k", first=b"a", last=b"z", prefix=b"p", since={0: 5, 3: 9}, life="Life1")
    assert watched_of(watched_text(watched, [3, 0]).encode()) == (watched, [0, 3])
    changes = [Changed(0, 5, b"k", Entry(b"k", b"v", 7)), Changed(1, 6, b"gone", None)]
    import json

    assert changes_of(json.loads(changes_text(changes))) == changes


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        "nonsense",
        '{"kind":"drop","partitions":[0]}',
        '{"kind":"get","store":"counts","partitions":[0]}',
        '{"kind":"get","store":"counts","key":"%%%","partitions":[0]}',
        '{"kind":"count","store":"counts","partitions":["0"]}',
        '{"kind":"count","store":"counts","partitions":[0],"__class__":"x"}',
    ],
)
def test_what_is_no_question(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        question_of(text.encode())


def test_another_instance_is_asked(memory: Memory, serving: Serving) -> None:
    server, peers = serving(memory), HttpPeers(Serve(), "music")
    found = peers.ask(server.url, Get(store="counts", key=b"be"), [0])
    assert (found.entries[0].value, found.instances) == (hr.INT64.write(2), ("here",))
    with pytest.raises(PeerFailed, match="store-not-asked"):
        peers.ask(server.url, Count(store="none"), [0])
    server.close()
    with pytest.raises(PeerUnreachable, match="does not answer"):
        peers.ask(server.url, Count(store="counts"), [0])


def test_another_instance_is_watched(memory: Memory, serving: Serving) -> None:
    async def watched() -> list[object]:
        watches, told = PeerWatches(Serve(), "music"), list[object]()
        async with aclosing(watches.watch(serving(memory).url, Watched("counts", prefix=b"b"), [0])) as watching:
            async for one in watching:
                told.append(one)
                if isinstance(one, Began):
                    memory.put("counts", "be", 3)
                elif len(told) > 1:
                    break
        await watches.close()
        return told

    there, began, change = asyncio.run(watched())
    assert there == [Changed(0, -1, b"be", Entry(b"be", hr.INT64.write(2), 1_000))]
    assert isinstance(began, Began)
    assert (began.life, began.whole) == ("Life1", frozenset({0}))
    assert change == [Changed(0, began.since[0], b"be", Entry(b"be", hr.INT64.write(3), 1_000))]


def test_its_errors_are_raised_here(memory: Memory, serving: Serving, monkeypatch: pytest.MonkeyPatch) -> None:
    server, peers = serving(memory), HttpPeers(Serve(), "music")
    question = Get(store="counts", key=b"be", at_least=POSITION, timeout_ms=10)

    def fail(error: Exception) -> None:
        def local(*_: object) -> Reply:
            raise error

        monkeypatch.setattr(memory, "local", local)

    fail(PositionNotReached("plays-0@3", "plays-0@1", 10))
    with pytest.raises(PositionNotReached, match=r"plays-0@3~moment1 was not reached within 0.01 s"):
        peers.ask(server.url, question, [0])
    fail(PositionAhead("plays-0@3", "plays-0@1", 10))
    with pytest.raises(PositionAhead, match=r"the application has not come to plays-0@3~moment1 within 0.01 s"):
        peers.ask(server.url, question, [0])
    fail(NobodyAnswers("counts", [0], "it is not held here"))
    with pytest.raises(NobodyAnswers, match=r"^nobody answers for partition 0 of store 'counts': it is not held here"):
        peers.ask(server.url, replace(question, at_least=None), [0])
    fail(AnswerTookTooLong("counts", 10))
    with pytest.raises(AnswerTookTooLong, match=r"store 'counts' could not be gone through within 0.01 s") as slow:
        peers.ask(server.url, question, [0])
    assert "in Python at_least(Position(), '60s')" in str(slow.value)


def test_another_instance_is_answered_while_all_requests_wait(
    memory: Memory, serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, peers = serving(memory, limits=Limits(requests=1)), HttpPeers(Serve(), "music")
    asked, let = threading.Event(), threading.Event()

    def waits(_question: object) -> Reply:
        asked.set()
        let.wait(10)
        return Reply(position=Position())

    monkeypatch.setattr(memory, "answer", waits)
    waiting = threading.Thread(target=httpx.get, args=(f"{server.url}/apps/music/stores/counts/count",))
    waiting.start()
    assert asked.wait(5)
    assert peers.ask(server.url, Count(store="counts", timeout_ms=100), [0]).count == 4
    let.set()
    waiting.join(5)
    peers.close()


def test_one_that_is_there_but_does_not_answer_is_not_taken_for_gone(
    memory: Memory, serving: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    server, peers = serving(memory), HttpPeers(Serve(), "music")
    monkeypatch.setattr("headrace.rest.client.peers._MORE_S", 0.2)
    answers: list[Exception] = [TooManyRequests("requests at work"), RuntimeError("broken")]

    def local(*_: object) -> Reply:
        if answers:
            raise answers.pop(0)
        time.sleep(1.0)
        raise AssertionError

    monkeypatch.setattr(memory, "local", local)
    question = Get(store="counts", key=b"be", timeout_ms=10)
    for words in ("too-many-requests", "internal: the server failed", "timed out"):
        with pytest.raises(PeerFailed, match=f"the instance at {server.url} has no answer: .*{words}"):
            peers.ask(server.url, question, [0])
    with pytest.raises(PeerFailed, match="has no answer"):
        peers.ask("http://host:port", question, [0])
    peers.close()
