"""ASGI application of a server: every request is authenticated, routed and answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any

from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketState

from headrace.errors import BodyRefused, OriginRefused, PathUnknown, TooManyRequests
from headrace.rest.handlers.fast_get import HEALTH, PATH, Quick
from headrace.rest.handlers.static_files import SiteFiles
from headrace.rest.server.applications import Applications
from headrace.rest.server.authentication import Gate, Headers, has_doubled
from headrace.rest.server.paths import HEALTH_PATHS, ROUTES
from headrace.rest.server.protocol import FULL, Head
from headrace.rest.server.responses import LOGGER, error_answer
from headrace.rest.server.routes import ENDLESS, OPEN, PEER, Match, Routes
from headrace.rest.server.settings import Serve
from headrace.rest.server.turns import Turns
from headrace.rest.server.users import Role, User
from headrace.rest.watch.registry import Watchers

_SMALLEST_ZIPPED = 1_000
_ZIPPED = 4
_GUARDS: Head = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"private, no-cache"),
]
_NOTHING = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
_OWN = (
    b"content-security-policy",
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
    b" connect-src 'self'; manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
)
_DRAWN = (b"content-security-policy", b"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
_ALLOWED_HEADERS = b"authorization, if-none-match, last-event-id, accept"
_SHOWN_HEADERS = b"etag, headrace-position, retry-after"


class Web:
    """ASGI application: everything between the HTTP protocol and the handlers."""

    def __init__(self, applications: Applications, turns: Turns, gate: Gate, settings: Serve) -> None:
        self._applications, self._turns, self._gate, self._limits = applications, turns, gate, settings.limits
        self._loop: asyncio.AbstractEventLoop | None = None
        self._routes = Routes(ROUTES)
        self._quick = Quick(applications, gate, [*_GUARDS, _NOTHING])
        self._files = SiteFiles(settings.pages)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        began = time.perf_counter()
        if scope["type"] == "http":
            route, status = await self._http(scope, receive, send)
            endless = route.endswith(ENDLESS) and status == 200
            counts = self._applications.counts(scope["raw_path"])
            counts.request(route, status, None if endless else time.perf_counter() - began)
        elif scope["type"] == "websocket":
            await self._socket(WebSocket(scope, receive, send))
        else:
            await self._live(receive, send)

    def at_once(self, scope: Mapping[str, Any]) -> tuple[int, Head, bytes] | None:
        """The answer to a request that needs no waiting, and none of what is around the others."""
        began = time.perf_counter()
        try:
            answer = self._quick.answer(scope)
        except Exception:
            return None  # it is met again on the long way, which says so
        if answer is not None:
            route = HEALTH.decode() if scope["raw_path"] == HEALTH else PATH
            self._applications.counts(scope["raw_path"]).request(route, answer[0], time.perf_counter() - began)
        return answer

    def end_watchers(self) -> None:
        """End all watches, from any thread, so that the server can end."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end_watchers)

    def _end_watchers(self) -> None:
        for watchers in self._applications:
            watchers.end()

    def leave(self, watchers: Watchers) -> None:
        """From any thread: end those of an application that is not answered for any more."""
        if self._loop is not None and not self._loop.is_closed():
            asyncio.run_coroutine_threadsafe(self._leave(watchers), self._loop)

    async def _leave(self, watchers: Watchers) -> None:
        watchers.end()
        await watchers.peers.close()

    async def _live(self, receive: Receive, send: Send) -> None:
        """The server begins, and ends."""
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                self._loop = asyncio.get_running_loop()
                await send({"type": "lifespan.startup.complete"})
            else:
                for watchers in self._applications:
                    await watchers.peers.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _socket(self, socket: WebSocket) -> None:
        headers = dict(socket.scope["headers"])
        try:
            self._check_head(socket.scope, headers)
            found = self._routes.find("GET", socket.scope["raw_path"])
            if found.route.socket is None:
                raise PathUnknown
            await self._turns.join()
            user = await self._user(found.route.role, found.app, socket.scope, headers)
            asked = self._routes.understand(found, self._applications, socket, user)
            await found.route.socket(asked, socket)
        except Exception as error:
            if socket.application_state is WebSocketState.CONNECTING:
                await socket.receive()
                await socket.send_denial_response(error_answer(error))
            else:
                LOGGER.error("a watch failed", exc_info=error)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> tuple[str, int]:
        headers, route, status = dict(scope["headers"]), "other", 0
        guards, policy = list(_GUARDS), _DRAWN if scope["path"].endswith(".svg") else _NOTHING
        try:
            self._check_head(scope, headers)
            guards += self._for_page(headers)
            if FULL in scope["extensions"] and scope["path"] not in HEALTH_PATHS:
                raise TooManyRequests("connections")
            if scope["method"] == "OPTIONS" and b"access-control-request-method" in headers:
                response: Response = Response(status_code=204)
            elif (found := self._found(scope)) is None:
                await self._user(Role.READ, "", scope, headers)
                response = await self._files.answer(scope["path"], scope)
                policy = _OWN
            else:
                route = found.route.path
                response = await self._answer(found, scope, receive, headers)
        except Exception as error:
            response = error_answer(error)

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], *guards, policy]
            await send(message)

        zipped = GZipMiddleware(response, minimum_size=_SMALLEST_ZIPPED, compresslevel=_ZIPPED)
        await zipped(scope, receive, guarded)
        return route, status

    def _found(self, scope: Scope) -> Match | None:
        """The route; None if it may be a file."""
        try:
            return self._routes.find(scope["method"], scope["raw_path"])
        except PathUnknown:
            if scope["method"] not in ("GET", "HEAD"):
                raise
            return None

    async def _answer(self, found: Match, scope: Scope, receive: Receive, headers: Headers) -> Response:
        if found.route.endless:
            await self._turns.join()
        user = await self._user(found.route.role, found.app, scope, headers)
        asked = self._routes.understand(found, self._applications, Request(scope, receive), user)
        if found.route.role != PEER:
            return await found.route.handle(asked)
        try:
            response = await found.route.handle(asked)
        except Exception as error:
            response = error_answer(error)
        self._gate.sign_answer(headers, response, endless=found.route.endless and response.status_code == 200)
        return response

    async def _user(self, role: Role | str, app: str, scope: Scope, headers: Headers) -> User:
        if role == OPEN:
            return User("anybody", Role.READ, None, "")
        if role == PEER:
            return self._gate.peer(headers, scope["path"])
        assert isinstance(role, Role)
        user = await self._gate.user(headers, (scope.get("client") or ("?",))[0])
        names = self._applications.names
        self._gate.allow(user, role, [app] if app in names else names)
        return user

    def _check_head(self, scope: Scope, headers: Headers) -> None:
        """Check the head of a request, before anything else is read."""
        if has_doubled(scope["headers"]):
            raise OriginRefused("doubled header")
        self._gate.check_site(headers)
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self._limits.body_bytes:
            raise BodyRefused("is too large", f"send no more than {self._limits.body_bytes} bytes")

    def _for_page(self, headers: Headers) -> Head:
        """CORS headers that let a page of an allowed site read the response."""
        origin = headers.get(b"origin")
        if origin is None or not self._gate.is_named(origin):
            return [(b"vary", b"origin")]
        return [
            (b"vary", b"origin"),
            (b"access-control-allow-origin", origin),
            (b"access-control-allow-headers", _ALLOWED_HEADERS),
            (b"access-control-allow-methods", b"GET, HEAD, DELETE"),
            (b"access-control-expose-headers", _SHOWN_HEADERS),
            (b"access-control-max-age", b"600"),
        ]
