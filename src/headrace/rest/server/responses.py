"""Responses as bytes: bodies, headers, and errors with their status."""

from __future__ import annotations

import hashlib
import logging
import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from starlette.responses import Response

from headrace.errors import HeadraceError
from headrace.query.position import Position
from headrace.query.requests import Entry, Reply
from headrace.rest.key_value_text import StoreForm, dumps
from headrace.rest.server.protocol import Head

JSON = "application/json"
NDJSON = "application/x-ndjson"
LONGEST_HEADER = 4_000
"""A position of very many partitions is in the body alone."""

LOGGER = logging.getLogger("headrace")

STATUS = {
    "parameter-invalid": 400,
    "parameter-unknown": 400,
    "position-unreadable": 400,
    "cursor-invalid": 400,
    "store-asked-wrongly": 400,
    "login-needed": 401,
    "role-lacking": 403,
    "origin-refused": 403,
    "app-not-served": 404,
    "path-unknown": 404,
    "store-not-asked": 404,
    "key-absent": 404,
    "watcher-unknown": 404,
    "method-refused": 405,
    "position-gone": 410,
    "body-refused": 413,
    "too-many-requests": 429,
    "nobody-answers": 503,
    "position-not-reached": 504,
    "position-ahead": 504,
    "answer-took-too-long": 504,
}
"""By the code of an error; any other is 500, and only the server's log says what it was."""


@lru_cache(maxsize=1024)
def _instances(names: tuple[str, ...]) -> str:
    return dumps(names)


def told(reply: Reply) -> str:
    """Fields that every response has, as the end of a JSON object."""
    stale = "true" if reply.stale else "false"
    where = dumps(reply.position.text)
    return f'"position":{where},"stale":{stale},"instances":{_instances(reply.instances)}}}'


def entry_body(store: StoreForm, entry: Entry, reply: Reply) -> bytes:
    """Body of one entry."""
    return f"{store.entry(entry)[:-1]},{told(reply)}".encode()


def entry_answer(store: StoreForm, reply: Reply, if_none_match: bytes) -> tuple[int, Head, bytes]:
    """Status, headers and body that tell the entry of a reply; no body to whoever has it."""
    entry = reply.entries[0]
    etag = etag_of(entry)
    head = [(b"etag", etag)]
    if len(reply.position.text) <= LONGEST_HEADER:
        head.append((b"headrace-position", reply.position.text.encode()))
    if if_none_match and is_known(etag, if_none_match):
        return 304, head, b""
    body = entry_body(store, entry, reply)
    return 200, [*head, (b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())], body


def is_known(etag: bytes, header: bytes) -> bool:
    """Whether an If-None-Match names this entry."""
    return header.strip() == b"*" or etag in (one.strip() for one in header.split(b","))


def page_body(store: StoreForm, reply: Reply, following: str | None) -> bytes:
    """Many entries."""
    entries = ",".join(map(store.entry, reply.entries))
    return f'{{"entries":[{entries}],"next":{dumps(following)},{told(reply)}'.encode()


def etag_of(entry: Entry) -> bytes:
    """Etag of an entry; weak, for the position in the body may be another one."""
    stamp = hashlib.blake2b(entry.value, digest_size=8, key=entry.ts.to_bytes(8, signed=True))
    return b'W/"' + stamp.hexdigest().encode() + b'"'


def position_header(position: Position) -> dict[str, str]:
    """The position, if a header can hold it."""
    text = position.text
    return {"headrace-position": text} if len(text) <= LONGEST_HEADER else {}


def json_answer(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Any value as JSON."""
    return Response(dumps(value).encode(), status, headers, JSON)


def reply_answer(body: bytes, reply: Reply) -> Response:
    """A body that tells a reply."""
    return Response(body, 200, position_header(reply.position), JSON)


def error_object(error: BaseException) -> dict[str, Any]:
    """An error as clients see it: of ours its words, of any other nothing."""
    if isinstance(error, HeadraceError) and error.code in STATUS:
        return {"error": {"code": error.code, "message": error.what, "to_do": error.fix}}
    return {"error": {"code": "internal", "message": "the server failed", "to_do": "see the log of the server"}}


def status_of(error: BaseException) -> int:
    """The status that an error is answered with."""
    if not isinstance(error, HeadraceError):
        return 500
    return int(getattr(error, "status", None) or STATUS.get(error.code, 500))


def error_answer(error: BaseException) -> Response:
    """An error as an answer. What nobody expected is in the log of the server alone."""
    status = status_of(error)
    if status == 500:
        LOGGER.error("a request failed", exc_info=error)
    headers: dict[str, str] = {}
    position = getattr(error, "position", "")
    if position and len(position) <= LONGEST_HEADER:
        headers["headrace-position"] = position
    retry_s = getattr(error, "retry_s", None)
    if retry_s is not None:
        headers["retry-after"] = str(max(1, math.ceil(retry_s)))
    if status == 401:
        headers["www-authenticate"] = 'Bearer realm="headrace", Basic realm="headrace", charset="UTF-8"'
    if status == 405:
        headers["allow"] = _listed(getattr(error, "allowed", ()))
    if status in (400, 408, 413, 415):
        headers["connection"] = "close"  # a body that nobody wants is not read to its end
    return json_answer(error_object(error), status=status, headers=headers)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
