"""Handlers of store queries."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from starlette.responses import Response, StreamingResponse

from headrace.errors import HeadraceError, KeyAbsent, StoreAskedWrongly
from headrace.query.catalogue import StoreKind
from headrace.query.requests import MOST_ENTRIES, Count, Get, Reply, Scan
from headrace.query.service.ports import Member
from headrace.rest.cursors import Cursor
from headrace.rest.key_value_text import StoreForm, dumps
from headrace.rest.server import parameters as p
from headrace.rest.server.responses import (
    NDJSON,
    entry_answer,
    error_object,
    json_answer,
    page_body,
    position_header,
    reply_answer,
    told,
)
from headrace.rest.server.routes import ParsedRequest


async def one(asked: ParsedRequest) -> Response:
    """The entry of a key."""
    store = _table(asked)
    question = Get(store=store.name, key=asked.get(p.KEY), **p.freshness(asked.given))
    reply = await asked.service.answer(question)
    if not reply.entries:
        raise KeyAbsent(store.name, reply.position.text)
    status, head, body = entry_answer(store, reply, asked.request.headers.get("if-none-match", "").encode())
    response = Response(status_code=status)
    response.body, response.raw_headers = body, head
    return response


async def holders(asked: ParsedRequest) -> Response:
    """The instances that answer for a key."""
    service = asked.service
    found = await service.work(service.answering.holders, asked.store.name, asked.store.placed(asked.get(p.KEY)))
    return json_answer({"holders": [member_object(member) for member in found]})


async def count(asked: ParsedRequest) -> Response:
    """How many entries there are."""
    reply = await asked.service.answer(Count(store=asked.store.name, **p.freshness(asked.given)))
    return reply_answer(f'{{"count":{reply.count},{told(reply)}'.encode(), reply)


async def entries(asked: ParsedRequest) -> Response:
    """Entries of a table in the order of their keys."""
    scan = _scan_of(asked, first=asked.get(p.FIRST), last=asked.get(p.LAST), prefix=asked.get(p.PREFIX))
    return await _scan(asked, scan, _table(asked))


async def windows(asked: ParsedRequest) -> Response:
    """Windows or sessions of all keys."""
    scan = _scan_of(
        asked,
        from_ms=asked.get(p.FROM),
        to_ms=asked.get(p.TO),
        first=asked.get(p.FIRST_KEY),
        last=asked.get(p.LAST_KEY),
        prefix=asked.get(p.PREFIX),
    )
    return await _scan(asked, scan, _windowed(asked))


async def windows_of(asked: ParsedRequest) -> Response:
    """Windows or sessions of one key."""
    scan = _scan_of(asked, key=asked.get(p.KEY), from_ms=asked.get(p.FROM), to_ms=asked.get(p.TO))
    return await _scan(asked, scan, _windowed(asked))


def member_object(member: Member) -> dict[str, object]:
    """An instance as JSON."""
    shares = [
        {
            "store": share.store,
            "partition": share.partition,
            "offset": share.offset,
            "end": share.end,
            "lag": share.lag,
            "ready": share.ready,
        }
        for share in member.shares
    ]
    return {"name": member.name, "url": member.url, "shares": shares}


def _scan_of(asked: ParsedRequest, **bounds: Any) -> Scan:
    scan = Scan(
        store=asked.store.name,
        reverse=asked.get(p.REVERSE, False),
        as_of=asked.get(p.AS_OF),
        limit=asked.get(p.LIMIT, MOST_ENTRIES),
        **bounds,
        **p.freshness(asked.given),
    )
    cursor = asked.get(p.CURSOR)
    if cursor is None:
        return scan
    found = Cursor.read(cursor, scan)
    return replace(scan, after=found.after, as_of=found.as_of)


async def _scan(asked: ParsedRequest, scan: Scan, store: StoreForm) -> Response:
    service = asked.service
    lines = NDJSON in asked.request.headers.get("accept", "")
    if lines and asked.get(p.LIMIT) is not None:
        scan = replace(scan, paged=False)

    def page(scan: Scan) -> tuple[Reply, bytes]:
        """Write a page in a thread: a thousand entries take a while, and others would wait for them."""
        reply = service.answering.answer(scan)
        if lines:
            return reply, "".join(f"{store.entry(entry)}\n" for entry in reply.entries).encode()
        return reply, page_body(store, reply, next_page(scan, reply))

    reply, body = await service.work(page, scan)
    if not lines:
        return reply_answer(body, reply)

    async def pages() -> AsyncIterator[bytes]:
        """Write pages of one snapshot as fast as they are read; an error meanwhile is the last line."""
        told, text, asking = reply, body, scan
        try:
            yield text
            while told.more and told.entries and asked.get(p.LIMIT) is None:
                asking = replace(asking, after=told.entries[-1].key, as_of=asking.as_of or told.position)
                told, text = await service.work(page, asking)
                yield text
        except HeadraceError as error:
            yield f"{dumps(error_object(error))}\n".encode()

    return StreamingResponse(pages(), 200, position_header(reply.position), NDJSON)


def next_page(scan: Scan, reply: Reply) -> str | None:
    """The cursor for the page behind this one, if there is one."""
    if not reply.more or not reply.entries:
        return None
    return Cursor(reply.entries[-1].key, scan.as_of or reply.position).text(scan)


def _table(asked: ParsedRequest) -> StoreForm:
    store = asked.store
    if store.kind is not StoreKind.TABLE:
        raise StoreAskedWrongly(store.name, f"its keys have {store.kind.value}", "ask for /windows or /windows/{key}")
    return store


def _windowed(asked: ParsedRequest) -> StoreForm:
    store = asked.store
    if store.kind is StoreKind.TABLE:
        raise StoreAskedWrongly(store.name, "its keys have no windows", "ask for /entries or /keys/{key}")
    return store
