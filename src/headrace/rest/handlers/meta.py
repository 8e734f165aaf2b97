"""Handlers of health, metrics and information about a server and its application."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from starlette.responses import Response

from headrace.observe.history import SPANS
from headrace.observe.prometheus import prometheus, together
from headrace.query.service.ports import Member
from headrace.rest.handlers.stores import member_object
from headrace.rest.handlers.topology import topology_object
from headrace.rest.handlers.topology_svg import picture
from headrace.rest.key_value_text import StoreForm
from headrace.rest.server import parameters as p
from headrace.rest.server.request_metrics import share_families
from headrace.rest.server.responses import json_answer
from headrace.rest.server.routes import ParsedRequest
from headrace.rest.server.service import Service

PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
SVG = "image/svg+xml"


async def health(_asked: ParsedRequest) -> Response:
    """The server answers."""
    return json_answer({"status": "up"})


async def ready(asked: ParsedRequest) -> Response:
    """Whether the replicas here have caught up, or how far they are."""
    services = asked.applications.services
    is_ready = all(one.answering.ready for one in services)
    body = {"ready": is_ready, "progress": 1.0 if is_ready else progress(map(own_member, services))}
    return json_answer(body, status=200 if is_ready else 503, headers={} if is_ready else {"retry-after": "1"})


async def metrics(asked: ParsedRequest) -> Response:
    """Numbers for Prometheus."""
    families = [
        family.labelled({"app": service.app})
        for service in asked.readable
        for family in (
            *service.families(),
            *service.counts.families(),
            *share_families(own_member(service), service.answering.foreign),
        )
    ]
    return Response(prometheus(together(families), {}), media_type=PROMETHEUS)


async def apps(asked: ParsedRequest) -> Response:
    """The applications."""
    return json_answer({"apps": [one.app for one in asked.readable]})


async def app(asked: ParsedRequest) -> Response:
    """Describe the application and its stores."""
    service = asked.service
    return json_answer(
        {"app": service.app, "instance": service.answering.name, "stores": sorted(service.stores)},
    )


async def stores(asked: ParsedRequest) -> Response:
    """All stores."""
    return json_answer({"stores": [store_object(one) for _, one in sorted(asked.service.stores.items())]})


async def store(asked: ParsedRequest) -> Response:
    """One store."""
    return json_answer(store_object(asked.store))


async def instances(asked: ParsedRequest) -> Response:
    """List the instances, with the partitions that each holds and their lag."""
    service = asked.service
    members = await service.work(service.answering.members)
    return json_answer({"instances": [member_object(member) for member in members]})


async def topology(asked: ParsedRequest) -> Response:
    """The operators and what each reads from."""
    return json_answer(topology_object(asked.service.app, asked.service.topology))


async def topology_picture(asked: ParsedRequest) -> Response:
    """Draw the topology."""
    return Response(picture(asked.service.app, asked.service.topology), media_type=SVG)


async def history(asked: ParsedRequest) -> Response:
    """History of the application, as sums in steps."""
    kept, span = asked.service.history, asked.get(p.SPAN, "15m")
    now_ms, steps = kept.steps(span) if kept is not None else (0, [])
    since = kept.since_ms if kept is not None else None
    body = {"step_ms": SPANS[span][0], "now": now_ms, "since": since, "steps": [asdict(step) for step in steps]}
    return json_answer(body)


def own_member(service: Service) -> Member | None:
    """Member that this instance is."""
    name = service.answering.name
    return next((member for member in service.answering.members() if member.name == name), None)


def progress(members: Iterable[Member | None]) -> float:
    """How much of the changelogs the replicas of instances have read, from 0 to 1."""
    shares = [share for member in members if member is not None for share in member.shares]
    total = sum(share.end for share in shares)
    return round(1 - sum(share.lag for share in shares) / total, 3) if total else 0.0


def store_object(store: StoreForm) -> dict[str, object]:
    """A store as JSON."""
    found = store.queryable
    return {
        "name": store.name,
        "kind": store.kind.value,
        "key": store.key.serde.name,
        "value": store.value.serde.name,
        "window_ms": getattr(found.key, "size_ms", None),
        "retention_ms": found.retention_ms,
        "changelog": found.topic,
    }
