"""Paths of a server, each with the handler that answers it."""

from __future__ import annotations

from headrace.rest.client.peers import ASK, WATCH
from headrace.rest.handlers import instances, meta, stores, watches
from headrace.rest.handlers.fast_get import PATH
from headrace.rest.server import parameters as p
from headrace.rest.server.openapi import openapi
from headrace.rest.server.responses import JSON, NDJSON
from headrace.rest.server.routes import OPEN, PEER, TABLES, WINDOWED, Route
from headrace.rest.server.users import Role
from headrace.rest.watch.events import EVENTS

_APP = "/apps/{app}"
_STORE = f"{_APP}/stores/{{store}}"
_PAGING = (p.REVERSE, p.LIMIT, p.CURSOR, p.AS_OF, *p.FRESHNESS)
_ASKED = (503, 504)
_LISTS = (JSON, NDJSON)
_PLAIN = "text/plain"

ROUTES = (
    Route(path="/health", meaning="The server is up.", handle=meta.health, role=OPEN, answer="Health"),
    Route(
        path="/ready",
        meaning="Whether the replicas of this instance have caught up.",
        handle=meta.ready,
        role=OPEN,
        answer="Ready",
        errors=(503,),
    ),
    Route(path="/metrics", meaning="Numbers for Prometheus.", handle=meta.metrics, answer="Text", media=(_PLAIN,)),
    Route(path="/openapi.json", meaning="This document.", handle=openapi, answer="JSON"),
    Route(path="/apps", meaning="The applications that this server answers for.", handle=meta.apps, answer="Apps"),
    Route(path=_APP, meaning="The application.", handle=meta.app, answer="App"),
    Route(path=f"{_APP}/topology", meaning="Its operators.", handle=meta.topology, answer="Topology"),
    Route(
        path=f"{_APP}/topology.svg",
        meaning="Its operators, drawn.",
        handle=meta.topology_picture,
        answer="Text",
        media=(meta.SVG,),
    ),
    Route(
        path=f"{_APP}/history",
        meaning="What it has done over time, as sums of its batches in steps; those without a batch are left out.",
        handle=meta.history,
        query=(p.SPAN,),
        answer="History",
    ),
    Route(
        path=f"{_APP}/instances",
        meaning="All instances, what they hold, and how far they are.",
        handle=meta.instances,
        answer="Instances",
    ),
    Route(path=f"{_APP}/stores", meaning="The stores that can be asked.", handle=meta.stores, answer="Stores"),
    Route(path=_STORE, meaning="The store.", handle=meta.store, answer="Store"),
    Route(
        path=PATH,
        meaning="The entry of a key.",
        handle=stores.one,
        kinds=TABLES,
        query=p.FRESHNESS,
        answer="Entry",
        errors=_ASKED,
    ),
    Route(
        path=f"{_STORE}/keys/{{key}}/holders",
        meaning="The instances that answer for a key, the one that is asked first in front.",
        handle=stores.holders,
        answer="Holders",
        errors=_ASKED,
    ),
    Route(
        path=f"{_STORE}/entries",
        meaning="Entries in the order of their keys: a page, or all of them as lines.",
        handle=stores.entries,
        kinds=TABLES,
        query=(p.FIRST, p.LAST, p.PREFIX, *_PAGING),
        answer="Page",
        media=_LISTS,
        errors=(410, *_ASKED),
    ),
    Route(
        path=f"{_STORE}/count",
        meaning="How many entries there are.",
        handle=stores.count,
        query=p.FRESHNESS,
        answer="Count",
        errors=_ASKED,
    ),
    Route(
        path=f"{_STORE}/windows",
        meaning="Windows or sessions of all keys, in the order of their keys, then of time.",
        handle=stores.windows,
        kinds=WINDOWED,
        query=(p.FROM, p.TO, p.FIRST_KEY, p.LAST_KEY, p.PREFIX, *_PAGING),
        answer="Page",
        media=_LISTS,
        errors=(410, *_ASKED),
    ),
    Route(
        path=f"{_STORE}/windows/{{key}}",
        meaning="Windows or sessions of one key.",
        handle=stores.windows_of,
        kinds=WINDOWED,
        query=(p.FROM, p.TO, *_PAGING),
        answer="Page",
        media=_LISTS,
        errors=(410, *_ASKED),
    ),
    Route(
        path=f"{_STORE}/watch",
        meaning="All entries and then each change, as server-sent events; or over a WebSocket, as JSON objects.",
        handle=watches.watch,
        socket=watches.watch_socket,
        query=(p.WATCHED_KEY, p.FIRST, p.LAST, p.PREFIX, p.SINCE),
        answer="Text",
        media=(EVENTS,),
        errors=_ASKED,
    ),
    Route(
        path=f"{_APP}/watchers",
        meaning="Who watches stores of this instance.",
        handle=watches.watchers,
        role=Role.ADMIN,
        answer="Watchers",
    ),
    Route(
        path=f"{_APP}/watchers/{{watcher}}",
        meaning="End a watch.",
        handle=watches.end_watcher,
        method="DELETE",
        role=Role.ADMIN,
        status=204,
    ),
    Route(
        path=ASK,
        meaning="A question of another instance.",
        handle=instances.ask,
        method="POST",
        role=PEER,
        internal=True,
    ),
    Route(
        path=WATCH,
        meaning="A watch of another instance.",
        handle=instances.watch,
        method="POST",
        role=PEER,
        internal=True,
    ),
)

HEALTH_PATHS = frozenset(route.path for route in ROUTES if route.role == OPEN)
"""Answered also where there are too many connections for anything else."""
