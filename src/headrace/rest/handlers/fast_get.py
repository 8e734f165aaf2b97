"""Fast GET: one key of a table answered at once; any other request, errors included, takes the normal route."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headrace.errors import HeadraceError
from headrace.query.requests import Get
from headrace.rest.server.applications import Applications
from headrace.rest.server.authentication import Gate, Headers, has_doubled
from headrace.rest.server.parameters import FRESHNESS, freshness, read_query, text_of
from headrace.rest.server.protocol import Head
from headrace.rest.server.responses import entry_answer
from headrace.rest.server.users import Role

PATH = "/apps/{app}/stores/{store}/keys/{key}"

_SEGMENTS = PATH.split("/")

HEALTH = b"/health"
_UP = b'{"status":"up"}'
_UP_HEAD = [(b"content-type", b"application/json"), (b"content-length", str(len(_UP)).encode())]

_ELSEWHERE = frozenset({b"origin", b"content-length", b"transfer-encoding"})


class Quick:
    """Answers in the event loop what needs no waiting; leaves everything else, and all that is wrong, to others."""

    def __init__(self, applications: Applications, gate: Gate, guards: Head) -> None:
        self._applications, self._gate, self._guards = applications, gate, guards

    def answer(self, scope: Mapping[str, Any]) -> tuple[int, Head, bytes] | None:
        """Status, headers and body; None if this is none of these questions."""
        path: bytes = scope["raw_path"]
        if path == HEALTH:
            return self._health(scope)
        segments = path.split(b"/")
        if scope["method"] != "GET" or len(segments) != len(_SEGMENTS) or segments[5] != b"keys":
            return None
        named = self._applications.table(segments[2], segments[4])
        if named is None or segments[1] != b"apps" or segments[3] != b"stores":
            return None
        service, store = named
        headers = self._plain(scope)
        if headers is None:
            return None
        try:
            user = self._gate.known(headers)
            if user is None or not user.may(Role.READ, service.app):
                return None
            key = store.key.of_text(text_of("key", segments[6]))
            query = scope["query_string"]
            terms = freshness(read_query(query, FRESHNESS, None)) if query else {}
            reply = service.answering.at_once(Get(store=store.name, key=key, **terms))
        except (HeadraceError, ValueError):
            return None
        if reply is None or not reply.entries:
            return None
        status, head, body = entry_answer(store, reply, headers.get(b"if-none-match", b""))
        return status, [*self._guards, *head], body

    def _health(self, scope: Mapping[str, Any]) -> tuple[int, Head, bytes] | None:
        if scope["method"] != "GET" or scope["query_string"] or self._plain(scope) is None:
            return None
        return 200, [*self._guards, *_UP_HEAD], _UP

    def _plain(self, scope: Mapping[str, Any]) -> Headers | None:
        """The headers, if there is nothing about them that others have to look at."""
        headers = dict(scope["headers"])
        if not _ELSEWHERE.isdisjoint(headers) or (
            len(headers) < len(scope["headers"]) and has_doubled(scope["headers"])
        ):
            return None
        try:
            self._gate.check_site(headers)
        except HeadraceError:
            return None
        return headers
