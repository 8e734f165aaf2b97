"""A small client: the stores of an application that runs elsewhere, as if it ran here."""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx

from headrace.errors import ServerNotReached, ServerRefused, StoreNotAsked
from headrace.query.catalogue import Queryable
from headrace.query.service.conversions import Terms
from headrace.query.service.ports import Member
from headrace.query.store import Store
from headrace.rest.client.peers import trusted as trusting
from headrace.rest.client.remote import Remote
from headrace.rest.key_value_text import StoreForm
from headrace.serde import Serde, SessionWindowedSerde, TimeWindowedSerde

_SILENT_S = 40.0
"""A watch is over when nothing was heard for so long; there are heartbeats in between."""

_AGAIN_S = 0.5
_GIVE_UP_S = 60.0


class Connection:
    """An application that runs elsewhere. See `hr.connect`."""

    def __init__(self, remote: Remote) -> None:
        self._remote = remote

    @property
    def app(self) -> str:
        """The id of the application."""
        return self._remote.app

    @property
    def stores(self) -> list[str]:
        """The names of the stores that can be asked."""
        return sorted(self._remote.stores)

    def store(self, name: str, *, key: Serde[Any] | None = None, value: Serde[Any] | None = None) -> RemoteStore:
        """A store, with the methods of `app.store(...)`.

        Keys and values of plain types are read as such, JSON as dicts and lists. To get your own classes, give the
        serdes of the application: `store("plays", value=hr.json(Play))`.
        """
        found = self._remote.stores.get(name)
        if found is None:
            raise StoreNotAsked(name, self.app, self._remote.stores)
        if key is not None or value is not None:
            self._remote.stores[name] = replace(found, key=_around(key, found), value=value or found.value)
        return RemoteStore(self._remote, name)

    def instances(self) -> tuple[Member, ...]:
        """All instances that are up, with what they hold."""
        return self._remote.members()

    def about(self) -> list[dict[str, Any]]:
        """Description of the server and its stores."""
        return list(self._remote.about)

    def close(self) -> None:
        """Give back the connections."""
        self._remote.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@dataclass(frozen=True)
class Change:
    """A key with its new value; None if it is gone."""

    key: Any
    value: Any
    ts: int | None


class RemoteStore(Store):
    """A store of an application that runs elsewhere."""

    def __init__(self, remote: Remote, name: str, terms: Terms | None = None) -> None:
        super().__init__(remote, name, terms)
        self._remote = remote

    def watch(
        self, key: Any = None, *, first: Any = None, last: Any = None, prefix: str | bytes | None = None
    ) -> Watching:
        """All entries, and then each change as it comes: of one key, from one key to another, or with a prefix.

        Whoever puts them into a dict has the store in it. When the connection breaks it is made again, and goes on
        where it was.
        """
        form = StoreForm(self._remote.stores[self.name])
        params: dict[str, str] = {}
        for name, bound in (("key", key), ("from", first), ("to", last), ("prefix", prefix)):
            if bound is not None:
                params[name] = form.key.text(form.key.serde.write(bound))
        return Watching(self._remote, form, params)

    def key_of(self, text: str) -> Any:
        """The key that a text stands for, as it is written in a URL; ValueError if it is none."""
        form = StoreForm(self._remote.stores[self.name])
        return form.key.serde.read(form.key.of_text(text))

    def holders_of_text(self, text: str) -> tuple[Member, ...]:
        """As `holders`, of a key as it is written in a URL; of windowed stores without a window."""
        form = StoreForm(self._remote.stores[self.name])
        return self._remote.holders(self.name, form.placed(form.key.of_text(text)))

    def _on(self, terms: Terms) -> RemoteStore:
        return RemoteStore(self._remote, self.name, terms)


class Watching:
    """Changes of a store, one after the other, for as long as somebody wants them."""

    def __init__(self, remote: Remote, store: StoreForm, params: dict[str, str]) -> None:
        self._remote, self._store, self._params = remote, store, params
        self.current = False
        """Whether everything has been told that was there when the watch began."""

        self._since = ""
        self._told: set[bytes] = set()
        self._before: set[bytes] | None = None
        self._changes = self._all()

    def __iter__(self) -> Watching:
        return self

    def __next__(self) -> Change:
        return next(self._changes)

    def close(self) -> None:
        """No more changes."""
        self._changes.close()

    def _all(self) -> Generator[Change, None, None]:
        """Events of one connection after the other."""
        heard = time.monotonic()
        while not self._remote.closed:
            try:
                for change in self._connected():
                    heard = time.monotonic()
                    yield change
                heard = time.monotonic()
            except ServerRefused as refused:
                if refused.status < 500 and refused.status != 429:
                    raise
                failure: Exception = refused
            except (ServerNotReached, httpx.TransportError) as exc:
                failure = exc
            else:
                failure = ServerNotReached(self._store.name, "the watch was ended")
            if time.monotonic() - heard > _GIVE_UP_S and not self._remote.closed:
                raise failure
            self._remote.turn()
            time.sleep(_AGAIN_S)

    def _connected(self) -> Iterator[Change]:
        params = self._params | ({"since": self._since} if self._since else {})
        path = self._remote.path(self._store, "watch")
        silent_ms = int(_SILENT_S * 1000)
        with self._remote.open(path, params, silent_ms, {"accept": "text/event-stream"}) as answer:
            kind, data, mark = "", "", self._since
            for line in _lines(answer.iter_bytes()):
                name, _, text = line.partition(":")
                text = text.removeprefix(" ")
                if name == "event":
                    kind = text
                elif name == "data":
                    data = text
                elif name == "id":
                    mark = text
                elif not line and data:
                    yield from self._event(kind, json.loads(data))
                    self._since, kind, data = mark, "", ""

    def _event(self, kind: str, data: dict[str, Any]) -> Iterator[Change]:
        if kind == "change" and "unreadable" not in data:
            key = self._store.key_of(data)
            entry = None if data["value"] is None else self._store.entry_of(data)
            (self._told.discard if entry is None else self._told.add)(key)
            value = None if entry is None else self._store.queryable.value.read(entry.value)
            yield Change(self._store.queryable.key.read(key), value, data.get("ts"))
        elif kind == "anew":
            self._before, self._told = self._told | (self._before or set()), set()
        elif kind == "current":
            # What was there before, and was not told anew, has gone meanwhile.
            for key in (self._before or set()) - self._told:
                yield Change(self._store.queryable.key.read(key), None, None)
            self._before, self.current = None, True


def connection(
    urls: Sequence[str],
    app: str | None,
    token: str | None,
    user: tuple[str, str] | None,
    trusted: str | Path | None,
) -> Connection:
    """See `hr.connect`."""
    login: httpx.Auth | None = _Bearer(token) if token else httpx.BasicAuth(*user) if user else None
    return Connection(Remote(urls, login, trusting(trusted), app))


class _Bearer(httpx.Auth):
    """Bearer authentication with a token."""

    def __init__(self, token: str) -> None:
        self._header = f"Bearer {token}"

    def auth_flow(self, request: httpx.Request) -> Iterator[httpx.Request]:  # type: ignore[override]
        request.headers["Authorization"] = self._header
        yield request


def _lines(parts: Iterable[bytes]) -> Iterator[str]:
    """Lines between newlines. Texts may hold other letters that end a line for Python."""
    rest = b""
    for part in parts:
        *whole, rest = (rest + part).split(b"\n")
        yield from (line.decode() for line in whole)


def _around(key: Serde[Any] | None, found: Queryable) -> Serde[Any]:
    """A serde of keys without windows, with those that the store has."""
    if key is None:
        return found.key
    if isinstance(found.key, TimeWindowedSerde):
        return TimeWindowedSerde(key, found.key.size_ms)
    return SessionWindowedSerde(key) if isinstance(found.key, SessionWindowedSerde) else key
