"""The OpenAPI document of a server: of its own applications and stores, with the types of their keys and values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from itertools import product
from typing import Any

from starlette.responses import Response

from headrace.observe.history import HistoryStep
from headrace.query.catalogue import StoreKind
from headrace.rest.key_value_text import StoreForm
from headrace.rest.server.parameters import Parameter
from headrace.rest.server.responses import JSON, json_answer
from headrace.rest.server.routes import OPEN, ParsedRequest, Route
from headrace.rest.server.schemas import Schema, whole
from headrace.rest.server.service import Service
from headrace.rest.server.users import Role

_WORDS = {
    200: "OK.",
    204: "Done.",
    304: "It is still what If-None-Match names.",
    400: "The request says something that cannot be.",
    401: "Nobody knows who asks.",
    403: "Who asks may not do that, or a page of another site asks.",
    404: "There is no such thing.",
    405: "The path does not take this method.",
    410: "The position is not kept any more: begin with the first page again.",
    413: "The body is too large.",
    429: "Too many at once; Retry-After says when to ask again.",
    503: "Nobody answers yet; Retry-After says when to ask again.",
    504: "The application has not come as far as the answer has to reflect.",
}
_EVERYWHERE = (400, 403, 405, 413, 429)
_TEXT: Schema = {"type": "string"}
_TRUTH: Schema = {"type": "boolean"}


async def openapi(asked: ParsedRequest) -> Response:
    """The document."""
    from headrace.rest.server.paths import ROUTES  # this is one of them

    return json_answer(document(asked.readable, ROUTES, secured=asked.applications.secured))


def document(services: Sequence[Service], routes: tuple[Route, ...], *, secured: bool) -> dict[str, Any]:
    """OpenAPI document of all routes, those of stores once for each store that they are for."""
    from headrace import __version__

    names, paths = ", ".join(one.app for one in services), dict[str, dict[str, Any]]()
    for route, service in product((one for one in routes if not one.internal), services):
        for store in _stores(route, service):
            path = route.path.replace("{app}", service.app).replace("{store}", store.name if store else "")
            paths.setdefault(path, {})[route.method.lower()] = _operation(route, store, secured)
    found: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": names,
            "version": __version__,
            "description": f"The stores of {names}, as they are now.",
        },
        "paths": paths,
        "components": {"schemas": {"Error": _object(error=_object(code=_TEXT, message=_TEXT, to_do=_maybe(_TEXT)))}},
    }
    if secured:
        schemes = {"token": {"type": "http", "scheme": "bearer"}, "password": {"type": "http", "scheme": "basic"}}
        found["components"]["securitySchemes"] = schemes
    return found


def _stores(route: Route, service: Service) -> list[StoreForm] | list[None]:
    return [one for one in service.stores.values() if one.kind in route.kinds] if "{store}" in route.path else [None]


def _operation(route: Route, store: StoreForm | None, secured: bool) -> dict[str, Any]:
    path = [_parameter(one, store, "path") for one in route.path_parameters]
    query = [_parameter(one, store, "query") for one in route.query if one.is_for(store)]
    needs_login = secured and route.role != OPEN
    errors = {*_EVERYWHERE, *route.errors, *((404,) if "{" in route.path else ()), *((401,) if needs_login else ())}
    answers: dict[str, Any] = {str(route.status): _answer(route, store)}
    if route.answer == "Entry":
        answers["304"] = {"description": _WORDS[304]}
    for status in sorted(errors):
        schema = _READY if status == 503 and route.answer == "Ready" else {"$ref": "#/components/schemas/Error"}
        answers[str(status)] = {"description": _WORDS[status], "content": {JSON: {"schema": schema}}}
    found: dict[str, Any] = {"summary": route.meaning, "responses": answers}
    if path or query:
        found["parameters"] = path + query
    if needs_login:
        found["security"] = [{"token": []}, {"password": []}]
        if route.role is Role.ADMIN:
            found["description"] = "For those with the role admin."
    return found


def _parameter(one: Parameter, store: StoreForm | None, place: str) -> dict[str, Any]:
    found: dict[str, Any] = {"name": one.name, "in": place, "description": one.meaning}
    if place == "path":
        found["required"] = True
    if one.as_json(store):
        return found | {"content": {JSON: {"schema": one.schema(store)}}}
    return found | {"schema": one.schema(store)}


def _answer(route: Route, store: StoreForm | None) -> dict[str, Any]:
    found: dict[str, Any] = {"description": _WORDS.get(route.status, "OK.")}
    if route.status == 204:
        return found
    content = {media: {"schema": SCHEMAS[route.answer](store) if media == JSON else _TEXT} for media in route.media}
    return found | {"content": content}


def _object(**properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _maybe(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _list(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


_TOLD = {"position": _TEXT, "stale": _TRUTH, "instances": _list(_TEXT)}
_WINDOW = _object(start=whole(64, 0), end=whole(64, 0))
_OFFSET = whole(64, 0)
_SHARE = _object(store=_TEXT, partition=whole(32, 0), offset=_OFFSET, end=_OFFSET, lag=_OFFSET, ready=_TRUTH)
_READY = _object(ready=_TRUTH, progress={"type": "number", "minimum": 0, "maximum": 1})
_MEMBER = _object(name=_TEXT, url=_TEXT, shares=_list(_SHARE))
_STORE = _object(
    name=_TEXT,
    kind={"enum": [kind.value for kind in StoreKind]},
    key=_TEXT,
    value=_TEXT,
    window_ms=_maybe(whole(64, 0)),
    retention_ms=_maybe(whole(64, 0)),
    changelog=_TEXT,
)
_WATCHER = _object(number=whole(64, 1), user=_TEXT, store=_TEXT, seconds={"type": "number"}, told=whole(64, 0))
_NODE = _object(name=_TEXT, op=_TEXT, detail=_TEXT, inputs=_list(_TEXT), stores=_list(_TEXT))
_TOPOLOGY = _object(app=_TEXT, subtopologies=_list(_object(number=whole(32, 0), nodes=_list(_NODE))))
_HISTORY = _object(
    step_ms=whole(64, 1),
    now=whole(64, 0),
    since=_maybe(whole(64, 0)),
    steps=_list(_object(**{one.name: whole(64, 0) for one in fields(HistoryStep)})),
)


def _entry(store: StoreForm | None) -> dict[str, Schema]:
    assert store is not None
    window = {} if store.kind is StoreKind.TABLE else {"window": _WINDOW}
    return {"key": store.key.schema, **window, "value": store.value.schema, "ts": whole(64)}


SCHEMAS: dict[str, Any] = {
    "Health": lambda _: _object(status={"enum": ["up"]}),
    "Ready": lambda _: _READY,
    "Apps": lambda _: _object(apps=_list(_TEXT)),
    "App": lambda _: _object(app=_TEXT, instance=_TEXT, stores=_list(_TEXT)),
    "Topology": lambda _: _TOPOLOGY,
    "History": lambda _: _HISTORY,
    "Instances": lambda _: _object(instances=_list(_MEMBER)),
    "Holders": lambda _: _object(holders=_list(_MEMBER)),
    "Stores": lambda _: _object(stores=_list(_STORE)),
    "Store": lambda _: _STORE,
    "Entry": lambda store: _object(**_entry(store), **_TOLD),
    "Page": lambda store: _object(entries=_list(_object(**_entry(store))), next=_maybe(_TEXT), **_TOLD),
    "Count": lambda _: _object(count=whole(64, 0), **_TOLD),
    "Watchers": lambda _: _object(watchers=_list(_WATCHER)),
    "JSON": lambda _: {"type": "object"},
}
"""What answers look like, by name."""
