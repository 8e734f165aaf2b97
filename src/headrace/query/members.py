"""Who is up: every instance says once a second that it is, and what it holds, on a topic of the application."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from headrace.log.bulletin import Bulletin
from headrace.query.answering import Member, Share

_BEAT_S = 1.0
_GONE_S = 3.0
_HEAR_S = 0.1
_ACQUAINTANCE_S = 2.0
_END_S = 5.0


@dataclass(slots=True)
class Heard:
    """What was heard last of another one, and when, by the clock here."""

    member: Member
    at: float
    refused: bool = False
    """Whether nobody was found at its address since."""


class Members:
    """All instances of an application, as they are heard here.

    One is gone when nothing was heard of it for a while in which this one did hear itself: only then the silence is not
    that of the broker.
    """

    def __init__(
        self,
        bulletin: Bulletin,
        name: str,
        me: Callable[[], Member],
        turned: Callable[[], None],
        say: Callable[[str], None],
    ) -> None:
        self._bulletin, self._name, self._me, self._turned, self._say = bulletin, name, me, turned, say
        self._others: dict[str, Heard] = {}
        self._expected: set[str] = set()
        """Those who were up before this one came, if they still are."""

        self._beaten, self._said, self._heard_me = 0.0, "", time.monotonic()
        self._up: tuple[str, ...] = ()
        self._ending, self._settled = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="headrace members", daemon=True)

    def start(self) -> None:
        """Begin to tell and to hear."""
        self._thread.start()

    def close(self) -> None:
        """Say that this one is no more."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(_END_S)
        self._bulletin.tell(self._name, None)
        self._bulletin.close()

    @property
    def settled(self) -> bool:
        """Whether everyone who may be up has had the time to say so."""
        return self._settled.is_set()

    def up(self) -> tuple[Member, ...]:
        """All that are up, this one first."""
        others = [heard.member for heard in list(self._others.values()) if self._is_up(heard)]
        return (self._me(), *sorted(others, key=lambda member: member.name))

    def refused(self, name: str) -> None:
        """Nobody was found at its address: it is gone, unless it is heard again."""
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
            self._bulletin.tell(self._name, _written(me))

    def _hear(self, offset: int, name: str, text: bytes | None) -> None:
        now, old = time.monotonic(), offset < self._bulletin.end
        if name == self._name:
            self._heard_me = self._heard_me if old else now
            return
        member = None if text is None else _read(text)
        if old:
            # Said before this one came: whoever said it may be gone since.
            (self._expected.discard if member is None else self._expected.add)(name)
            return
        self._expected.discard(name)
        if member is None:
            self._others.pop(name, None)
        else:
            self._others[name] = Heard(member, now)


def _written(member: Member) -> bytes:
    shares = [[one.store, one.partition, one.offset, one.end, one.ready] for one in member.shares]
    return json.dumps({"name": member.name, "url": member.url, "shares": shares}, separators=(",", ":")).encode()


def _read(text: bytes) -> Member | None:
    """What an instance says of itself; None if nobody here can understand it."""
    try:
        said = json.loads(text)
        shares = tuple(
            Share(str(store), int(p), int(at), int(end), bool(up)) for store, p, at, end, up in said["shares"]
        )
        return Member(str(said["name"]), str(said["url"]), shares)
    except (ValueError, TypeError, KeyError):
        return None
