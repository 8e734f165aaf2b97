"""Handlers of watches, and of the list of those who watch."""

from __future__ import annotations

import time

from starlette.responses import Response
from starlette.websockets import WebSocket

from headrace.errors import ParameterInvalid
from headrace.query.service.ports import Watched
from headrace.rest.server import parameters as p
from headrace.rest.server.responses import json_answer
from headrace.rest.server.routes import ParsedRequest
from headrace.rest.watch.events import SERVER_SENT, EventStream, tell_socket
from headrace.rest.watch.resume_token import Since
from headrace.rest.watch.watcher import Watcher


async def watch(asked: ParsedRequest) -> Response:
    """Server-sent events: all that is there, then each change."""
    last = asked.request.headers.get("last-event-id")
    try:
        since = Since.read(last) if last else asked.get(p.SINCE, Since())
    except ValueError:
        raise ParameterInvalid("Last-Event-ID", last or "", p.SINCE.needed) from None
    return EventStream(_watcher(asked, since), SERVER_SENT)


async def watch_socket(asked: ParsedRequest, socket: WebSocket) -> None:
    """Watch a store over a WebSocket."""
    await tell_socket(socket, _watcher(asked, asked.get(p.SINCE, Since())))


async def watchers(asked: ParsedRequest) -> Response:
    """List the watchers."""
    now = time.time()
    found = [
        {
            "number": one.number,
            "user": one.user.name,
            "store": one.store.name,
            "seconds": round(now - one.began, 1),
            "told": one.told,
        }
        for one in asked.watchers.all()
    ]
    return json_answer({"watchers": found})


async def end_watcher(asked: ParsedRequest) -> Response:
    """End a watch."""
    asked.watchers.find(asked.get(p.WATCHER)).end()
    return Response(status_code=204)


def _watcher(asked: ParsedRequest, since: Since) -> Watcher:
    watched = Watched(
        asked.store.name,
        key=asked.get(p.WATCHED_KEY),
        first=asked.get(p.FIRST),
        last=asked.get(p.LAST),
        prefix=asked.get(p.PREFIX),
        since=since.offsets,
        life=since.life,
    )
    return asked.watchers.begin(asked.store, watched, asked.user)
