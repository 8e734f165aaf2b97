"""Scans of entries in order: a range of a replica, and one page of several partitions."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from headrace.errors import StoreAskedWrongly
from headrace.query.catalogue import Queryable, StoreKind
from headrace.query.deadline import ScanDeadline
from headrace.query.replica.key_order import Layout, Span, WindowLayout
from headrace.query.replica.replica import View
from headrace.query.requests import MOST_ENTRIES, Entry, Question, Scan

_MOST_MS = 2**63 - 1


def key_of(store: Queryable, layout: Layout, question: Question) -> bytes | None:
    """The key without a window to which a question is bound: one partition has the answer. None for all."""
    key: bytes | None = getattr(question, "key", None)
    if key is None or isinstance(question, Scan):
        return key
    try:
        layout.place(key)
    except ValueError as exc:
        raise _no_key(store, "key", exc) from None
    return layout.bare(key)


def checked(store: Queryable, layout: Layout, scan: Scan) -> None:
    """Refuse what the store cannot answer."""
    if scan.limit < 1:
        raise StoreAskedWrongly(store.name, f"limit is {scan.limit}", "ask for 1 entry or more")
    windowed = scan.key is not None or scan.from_ms is not None or scan.to_ms is not None
    if windowed and not isinstance(layout, WindowLayout):
        raise StoreAskedWrongly(store.name, "it has no windows", "ask a table for a key, a range or a prefix of keys")
    if scan.prefix is not None and not layout.prefixes:
        raise StoreAskedWrongly(store.name, f"its keys are {layout.bare_serde}", "prefixes are for text and bytes")
    for name in ("first", "last", "key"):
        bound = getattr(scan, name)
        if bound is not None:
            try:
                layout.span(key=bound)
            except ValueError as exc:
                raise _no_key(store, name, exc) from None
    if scan.after is not None:
        try:
            layout.place(scan.after)
        except ValueError as exc:
            raise _no_key(store, "after", exc) from None


def entries(store: Queryable, layout: Layout, scan: Scan, deadline: ScanDeadline, view: View) -> Iterator[Entry]:
    """Entries of a scan in one partition."""
    found = deadline.among(view.entries(_span(store, layout, scan), reverse=scan.reverse, after=scan.after))
    if scan.from_ms is None and scan.to_ms is None:
        return found
    assert isinstance(layout, WindowLayout)
    first, last = scan.from_ms or 0, _MOST_MS if scan.to_ms is None else scan.to_ms
    # Of a window both are its start: `time` is the end of a session only.
    return (entry for entry in found if layout.time(entry.key) >= first and layout.start(entry.key) <= last)


def page(layout: Layout, scan: Scan, parts: Iterable[tuple[Iterable[Entry], bool]]) -> tuple[list[Entry], bool]:
    """The first entries of several partitions, each in order and perhaps with more behind; whether there are more."""
    limit = min(scan.limit, MOST_ENTRIES)
    taken, beyond = [], False
    for found, more in parts:
        few = list(islice(found, limit + 1))
        beyond |= more
        taken.append(few)
    by_place: Callable[[Entry], bytes] = lambda entry: layout.place(entry.key)  # noqa: E731
    merged = taken[0] if len(taken) == 1 else list(heapq.merge(*taken, key=by_place, reverse=scan.reverse))
    return merged[:limit], beyond or len(merged) > limit


def _span(store: Queryable, layout: Layout, scan: Scan) -> Span:
    span = layout.span(scan.first, scan.last, scan.prefix, scan.key)
    if scan.key is None or scan.from_ms is None or not isinstance(layout, WindowLayout):
        return span
    low = layout.at(scan.key, max(0, scan.from_ms))
    if store.kind is StoreKind.WINDOWS and scan.to_ms is not None and scan.to_ms < _MOST_MS:
        return Span(low, min(span.high, layout.at(scan.key, max(0, scan.to_ms + 1))))
    return Span(low, span.high)


def _no_key(store: Queryable, name: str, why: ValueError) -> StoreAskedWrongly:
    return StoreAskedWrongly(store.name, f"{name} is none of its keys: {why}", f"give bytes of {store.key}")
