"""Changes on their way to a watcher: as server-sent events, over a WebSocket, or as lines for another instance."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from headrace.rest.key_value_text import dumps
from headrace.rest.server.protocol import ABORT
from headrace.rest.server.responses import NDJSON, error_object
from headrace.rest.watch.change_buffer import TakenChanges
from headrace.rest.watch.resume_token import Since
from headrace.rest.watch.watcher import Anew, Heartbeat, Told, Watcher
from headrace.rest.wire import changes_text

Put = Callable[[bytes], Awaitable[None]]
PutAll = Callable[[Iterable[bytes]], Awaitable[None]]
Waiting = Callable[[], Coroutine[Any, Any, None]]

EVENTS = "text/event-stream"
_LAST_WORDS_S = 2.0


@dataclass(frozen=True)
class Style:
    """Style of events on the wire."""

    media: str
    begin: bytes
    write: Callable[[Watcher, Told], Iterator[bytes]]
    too_slow: bytes
    failed: Callable[[BaseException], bytes]


def _events(watcher: Watcher, told: Told) -> Iterator[bytes]:
    """As server-sent events. The last of those that go together has the id to go on from.

    An empty one takes back what was there before: who has to forget everything must not go on from it.
    """
    if isinstance(told, Anew):
        yield b"event: anew\nid:\ndata: {}\n\n"
    elif isinstance(told, Heartbeat):
        yield b":\n\n"
    else:
        mark = f"id: {Since(told.since, watcher.life or '').text}\n" if told.since else ""
        last = -1 if told.current else len(told.changes) - 1
        for number, text in enumerate(watcher.shown(told)):
            yield f"event: change\n{mark if number == last else ''}data: {text}\n\n".encode()
        if told.current:
            yield f"event: current\n{mark}data: {{}}\n\n".encode()


def _messages(watcher: Watcher, told: Told) -> Iterator[bytes]:
    """As messages of a WebSocket."""
    if isinstance(told, Anew):
        yield b'{"event":"anew","id":""}'
    elif isinstance(told, TakenChanges):
        mark = f'"id":"{Since(told.since, watcher.life or "").text}",' if told.since else ""
        last = -1 if told.current else len(told.changes) - 1
        for number, text in enumerate(watcher.shown(told)):
            yield f'{{"event":"change",{mark if number == last else ""}{text[1:]}'.encode()
        if told.current:
            yield f'{{"event":"current"{"," if mark else ""}{mark[:-1]}}}'.encode()


def _lines(watcher: Watcher, told: Told) -> Iterator[bytes]:
    """Events as lines for another instance."""
    if isinstance(told, Heartbeat):
        yield b"{}\n"
    elif isinstance(told, TakenChanges):
        if told.changes:
            yield f"{changes_text(told.changes)}\n".encode()
        if told.current:
            yield f"{dumps({'since': told.since, 'life': watcher.life, 'whole': sorted(watcher.whole)})}\n".encode()


SERVER_SENT = Style(
    EVENTS,
    b"retry: 1000\n\n",
    _events,
    b"event: too-slow\ndata: {}\n\n",
    lambda error: f"event: error\ndata: {dumps(error_object(error))}\n\n".encode(),
)
SOCKET = Style(
    "",
    b"",
    _messages,
    b'{"event":"too-slow"}',
    lambda error: dumps({"event": "error", **error_object(error)}).encode(),
)
PEERS = Style(NDJSON, b"", _lines, b"", lambda _: b"")


class EventStream(Response):
    """Sends what a watcher is told until either side ends it.

    While its reader does not read, nothing is sent, and what changes waits, see `Pending`; when even that is too much
    the watcher is cut off, in the middle of whatever was being sent.
    """

    def __init__(self, watcher: Watcher, style: Style) -> None:
        super().__init__(media_type=style.media)
        del self.headers["content-length"]
        self.headers["cache-control"] = "no-store"
        self.headers["x-accel-buffering"] = "no"  # a proxy that gathers what it hands on would gather for ever
        self._watcher, self._style = watcher, style

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send."""

        async def put(data: bytes) -> None:
            await send({"type": "http.response.body", "body": data, "more_body": True})

        async def until_gone() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass

        async with self._watcher:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            if scope["method"] != "HEAD":
                await _tell(
                    self._watcher, self._style, _in_pieces(self._watcher, put), until_gone, scope["extensions"][ABORT]
                )
        await send({"type": "http.response.body", "body": b""})


async def tell_socket(socket: WebSocket, watcher: Watcher) -> None:
    """Send a watcher's events over a WebSocket."""

    async def put(data: bytes) -> None:
        if data:
            await socket.send_text(data.decode())

    async def until_gone() -> None:
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass  # nobody listens to what it says

    with suppress(WebSocketDisconnect):
        async with watcher:
            await socket.accept()
            await _tell(watcher, SOCKET, _one_by_one(watcher, put), until_gone, socket.scope["extensions"][ABORT])
        if socket.client_state is WebSocketState.CONNECTED:
            await socket.close()


async def _tell(watcher: Watcher, style: Style, put: PutAll, until_gone: Waiting, abort: Callable[[], None]) -> None:
    async def write() -> None:
        await put([style.begin])
        async for told in watcher.tell():
            await put(style.write(watcher, told))

    writing, leaving = asyncio.create_task(write()), asyncio.create_task(until_gone())
    slow = asyncio.create_task(watcher.pending.too_slow.wait())
    try:
        await asyncio.wait({writing, leaving, slow}, return_when=asyncio.FIRST_COMPLETED)
        if leaving.done():
            return
        if slow.done():
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(writing), _LAST_WORDS_S)
                await asyncio.wait_for(put([style.too_slow]), _LAST_WORDS_S)
                return
            abort()
        elif (error := writing.exception()) is not None:
            await put([style.failed(error)])
    finally:
        for task in (writing, leaving, slow):
            task.cancel()
        await asyncio.gather(writing, leaving, slow, return_exceptions=True)


def _in_pieces(watcher: Watcher, put: Put) -> PutAll:
    """Put many small parts together before they are sent."""

    async def pieces(parts: Iterable[bytes]) -> None:
        async for piece in watcher.pieces(parts):
            with watcher.pending.sending():
                await put(b"".join(piece))

    return pieces


def _one_by_one(watcher: Watcher, put: Put) -> PutAll:
    async def each(parts: Iterable[bytes]) -> None:
        async for piece in watcher.pieces(parts):
            with watcher.pending.sending():
                for part in piece:
                    await put(part)

    return each
