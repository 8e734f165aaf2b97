"""Whom an instance asks, and what it says when nobody answers; the instances are made up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from typing import Any, cast

import pytest

from headrace.errors import NobodyAnswers, PeerFailed, PeerUnreachable
from headrace.log.topics import Identity
from headrace.query.catalogue import Queryable
from headrace.query.position import Position
from headrace.query.replica.key_order import Layout
from headrace.query.replica.reader import Followed
from headrace.query.requests import Count, Entry, Get, Question, Reply, Scan
from headrace.query.service.local import Local
from headrace.query.service.ports import Member, Share
from headrace.query.service.routing import Routing
from headrace.serde import INT64, STRING


class Here:
    """An instance that holds nothing itself."""

    def followed(self, store: str) -> Followed:
        return Followed(Queryable(store, "changelog", STRING, INT64, None), Layout(STRING), Identity("id", 2))

    def holding(self, *_: object, **__: object) -> None:
        return None

    def why_not(self, *_: object) -> str:
        return "it is not held here"

    def no_less(self, question: Question, _partitions: object) -> Question:
        return question

    def reached(self, *_: object) -> None:
        pass


class Others:
    """The way to the others: what each of them does."""

    def __init__(self, does: Callable[[str, Question, Collection[int]], Reply]) -> None:
        self.ask, self.refused = does, list[str]()

    def routing(self, *names: str, requests: int = 4, partitions: Collection[int] = (0, 1)) -> Routing:
        up = [
            Member(name, f"http://{name}", tuple(Share("counts", one, 1, 1, True) for one in partitions))
            for name in names
        ]
        local = cast("Local", Here())
        return Routing(local, "me", lambda: (Member("me", ""), *up), cast("Any", self), self.refused.append, requests)


def fails(error: Exception) -> Callable[..., Reply]:
    def ask(*_: object) -> Reply:
        raise error

    return ask


def test_one_that_fails_keeps_its_share_and_one_that_is_gone_does_not() -> None:
    failing = Others(fails(PeerFailed("http://ann", "too-many-requests")))
    with pytest.raises(NobodyAnswers):
        failing.routing("ann").answer(Count(store="counts"))
    assert failing.refused == []
    gone = Others(fails(PeerUnreachable("http://ann", "refused")))
    with pytest.raises(NobodyAnswers):
        gone.routing("ann").answer(Count(store="counts"))
    assert gone.refused == ["ann"]


def test_what_the_others_said_is_told() -> None:
    others = Others(fails(PeerFailed("http://ann", "it does not take the secret of this one")))
    with pytest.raises(NobodyAnswers) as nobody:
        others.routing("ann").answer(Get(store="counts", key=b"a"))
    assert nobody.value.what.endswith(
        "of store 'counts': it is not held here; the instance at http://ann has no answer:"
        " it does not take the secret of this one"
    )


def test_a_store_that_somebody_does_not_have_yet_is_not_asked_there() -> None:
    others = Others(fails(AssertionError("nobody has it")))
    with pytest.raises(NobodyAnswers, match="nobody answers for partition 0 of store 'new': it is not held here"):
        others.routing("ann").answer(Count(store="new"))


def test_who_waits_is_told_when_it_is_closed() -> None:
    routing = Others(fails(AssertionError())).routing(partitions=())
    threading.Timer(0.2, routing.close).start()
    began = time.monotonic()
    with pytest.raises(
        NobodyAnswers, match="nobody answers for partitions 0, 1 of store 'counts': this instance is clo"
    ):
        routing.answer(Count(store="counts", at_least=Position({("in", 0): 1}), timeout_ms=60_000))
    assert time.monotonic() - began < 5


def test_many_who_wait_hold_up_nobody_else() -> None:
    let, waiting = threading.Event(), threading.Semaphore(0)

    def ask(_url: str, question: Question, _partitions: object) -> Reply:
        if question.at_least is not None:
            waiting.release()
            let.wait(20)
        return Reply(position=Position(), count=1)

    class Split(Others):
        """One partition each."""

        def routing(self, *names: str, requests: int = 4, partitions: Collection[int] = ()) -> Routing:  # noqa: ARG002
            up = [Member(name, f"http://{name}", (Share("counts", at, 1, 1, True),)) for at, name in enumerate(names)]
            local = cast("Local", Here())
            return Routing(local, "me", lambda: tuple(up), cast("Any", self), self.refused.append, requests)

    routing = Split(ask).routing("ann", "bob", requests=20)
    waits = Count(store="counts", at_least=Position({("in", 0): 1}))
    threads = [threading.Thread(target=routing.answer, args=(waits,)) for _ in range(19)]
    for thread in threads:
        thread.start()
    for _ in range(2 * len(threads)):
        assert waiting.acquire(timeout=10)
    assert routing.answer(Count(store="counts")).count == 2
    let.set()
    for thread in threads:
        thread.join(10)


def test_a_moment_is_kept_where_more_pages_may_be_asked_for() -> None:
    asked = list[Question]()

    def ask(_url: str, question: Question, _partitions: object) -> Reply:
        asked.append(question)
        return Reply(position=Position(), entries=[Entry(b"a", b"", 1)], more=True)

    routing = Others(ask).routing("ann")
    routing.answer(Scan(store="counts", limit=1, paged=False))
    assert [cast("Scan", one).as_of for one in asked] == [None]
    routing.answer(Scan(store="counts", limit=1))
    assert cast("Scan", asked[-1]).as_of is not None
