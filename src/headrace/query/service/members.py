"""Members: instances that are up, each of which says so once a second on a topic of the application.

It signs what it says with the secret that all instances share, for others may be allowed to write to the topic. A
record is a signature, a space, and JSON; the signature is of the topic, the name in the key and the JSON. A record that
somebody repeats is not believed: each has a number that grows, and holds for five minutes.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from headrace.log.bulletin import Bulletin
from headrace.query.service.ports import Member, Share
from headrace.query.service.proof import CLOCKS_MS, Proof

_BEAT_S = 1.0
_GONE_S = 3.0
_HEAR_S = 0.1
_ACQUAINTANCE_S = 2.0
_END_S = 5.0
_NUMBERS_S = 2 * CLOCKS_MS / 1000
"""For so long a number is remembered: what is older holds no more, whatever its number."""


@dataclass(slots=True)
class Heard:
    """Last heartbeat of another instance, and when it came, by the clock here."""

    member: Member
    at: float
    refused: bool = False
    """Whether nobody was found at its address since."""


@dataclass(frozen=True)
class Said:
    """Heartbeat of an instance: who it is, or that it has left."""

    member: Member | None
    number: int
    at_ms: int


class Members:
    """Members of an application: all instances that are heard here.

    One is gone when nothing was heard of it for a while in which this one did hear itself: only then the silence is not
    that of the broker.
    """

    def __init__(
        self,
        bulletin: Bulletin,
        name: str,
        proof: Proof,
        me: Callable[[], Member],
        turned: Callable[[], None],
        say: Callable[[str], None],
    ) -> None:
        self._bulletin, self._name, self._proof = bulletin, name, proof
        self._me, self._turned, self._say = me, turned, say
        self._others: dict[str, Heard] = {}
        self._expected: set[str] = set()
        """Those who were up before this one came, if they still are."""

        self._numbers: dict[str, tuple[int, float]] = {}
        """By name the highest number that was heard, and when; of this one the last that it has used."""

        self._heard_number = 0
        """The highest number of this one that was heard: a record that somebody repeats is no sign of life."""

        self._complained: set[str] = set()
        self._beaten, self._said, self._heard_me = 0.0, "", time.monotonic()
        self._up: tuple[str, ...] = ()
        self._ending, self._settled = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="headrace members", daemon=True)

    def start(self) -> None:
        """Begin to tell and to hear."""
        self._thread.start()

    def close(self) -> None:
        """Say that this instance has left."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(_END_S)
        self._tell(None)
        self._bulletin.close()

    @property
    def settled(self) -> bool:
        """Whether everyone who may be up has had the time to say so."""
        return self._settled.is_set()

    def up(self) -> tuple[Member, ...]:
        """Members that are up, this one first."""
        others = [heard.member for heard in list(self._others.values()) if self._is_up(heard)]
        return (self._me(), *sorted(others, key=lambda member: member.name))

    def refused(self, name: str) -> None:
        """Take a member for gone, whose address nobody answers at, unless it is heard again."""
        heard = self._others.get(name)
        if heard is not None:
            heard.refused = True
            self._turned()

    def _is_up(self, heard: Heard) -> bool:
        return not heard.refused and self._heard_me - heard.at < _GONE_S

    # -- in its thread

    def _run(self) -> None:
        began, trouble = time.monotonic(), ""
        while not self._ending.is_set():
            try:
                self._turn(began)
                trouble = ""
            except Exception as exc:
                # It must not end: the others would take this one for gone, and this one would not know of them.
                if str(exc) != trouble:
                    trouble = str(exc)
                    self._say(f"queries: other instances cannot be heard: {trouble}")
                self._ending.wait(_BEAT_S)

    def _turn(self, began: float) -> None:
        self._beat()
        if (self._heard_me > began and not self._expected) or time.monotonic() - began > _ACQUAINTANCE_S:
            self._settled.set()
        if self._settled.is_set():
            names = tuple(member.name for member in self.up())
            if names != self._up and (len(self._up) > 1 or len(names) > 1):
                self._say(f"queries: {len(names)} instance{'' if len(names) == 1 else 's'} up")
            self._up = names
            self._turned()
        for offset, name, text in self._bulletin.hear(_HEAR_S):
            self._hear(offset, name, text)

    def _beat(self) -> None:
        me = self._me()
        ready = str(sorted((share.store, share.partition) for share in me.shares if share.ready))
        if time.monotonic() - self._beaten > _BEAT_S or ready != self._said:
            self._beaten, self._said = time.monotonic(), ready
            self._tell(me)

    def _tell(self, me: Member | None) -> None:
        """Say who this one is, or that it is no more."""
        number = max(self._numbers.get(self._name, (0, 0.0))[0] + 1, time.time_ns())
        self._numbers[self._name] = (number, time.monotonic())
        text = _written(Said(me, number, time.time_ns() // 1_000_000))
        signature = self._proof.sign("member", self._bulletin.topic, self._name, text)
        self._bulletin.tell(self._name, f"{signature} {text}".encode())

    def _hear(self, offset: int, name: str, text: bytes | None) -> None:
        now, old = time.monotonic(), offset < self._bulletin.end
        said = self._believed(name, text, old=old)
        if said is None:
            return
        if name == self._name:
            self._heard_me = self._heard_me if old else now
            return
        if old:
            # Said before this one came: whoever said it may be gone since.
            (self._expected.discard if said.member is None else self._expected.add)(name)
            return
        self._expected.discard(name)
        if said.member is None:
            self._others.pop(name, None)
        else:
            self._others[name] = Heard(said.member, now)

    def _believed(self, name: str, text: bytes | None, *, old: bool) -> Said | None:
        """Read a heartbeat; None if it is none, or a repetition of an earlier one."""
        topic = self._bulletin.topic
        signature, _, body = (text or b"").decode(errors="replace").partition(" ")
        if not self._proof.is_signed(signature, "member", topic, name, body):
            self._complain(
                "unsigned",
                f"{topic} has records that are not signed with the secret of this instance, one of {name[:40]!r};"
                " they are ignored. Give all instances the same secret=, and let nobody else write to the topic",
            )
            return None
        said = _read(name, body)
        if said is None:
            self._complain(name, f"what {name[:40]!r} says cannot be read here: is it of another version?")
            return None
        now, (last, at) = time.monotonic(), self._numbers.get(name, (0, 0.0))
        if name == self._name:  # by the time that it hears itself it has said more
            fresh = said.number > self._heard_number
            self._heard_number = max(said.number, self._heard_number)
            self._numbers[name] = (max(said.number, last), now)
        else:
            fresh = said.number > last or now - at > _NUMBERS_S
            self._numbers[name] = (said.number if fresh else last, now if fresh else at)
        if not fresh or old:
            return said if fresh else None
        if abs(time.time_ns() // 1_000_000 - said.at_ms) > CLOCKS_MS:
            minutes = CLOCKS_MS // 60_000
            self._complain(
                name, f"{name[:40]!r} is ignored: its clock and the one here differ by more than {minutes} minutes"
            )
            return None
        return said

    def _complain(self, about: str, words: str) -> None:
        """Say it, of one thing once: whoever writes to the topic must not fill the console."""
        if about not in self._complained:
            self._complained.add(about)
            self._say(f"queries: {words}")


def _written(said: Said) -> str:
    found: dict[str, object] = {"number": said.number, "at_ms": said.at_ms}
    if said.member is not None:
        shares = [[one.store, one.partition, one.offset, one.end, one.ready] for one in said.member.shares]
        found |= {"url": said.member.url, "shares": shares}
    return json.dumps(found, separators=(",", ":"))


def _read(name: str, text: str) -> Said | None:
    """Read an instance's account of itself; None if nobody here can understand it."""
    try:
        said = json.loads(text)
        number, at_ms = int(said["number"]), int(said["at_ms"])
        if "url" not in said:
            return Said(None, number, at_ms)
        shares = tuple(
            Share(str(store), int(p), int(at), int(end), bool(up)) for store, p, at, end, up in said["shares"]
        )
        return Said(Member(name, str(said["url"]), shares), number, at_ms)
    except (ValueError, TypeError, KeyError):
        return None
