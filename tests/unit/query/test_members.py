"""Who is believed to be up: those who sign what they say with the common secret, whoever else writes to the topic."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import cast

import pytest

from headrace.log.bulletin import Bulletin
from headrace.query.service.members import Members
from headrace.query.service.ports import Member, Share
from headrace.query.service.proof import CLOCKS_MS, Proof

SECRET = "known to the instances"
URL = "http://127.0.0.1:1"
SHARES = (Share("counts", 0, 1, 1, True),)


@dataclass
class Topic:
    """The records of a topic, and how far somebody has read them."""

    topic: str = "music-query-servers"
    records: list[tuple[str, bytes | None]] = field(default_factory=list)
    end: int = 0
    read: int = 0

    def tell(self, name: str, text: bytes | None) -> None:
        self.records.append((name, text))

    def hear(self, _wait_s: float) -> list[tuple[int, str, bytes | None]]:
        heard = [(at, *record) for at, record in enumerate(self.records)][self.read :]
        self.read = len(self.records)
        return heard

    def close(self) -> None:
        pass


class Heard:
    """One instance, and what it believes."""

    def __init__(self, name: str, topic: Topic, secret: str = SECRET) -> None:
        self.said: list[str] = []
        bulletin = cast(Bulletin, Topic(records=topic.records, end=len(topic.records)))
        me = Member(name, f"{URL}/{name}", SHARES)
        self.members = Members(bulletin, name, Proof(secret), lambda: me, lambda: None, self.said.append)

    def turn(self) -> list[str]:
        """Hear what there is, and say who is up."""
        self.members._turn(0.0)
        return [one.name for one in self.members.up()]


@pytest.fixture
def topic() -> Topic:
    return Topic()


def test_those_who_share_the_secret_know_one_another(topic: Topic) -> None:
    ann, bob = Heard("ann", topic), Heard("bob", topic)
    ann.turn()
    assert bob.turn() == ["bob", "ann"]
    assert ann.turn() == ["ann", "bob"]
    assert ann.members.up()[1] == Member("bob", f"{URL}/bob", SHARES)
    bob.members.close()
    assert ann.turn() == ["ann"]
    assert not any("ignored" in one for one in ann.said + bob.said)


def test_made_up_members_are_ignored_and_told_once_in_words(topic: Topic) -> None:
    ann = Heard("ann", topic)
    shares = [["counts", partition, 1, 1, True] for partition in range(6)]
    plain = json.dumps({"name": "eve", "url": "http://eve", "shares": shares, "number": 1, "at_ms": 1}).encode()
    for name in ("eve", "eva", "\x1b[31m" + "x" * 500):
        topic.tell(name, plain)
        topic.tell(name, b"0" * 64 + b" " + plain)
        topic.tell(name, b"\xff\xfe")
        topic.tell(name, None)
    assert ann.turn() == ["ann"]
    assert ann.said == [
        "queries: music-query-servers has records that are not signed with the secret of this instance, one of 'eve';"
        " they are ignored. Give all instances the same secret=, and let nobody else write to the topic"
    ]
    Heard("bob", topic, "another secret of theirs").turn()
    assert (ann.turn(), len(ann.said)) == (["ann"], 1)


def test_nobody_says_goodbye_for_another(topic: Topic) -> None:
    ann, bob = Heard("ann", topic), Heard("bob", topic)
    bob.turn()
    assert ann.turn() == ["ann", "bob"]
    topic.tell("bob", None)
    assert ann.turn() == ["ann", "bob"]


def test_what_is_said_again_under_this_or_another_name_is_not_believed(topic: Topic) -> None:
    bob = Heard("bob", topic)
    bob.turn()
    (said,) = topic.records
    topic.tell("eve", said[1])  # under another name
    bob.members.close()
    before = Heard("ann", topic)
    assert before.turn() == ["ann"]
    topic.records.append(said)
    assert before.turn() == ["ann"]  # he has said goodbye since
    elsewhere = Topic("shop-query-servers", [said])
    shop = Members(cast(Bulletin, elsewhere), "cyd", Proof(SECRET), lambda: Member("cyd", URL), lambda: None, print)
    shop._turn(0.0)
    assert [one.name for one in shop.up()] == ["cyd"]  # of another application


def test_whoever_repeats_what_this_one_said_does_not_hide_the_silence_of_the_broker(topic: Topic) -> None:
    ann = Heard("ann", topic)
    ann.turn()
    ann.turn()
    heard = ann.members._heard_me
    topic.records.append(topic.records[0])
    ann.members._said = "nothing"  # so that it says nothing now
    ann.members._beaten = time.monotonic() + 100
    ann.members._hear(len(topic.records) - 1, *topic.records[0])
    assert ann.members._heard_me == heard


def test_one_whose_clock_is_far_off_is_told_so_once(topic: Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    ann, bob = Heard("ann", topic), Heard("bob", topic)
    ann.turn()
    now = time.time_ns()
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(time, "time_ns", lambda: now + 2 * CLOCKS_MS * 1_000_000)
        bob.turn()
        bob.members._tell(bob.members._me())
    assert ann.turn() == ["ann"]
    assert ann.said == ["queries: 'bob' is ignored: its clock and the one here differ by more than 5 minutes"]
    Heard("cyd", topic).turn()
    assert ann.turn() == ["ann", "cyd"]
