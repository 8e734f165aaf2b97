"""Router: finds the route of a request and checks its parameters."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.websockets import WebSocket

from headrace.errors import MethodRefused, PathUnknown
from headrace.query.catalogue import StoreKind
from headrace.rest.key_value_text import StoreForm
from headrace.rest.server.applications import Applications
from headrace.rest.server.parameters import KEY, WATCHER, Parameter, read_query, text_of
from headrace.rest.server.service import Service
from headrace.rest.server.users import Role, User
from headrace.rest.watch.registry import Watchers

OPEN = "open"
"""Instead of a role: for everybody."""

ENDLESS = "/watch"
"""The end of paths whose answers go on until somebody leaves."""

PEER = "peer"
"""Instead of a role: for other instances."""

TABLES = (StoreKind.TABLE,)
WINDOWED = (StoreKind.WINDOWS, StoreKind.SESSIONS)
ALL_KINDS = (*TABLES, *WINDOWED)

IN_PATHS: Mapping[str, Parameter] = {"key": KEY, "watcher": WATCHER}
"""Parameters inside paths, besides the names of the application and the store."""


@dataclass(frozen=True)
class ParsedRequest:
    """A request that has been understood."""

    applications: Applications
    request: HTTPConnection
    user: User
    given: Mapping[str, Any] = field(default_factory=dict)
    application: Watchers | None = None
    named: StoreForm | None = None

    @property
    def watchers(self) -> Watchers:
        """Watchers of the application that the path names."""
        assert self.application is not None
        return self.application

    @property
    def service(self) -> Service:
        """The application that the path names."""
        return self.watchers.service

    @property
    def readable(self) -> list[Service]:
        """The applications that whoever asks may read."""
        return [one for one in self.applications.services if self.user.may(Role.READ, one.app)]

    @property
    def store(self) -> StoreForm:
        """The store that the path names."""
        assert self.named is not None
        return self.named

    def get(self, parameter: Parameter, otherwise: Any = None) -> Any:
        """Value of a parameter of the request."""
        return self.given.get(parameter.name, otherwise)


Handler = Callable[[ParsedRequest], Awaitable[Response]]
SocketHandler = Callable[[ParsedRequest, WebSocket], Awaitable[None]]


@dataclass(frozen=True, kw_only=True)
class Route:
    """Route: a path and a method, with its handler."""

    path: str
    meaning: str
    handle: Handler
    method: str = "GET"
    role: Role | str = Role.READ
    kinds: tuple[StoreKind, ...] = ALL_KINDS
    """Of the stores it is for."""

    query: tuple[Parameter, ...] = ()
    answer: str = "JSON"
    """The name of the schema of what it answers, see `openapi`."""

    media: tuple[str, ...] = ("application/json",)
    errors: tuple[int, ...] = ()
    """Besides those that every path may answer with."""

    status: int = 200
    socket: SocketHandler | None = None
    """If it can also be asked over a WebSocket."""

    internal: bool = False
    """Left out of the document."""

    @property
    def endless(self) -> bool:
        """Whether its answer goes on until somebody leaves."""
        return self.path.endswith(ENDLESS)

    @property
    def segments(self) -> tuple[str, ...]:
        """Segments of the path."""
        return tuple(self.path.split("/")[1:])

    @property
    def path_parameters(self) -> tuple[Parameter, ...]:
        """Parameters for a segment of the path, without the application and the store."""
        return tuple(parameter for name, parameter in IN_PATHS.items() if f"{{{name}}}" in self.segments)


@dataclass(frozen=True)
class Match:
    """A route, and the segments of a path that stand for its parameters, as they came."""

    route: Route
    raw: Mapping[str, bytes]

    @property
    def app(self) -> str:
        """The application that the path names; empty if it names none."""
        return text_of("app", self.raw["app"]) if "app" in self.raw else ""


class Routes:
    """Finds the route of a request.

    By the path as it came: a slash inside a key is written %2F there, and is no slash of the path.
    """

    def __init__(self, routes: tuple[Route, ...]) -> None:
        self.all = routes

    def find(self, method: str, raw_path: bytes) -> Match:
        """The route for a request; PathUnknown or MethodRefused if there is none."""
        given = raw_path.split(b"/")[1:]
        found = [Match(route, raw) for route in self.all if (raw := _matched(route.segments, given)) is not None]
        if not found:
            raise PathUnknown
        wanted = "GET" if method == "HEAD" else method
        for one in found:
            if one.route.method == wanted:
                return one
        methods = sorted({one.route.method for one in found})
        raise MethodRefused(method, [*methods, "HEAD"] if "GET" in methods else methods)

    def understand(
        self, found: Match, applications: Applications, request: HTTPConnection, user: User
    ) -> ParsedRequest:
        """Read what the request says."""
        route = found.route
        application = applications.find(found.app) if "app" in found.raw else None
        store = None
        if application is not None and "store" in found.raw:
            store = application.service.store(text_of("store", found.raw["store"]))
        given = {one.name: one.of(text_of(one.name, found.raw[one.name]), store) for one in route.path_parameters}
        given |= read_query(request.scope["query_string"], route.query, store)
        return ParsedRequest(applications, request, user, given, application, store)


def _matched(segments: tuple[str, ...], given: list[bytes]) -> dict[str, bytes] | None:
    if len(segments) != len(given):
        return None
    raw: dict[str, bytes] = {}
    for segment, part in zip(segments, given, strict=True):
        if segment.startswith("{"):
            raw[segment[1:-1]] = part
        elif segment.encode() != part:
            return None
    return raw
