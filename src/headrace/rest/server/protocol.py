"""HTTP protocol of uvicorn, with limits on clients that send slowly, endlessly or too much."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

from headrace.rest.server.descriptors import HEALTH_CONNECTIONS
from headrace.rest.server.settings import Limits

Head = list[tuple[bytes, bytes]]
AtOnce = Callable[[Mapping[str, Any]], tuple[int, Head, bytes] | None]
"""Status, headers and body for a request that needs neither waiting nor a body; None if others are to answer it."""

ABORT = "headrace.abort"
"""In the extensions of a request: ends its connection at once, whatever is still to be sent."""

FULL = "headrace.full"
"""In the extensions of a request on a connection beyond the limit: only /health and /ready are answered on it."""


class Socket(WebSocketsSansIOProtocol):
    """A WebSocket that can be ended at once."""

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if hasattr(self, "scope"):
            self.scope["extensions"][ABORT] = self.transport.abort  # type: ignore[assignment]


_END = b"\r\n\r\n"
"""Of the head of a request."""

_FULL_HEADER_S = 2.0
"""How long a head may take on a connection beyond the limit."""


def guarded(limits: Limits, at_once: AtOnce) -> type[asyncio.Protocol]:
    """The protocol with these limits."""

    class Guarded(HttpToolsProtocol):
        """A connection. The head of a request has to come in time, and be no larger than it may."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self._in_head, self._head_bytes, self._tail = True, 0, b""
            self._deadline: asyncio.TimerHandle | None = None
            self._full = False

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(self.connections) > limits.connections + HEALTH_CONNECTIONS:
                transport.abort()
                return
            self._full = len(self.connections) > limits.connections
            header_s = min(limits.header_s, _FULL_HEADER_S) if self._full else limits.header_s
            self._deadline = self.loop.call_later(header_s, transport.abort)

        def connection_lost(self, exc: Exception | None) -> None:
            self._in_time()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            if self._in_head and not self._head_bytes:
                data = data.lstrip(b"\r\n")  # blank lines are no request, and keep no connection open
                if not data:
                    return
            if self._in_head:
                end = (self._tail + data).find(_END)
                self._head_bytes += len(data) if end < 0 else end
                self._tail = data[-len(_END) :]
                if self._head_bytes > limits.header_bytes:
                    self._refuse()
                    return
            super().data_received(data)
            if self._in_head and self._head_bytes and self._deadline is None and not self.transport.is_closing():
                self._deadline = self.loop.call_later(limits.header_s, self.transport.abort)

        def on_message_begin(self) -> None:
            super().on_message_begin()
            self.scope["extensions"] = {ABORT: self.transport.abort, **({FULL: {}} if self._full else {})}  # type: ignore[dict-item]

        def on_headers_complete(self) -> None:
            self._in_head, self._head_bytes, self._tail = False, 0, b""
            self._in_time()
            super().on_headers_complete()

        def on_message_complete(self) -> None:
            self._in_head = True
            super().on_message_complete()

        def handle_websocket_upgrade(self) -> None:
            if self._full:
                self.transport.abort()
            else:
                super().handle_websocket_upgrade()

        def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
            """Answer at once what can be, in one write; no task is made for it."""
            cycle.keep_alive = cycle.keep_alive and not self._full
            plain = cycle.keep_alive and not self.pipeline and not self.flow.write_paused
            answer = at_once(cycle.scope) if plain else None
            if answer is None:
                super()._start_asgi_task(cycle, app)
                return
            status, head, body = answer
            lines = [b"%b: %b\r\n" % pair for pair in (*self.server_state.default_headers, *head)]
            self.transport.write(b"".join((STATUS_LINE[status], *lines, b"\r\n", body)))
            cycle.response_started = cycle.response_complete = True
            self.on_response_complete()

        def _in_time(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

        def _refuse(self) -> None:
            self._in_time()
            self.transport.write(b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n\r\n")
            self.transport.close()

    return Guarded
