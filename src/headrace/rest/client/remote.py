"""Remote application, queried over HTTP."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import httpx

from headrace.errors import AppNotNamed, KeyAbsent, PositionAhead, ServerNotReached, ServerRefused
from headrace.query.catalogue import Queryable, StoreKind
from headrace.query.position import Position
from headrace.query.requests import MOST_ENTRIES, Count, Get, Question, Reply, Scan
from headrace.query.service.ports import Member, Share
from headrace.rest.key_value_text import StoreForm
from headrace.serde import BYTES, Serde, SessionWindowedSerde, TimeWindowedSerde
from headrace.serde.formats import FORMATS

_CONNECT_S = 3.0
_MORE_S = 5.0
"""Behind the time that an answer may take."""

_PAGES = 200


class Remote:
    """Asks a server, or the next one if that cannot be reached.

    It remembers the highest position that it was told, and asks for answers that reflect no less: whichever server
    answers, time does not go back. Only whoever accepts stale answers may get one from before. If the application
    itself is not there any more, it has begun anew, or reads a topic no more: what was told is forgotten then.
    """

    def __init__(self, urls: Sequence[str], login: httpx.Auth | None, verify: Any, app: str | None = None) -> None:
        self._urls = [url.rstrip("/") for url in urls]
        self._client = httpx.Client(auth=login, verify=verify, trust_env=False, follow_redirects=False)
        self._place, self.closed = 0, False
        self._lock = threading.Lock()
        self._seen = Position()
        self._next: OrderedDict[tuple[str, bytes, str], str] = OrderedDict()
        try:
            self.app = app or self._only_app([str(one) for one in self.get("/apps")["apps"]])
            self.about = self.get(f"/apps/{_segment(self.app)}/stores")["stores"]
            self.stores: dict[str, Queryable] = {one["name"]: _queryable(one) for one in self.about}
        except (KeyError, IndexError, TypeError, ValueError):
            raise self._no_server() from None

    def close(self) -> None:
        """Give back the connections."""
        self.closed = True
        self._client.close()

    # -- as `Answering`

    def at_once(self, question: Get) -> Reply | None:  # noqa: ARG002
        """Answer at once: none, for nothing is held here."""
        return None

    def answer(self, question: Question) -> Reply:
        """The answer of the server."""
        with self._lock:
            seen = Position() if question.stale else self._seen
        try:
            return self._answer(question, seen)
        except ServerRefused as refused:
            if refused.answered != PositionAhead.code or (question.at_least or Position()).covers(seen):
                raise
        reply = self._answer(question, Position())
        if not reply.position.covers(seen):
            with self._lock:
                self._seen = reply.position
        return reply

    def _answer(self, question: Question, seen: Position) -> Reply:
        store = StoreForm(self.stores[question.store])
        if isinstance(question, Get):
            return self._one(store, question, seen)
        if isinstance(question, Count):
            found = self.get(self.path(store, "count"), self._terms(question, seen), question.timeout_ms)
            return self._reply(found, count=int(found["count"]))
        assert isinstance(question, Scan)
        return self._scan(store, question, seen)

    def members(self) -> tuple[Member, ...]:
        """Instances that are up."""
        return tuple(map(_member, self.get(f"/apps/{_segment(self.app)}/instances")["instances"]))

    def holders(self, store: str, key: bytes) -> tuple[Member, ...]:
        """The instances that answer for a key, the one that is asked first in front."""
        form = StoreForm(self.stores[store])
        found = self.get(self.path(form, "keys", form.key.text(form.bare(key)), "holders"))
        return tuple(map(_member, found["holders"]))

    # -- over HTTP

    def get(self, path: str, params: Mapping[str, str] | None = None, timeout_ms: int = 5_000) -> Any:
        """Response of a path, as JSON."""
        with self.open(path, params, timeout_ms) as answer:
            answer.read()
            try:
                return answer.json()
            except ValueError:
                raise self._no_server() from None

    @contextmanager
    def open(
        self,
        path: str,
        params: Mapping[str, str] | None = None,
        timeout_ms: int = 5_000,
        headers: Mapping[str, str] | None = None,
    ) -> Iterator[httpx.Response]:
        """An answer to be read, from the server that answered last, or the next that is there."""
        timeout = httpx.Timeout(timeout_ms / 1000 + _MORE_S, connect=_CONNECT_S)
        failed: httpx.HTTPError | None = None
        for number in range(len(self._urls)):
            place = (self._place + number) % len(self._urls)
            url = self._urls[place]
            try:
                request = self._client.build_request("GET", url + path, params=params, headers=headers, timeout=timeout)
                answer = self._client.send(request, stream=True)
            except httpx.TransportError as exc:
                failed = exc
                continue
            self._place = place
            try:
                if answer.is_redirect:
                    raise self._no_server()
                if answer.status_code >= 400:
                    answer.read()
                    raise _refusal(answer)
                yield answer
            except httpx.TransportError as exc:
                raise ServerNotReached(url, str(exc) or type(exc).__name__) from exc
            finally:
                answer.close()
            return
        raise ServerNotReached(", ".join(self._urls), str(failed) or type(failed).__name__) from failed

    def turn(self) -> None:
        """Begin with another server the next time."""
        self._place = (self._place + 1) % len(self._urls)

    def _only_app(self, names: list[str]) -> str:
        if len(names) > 1:
            raise AppNotNamed(self._urls[self._place], names)
        return names[0]

    def _no_server(self) -> ServerNotReached:
        return ServerNotReached(self._urls[self._place], "it is no query server")

    def _one(self, store: StoreForm, question: Get, seen: Position) -> Reply:
        key = store.bare(question.key)
        if store.kind is not StoreKind.TABLE:
            start = str(self.stores[store.name].key.read(question.key).start)
            params = {"from": start, "to": start, **self._terms(question, seen)}
            found = self.get(self.path(store, "windows", store.key.text(key)), params, question.timeout_ms)
            entries = [one for one in map(store.entry_of, found["entries"]) if one.key == question.key]
            return self._reply(found, entries=entries)
        try:
            path = self.path(store, "keys", store.key.text(key))
            found = self.get(path, self._terms(question, seen), question.timeout_ms)
        except ServerRefused as refused:
            if refused.answered != KeyAbsent.code:
                raise
            return self._reply({"position": refused.position or "", "stale": question.stale, "instances": []})
        return self._reply(found, entries=[store.entry_of(found)])

    def _scan(self, store: StoreForm, scan: Scan, seen: Position) -> Reply:
        params = {"limit": str(min(scan.limit, MOST_ENTRIES)), **self._terms(scan, seen)}
        if scan.reverse:
            params["reverse"] = "true"
        windowed = store.kind is not StoreKind.TABLE
        bounds = {"from_key" if windowed else "from": scan.first, "to_key" if windowed else "to": scan.last}
        params |= {name: store.key.text(bound) for name, bound in bounds.items() if bound is not None}
        if scan.prefix is not None:
            params["prefix"] = store.key.text(scan.prefix)
        times = {"from": scan.from_ms, "to": scan.to_ms}
        params |= {name: str(moment) for name, moment in times.items() if moment is not None}
        if scan.after is not None and scan.as_of is not None:
            params["cursor"] = self._next[store.name, scan.after, scan.as_of.text]
        elif scan.as_of is not None:
            params["as_of"] = scan.as_of.text
        parts = ["entries"] if not windowed else ["windows", store.key.text(scan.key)] if scan.key else ["windows"]
        found = self.get(self.path(store, *parts), params, scan.timeout_ms)
        reply = self._reply(found, entries=list(map(store.entry_of, found["entries"])), more=found["next"] is not None)
        if reply.more:
            self._next[store.name, reply.entries[-1].key, reply.position.text] = found["next"]
            while len(self._next) > _PAGES:
                self._next.popitem(last=False)
        return reply

    def path(self, store: StoreForm, *parts: str) -> str:
        """The path to a part of a store."""
        return "/".join(["/apps", *map(_segment, (self.app, "stores", store.name, *parts))])

    def _terms(self, question: Question, seen: Position) -> dict[str, str]:
        """Position that answers must reflect: the one asked for, and the ones seen before."""
        params = {"timeout": f"{question.timeout_ms}ms"}
        if question.stale:
            params["stale"] = "true"
        wanted = seen.joined(question.at_least) if question.at_least is not None else seen
        if wanted.offsets:
            params["at_least"] = wanted.text
        return params

    def _reply(self, found: Mapping[str, Any], **more: Any) -> Reply:
        position = Position.read(found["position"])
        with self._lock:
            self._seen = self._seen.joined(position)
        return Reply(position=position, stale=bool(found["stale"]), instances=tuple(found["instances"]), **more)


def _segment(text: str) -> str:
    """A part of a path. Dots alone would lead elsewhere."""
    return text.replace(".", "%2E") if text in (".", "..") else quote(text, safe="")


def _queryable(found: Mapping[str, Any]) -> Queryable:
    """A store as the server tells it; its keys and values are read as plain ones, JSON without a class."""
    inner: Serde[Any] = FORMATS.get(found["key"], BYTES)
    kind = StoreKind(found["kind"])
    key = inner
    if kind is StoreKind.WINDOWS:
        key = TimeWindowedSerde(inner, found["window_ms"])
    elif kind is StoreKind.SESSIONS:
        key = SessionWindowedSerde(inner)
    value = FORMATS.get(found["value"], BYTES)
    return Queryable(found["name"], found["changelog"], key, value, found["retention_ms"])


def _member(found: Mapping[str, Any]) -> Member:
    shares = tuple(
        Share(one["store"], one["partition"], one["offset"], one["end"], one["ready"]) for one in found["shares"]
    )
    return Member(found["name"], found["url"], shares)


def _refusal(answer: httpx.Response) -> ServerRefused:
    retry = answer.headers.get("retry-after")
    position = answer.headers.get("headrace-position")
    retry_s = float(retry) if retry and retry.isdigit() else None
    try:
        said = answer.json()["error"]
        return ServerRefused(said["code"], said["message"], said["to_do"], answer.status_code, retry_s, position)
    except (ValueError, KeyError, TypeError):
        return ServerRefused(
            "unknown", f"the server answered with status {answer.status_code}", None, answer.status_code
        )
