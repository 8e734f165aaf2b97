"""Handlers of requests between instances."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from headrace.errors import BodyRefused, PositionUnreadable
from headrace.rest.server.responses import JSON
from headrace.rest.server.routes import ParsedRequest
from headrace.rest.signatures import Signed, digest_of
from headrace.rest.watch.events import PEERS, EventStream
from headrace.rest.wire import question_of, reply_text, watched_of


async def ask(asked: ParsedRequest) -> Response:
    """A question for partitions that are held here."""
    service = asked.service
    try:
        question, partitions = question_of(await body_of(asked))
    except (ValueError, PositionUnreadable) as exc:
        raise BodyRefused(f"cannot be read: {exc}", "send a question as instances do", status=400) from None
    service.store(question.store)
    reply = await service.help(question, partitions)
    return Response(reply_text(reply).encode(), media_type=JSON)


async def watch(asked: ParsedRequest) -> Response:
    """A watch of partitions that are held here."""
    try:
        watched, partitions = watched_of(await body_of(asked))
    except ValueError as exc:
        raise BodyRefused(f"cannot be read: {exc}", "send a watch as instances do", status=400) from None
    watcher = asked.watchers.begin(asked.service.store(watched.store), watched, asked.user, partitions)
    return EventStream(watcher, PEERS)


async def body_of(asked: ParsedRequest) -> bytes:
    """The body of a request, if it is JSON, no larger than it may be, and comes in time."""
    limits, request = asked.service.limits, asked.request
    assert isinstance(request, Request)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != JSON:
        raise BodyRefused("is not JSON", f"send it with Content-Type: {JSON}", status=415)
    parts, size = [], 0
    try:
        async with asyncio.timeout(limits.header_s):
            async for part in request.stream():
                parts.append(part)
                size += len(part)
                if size > limits.body_bytes:
                    raise BodyRefused("is too large", f"send no more than {limits.body_bytes} bytes")
    except TimeoutError:
        raise BodyRefused("does not come to its end", "send it faster", status=408) from None
    body, signed = b"".join(parts), Signed.read(dict(request.scope["headers"]))
    if signed is None or signed.digest != digest_of(body):
        raise BodyRefused("is not the one that was signed", "sign what you send", status=400)
    return body
