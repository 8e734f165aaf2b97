"""Store of an application, as programs query it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from headrace.model.durations import Duration, duration_ms
from headrace.model.entries import entries_of
from headrace.model.moments import Moment
from headrace.model.rows import SHOWN, Rows
from headrace.model.source_lines import calling_line
from headrace.query.catalogue import StoreKind
from headrace.query.position import Position
from headrace.query.requests import MOST_ENTRIES, Reply, Scan
from headrace.query.service.conversions import LATEST, Asking, Terms
from headrace.query.service.ports import Answering, Member

T = TypeVar("T")


@dataclass(frozen=True)
class Answer(Generic[T]):
    """Answer to a query, and the position of the application that it reflects."""

    value: T
    position: Position
    """Everything up to here is reflected, and perhaps some that comes behind it."""

    stale: bool
    """Whether it may lag by more than usual, which was asked for."""

    instances: tuple[str, ...]
    """Who has answered."""


class Store:
    """A store of an application that runs, here or elsewhere: `app.store("counts").get("be")`.

    Entries come in the order of their keys: natural for text, numbers and truth, by their bytes for others, the windows
    of a key one after the other. All bounds are inside. Where there are more entries than fit one answer, all of them
    are of the same moment. Of a windowed store, bounds and prefixes are those of the keys without their windows.
    """

    def __init__(self, answering: Answering, name: str, terms: Terms | None = None) -> None:
        self._asking = Asking(answering, name, terms or Terms())
        self.name = name

    # -- on other terms

    def at_least(self, position: Position, timeout: Duration = "5s") -> Store:
        """The same store, but answers wait until they reflect this; `PositionNotReached` when the time is over.

        `Position.after(topic, partition, offset)` is that of a record which was written there.
        """
        ms = duration_ms("timeout", timeout, calling_line() or "?")
        return self._on(replace(self._asking.terms, at_least=position, timeout_ms=ms))

    def stale(self) -> Store:
        """The same store, but replicas may answer that are being built, or have lost touch with the broker."""
        return self._on(replace(self._asking.terms, stale=True))

    @property
    def answers(self) -> Answers:
        """The same store, but each value comes with the position that it reflects."""
        return Answers(self._asking)

    # -- tables

    def get(self, key: Any) -> Any:
        """The value of a key, None if there is none. Keys of windowed stores are `Windowed`."""
        return self._asking.get(key)[0]

    def range(
        self,
        first: Any = None,
        last: Any = None,
        *,
        reverse: bool = False,
        limit: int | None = None,
        as_of: Position | None = None,
    ) -> Mapping[Any, Any]:
        """The entries from one key to another; None for no bound."""
        return self.answers.range(first, last, reverse=reverse, limit=limit, as_of=as_of).value

    def prefix(
        self, prefix: str | bytes, *, reverse: bool = False, limit: int | None = None, as_of: Position | None = None
    ) -> Mapping[Any, Any]:
        """The entries whose keys, text or bytes, begin so."""
        return self.answers.prefix(prefix, reverse=reverse, limit=limit, as_of=as_of).value

    def all(
        self, *, reverse: bool = False, limit: int | None = None, as_of: Position | None = None
    ) -> Mapping[Any, Any]:
        """Every entry."""
        return self.answers.all(reverse=reverse, limit=limit, as_of=as_of).value

    def count(self) -> int:
        """How many entries there are, by going through them."""
        return self.answers.count().value

    def pages(
        self,
        first: Any = None,
        last: Any = None,
        *,
        prefix: str | bytes | None = None,
        reverse: bool = False,
        size: int = MOST_ENTRIES,
    ) -> Iterator[Mapping[Any, Any]]:
        """The entries, page by page, all of one moment. That is kept for a minute after each page."""
        for answer in self.answers.pages(first, last, prefix=prefix, reverse=reverse, size=size):
            yield answer.value

    # -- windows and sessions

    def fetch(
        self, key: Any, first: Moment = 0, last: Moment = LATEST, *, reverse: bool = False, limit: int | None = None
    ) -> Mapping[Any, Any]:
        """The windows of one key that begin from one time to another."""
        return self.answers.fetch(key, first, last, reverse=reverse, limit=limit).value

    def fetch_all(
        self, first: Moment = 0, last: Moment = LATEST, *, reverse: bool = False, limit: int | None = None
    ) -> Mapping[Any, Any]:
        """The windows of all keys that begin from one time to another; of sessions, those with a moment in between."""
        return self.answers.fetch_all(first, last, reverse=reverse, limit=limit).value

    def find(
        self, key: Any, first: Moment = 0, last: Moment = LATEST, *, reverse: bool = False, limit: int | None = None
    ) -> Mapping[Any, Any]:
        """The sessions of one key that have a moment from one time to another."""
        return self.answers.find(key, first, last, reverse=reverse, limit=limit).value

    # -- who holds it

    def holders(self, key: Any) -> tuple[Member, ...]:
        """The instances that answer for a key, the one that is asked first in front."""
        return self._asking.answering.holders(self.name, self._asking.key(key))

    def instances(self) -> tuple[Member, ...]:
        """All instances that are up, each with its share of this store and how far that lags."""
        members = self._asking.answering.members()
        return tuple(
            replace(one, shares=tuple(share for share in one.shares if share.store == self.name)) for one in members
        )

    def __repr__(self) -> str:
        return f"<store {self.name!r} of {self._asking.answering.app}>"

    def first(self) -> Rows:
        """The first entries, to look at."""
        return Rows.first(self.all(limit=SHOWN + 1), self.name)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self.first()._repr_html_()

    def _on(self, terms: Terms) -> Store:
        return Store(self._asking.answering, self.name, terms)


class Answers:
    """A store whose methods are those of `Store`, and give an `Answer` each."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking

    def get(self, key: Any) -> Answer[Any]:
        """See `Store.get`."""
        value, reply = self._asking.get(key)
        return _answer(value, reply)

    def range(
        self,
        first: Any = None,
        last: Any = None,
        *,
        reverse: bool = False,
        limit: int | None = None,
        as_of: Position | None = None,
    ) -> Answer[Mapping[Any, Any]]:
        """See `Store.range`."""
        return self._all(self._asking.scan(first=first, last=last, reverse=reverse, as_of=as_of), limit)

    def prefix(
        self, prefix: str | bytes, *, reverse: bool = False, limit: int | None = None, as_of: Position | None = None
    ) -> Answer[Mapping[Any, Any]]:
        """See `Store.prefix`."""
        return self._all(self._asking.scan(prefix=prefix, reverse=reverse, as_of=as_of), limit)

    def all(
        self, *, reverse: bool = False, limit: int | None = None, as_of: Position | None = None
    ) -> Answer[Mapping[Any, Any]]:
        """See `Store.all`."""
        return self._all(self._asking.scan(reverse=reverse, as_of=as_of), limit)

    def count(self) -> Answer[int]:
        """See `Store.count`."""
        reply = self._asking.count()
        return _answer(reply.count, reply)

    def pages(
        self,
        first: Any = None,
        last: Any = None,
        *,
        prefix: str | bytes | None = None,
        reverse: bool = False,
        size: int = MOST_ENTRIES,
    ) -> Iterator[Answer[Mapping[Any, Any]]]:
        """See `Store.pages`."""
        scan = self._asking.scan(first=first, last=last, prefix=prefix, reverse=reverse, limit=size)
        for reply in self._asking.pages(scan, None):
            yield _answer(entries_of(self._asking.entries(reply)), reply)

    def fetch(
        self, key: Any, first: Moment = 0, last: Moment = LATEST, *, reverse: bool = False, limit: int | None = None
    ) -> Answer[Mapping[Any, Any]]:
        """See `Store.fetch`."""
        self._asking.only(StoreKind.WINDOWS, "fetch()")
        return self._all(self._asking.scan(key=key, from_ms=first, to_ms=last, reverse=reverse), limit)

    def fetch_all(
        self, first: Moment = 0, last: Moment = LATEST, *, reverse: bool = False, limit: int | None = None
    ) -> Answer[Mapping[Any, Any]]:
        """See `Store.fetch_all`."""
        return self._all(self._asking.scan(from_ms=first, to_ms=last, reverse=reverse), limit)

    def find(
        self, key: Any, first: Moment = 0, last: Moment = LATEST, *, reverse: bool = False, limit: int | None = None
    ) -> Answer[Mapping[Any, Any]]:
        """See `Store.find`."""
        self._asking.only(StoreKind.SESSIONS, "find()")
        return self._all(self._asking.scan(key=key, from_ms=first, to_ms=last, reverse=reverse), limit)

    def _all(self, scan: Scan, limit: int | None) -> Answer[Mapping[Any, Any]]:
        replies = list(self._asking.pages(scan, limit))
        value = entries_of(entry for reply in replies for entry in self._asking.entries(reply))
        return _answer(value, replies[0])


def _answer(value: T, reply: Reply) -> Answer[T]:
    return Answer(value, reply.position, reply.stale, reply.instances)
