"""Conversions between a program's values and the requests and replies of an instance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from headrace.errors import EntryUnreadable, StoreAskedWrongly, StoreNotAsked
from headrace.model.moments import moment_ms
from headrace.model.source_lines import calling_line
from headrace.query.catalogue import StoreKind
from headrace.query.position import Position
from headrace.query.requests import MOST_ENTRIES, USUAL_TIMEOUT_MS, Count, Entry, Get, Reply, Scan
from headrace.query.service.ports import Answering
from headrace.serde import Serde

LATEST = 2**63 - 1
_WAYS = {
    StoreKind.WINDOWS: "fetch(key, first, last)",
    StoreKind.SESSIONS: "find(key, first, last)",
    StoreKind.TABLE: "get(key)",
}


@dataclass(frozen=True)
class Terms:
    """Terms of all queries of one view of a store: freshness, deadline, position."""

    at_least: Position | None = None
    timeout_ms: int = USUAL_TIMEOUT_MS
    stale: bool = False


class Asking:
    """View of one store at an instance, queried on given terms."""

    def __init__(self, answering: Answering, name: str, terms: Terms) -> None:
        store = answering.stores.get(name)
        if store is None:
            raise StoreNotAsked(name, answering.app, answering.stores)
        self.answering, self.name, self.terms, self.store = answering, name, terms, store
        self._inner: Serde[Any] = getattr(store.key, "inner", store.key)
        self._write_key, self._read_value, self._at_once = store.key.write, store.value.read, answering.at_once
        self._on: dict[str, Any] = {"store": name, **vars(terms)}

    def get(self, key: Any) -> tuple[Any, Reply]:
        """The value of a key, None if there is none."""
        try:
            question = Get(key=self._write_key(key), **self._on)
        except ValueError as exc:
            raise self._no_key(str(exc)) from None
        reply = self._at_once(question) or self.answering.answer(question)
        if not reply.entries:
            return None, reply
        try:
            return self._read_value(reply.entries[0].value), reply
        except ValueError as exc:
            raise EntryUnreadable(self.name, "value", f"{self.store.value}: {exc}") from exc

    def key(self, key: Any) -> bytes:
        """The bytes of a key."""
        try:
            return self._write_key(key)
        except ValueError as exc:
            raise self._no_key(str(exc)) from None

    def count(self) -> Reply:
        """How many entries there are."""
        return self.answering.answer(Count(**self._on))

    def scan(self, **bounds: Any) -> Scan:
        """A question for entries, with bounds as values."""
        bare, moments = ("first", "last", "prefix", "key"), ("from_ms", "to_ms")
        if bounds.get("prefix") is not None and not isinstance(bounds["prefix"], str | bytes):
            raise self._no_key(f"the prefix {bounds['prefix']!r} is neither text nor bytes")
        for name, value in bounds.items():
            if value is not None and name in bare:
                bounds[name] = self._bare(value)
            elif name in moments:
                bounds[name] = moment_ms(name, value, calling_line() or "?")
        return Scan(**self._on, **bounds)

    def pages(self, scan: Scan, most: int | None) -> Iterator[Reply]:
        """Pages of one snapshot, until there were so many entries."""
        left = most
        while True:
            size = scan.limit if left is None else min(scan.limit, left)
            last = left is not None and left <= min(scan.limit, MOST_ENTRIES)
            reply = self.answering.answer(replace(scan, limit=size, paged=not last))
            yield reply
            left = None if left is None else left - len(reply.entries)
            if not reply.more or left == 0:
                return
            scan = replace(scan, after=reply.entries[-1].key, as_of=reply.position)

    def entries(self, reply: Reply) -> Iterator[tuple[Any, Any]]:
        """Keys with their values, in order."""
        return map(self._entry, reply.entries)

    def only(self, kind: StoreKind, asked: str) -> None:
        """Refuse what only another kind of store can tell."""
        if self.store.kind is not kind:
            there = self.store.kind
            held = "a table" if there is StoreKind.TABLE else there.value
            raise StoreAskedWrongly(
                self.name, f"{asked} is for {kind.value}, it holds {held}", f"ask it {_WAYS[there]}"
            )

    def _entry(self, entry: Entry) -> tuple[Any, Any]:
        try:
            key = self.store.key.read(entry.key)
        except ValueError as exc:
            raise EntryUnreadable(self.name, "key", f"{self.store.key}: {exc}") from exc
        try:
            return key, self._read_value(entry.value)
        except ValueError as exc:
            raise EntryUnreadable(self.name, "value", f"{self.store.value}: {exc}") from exc

    def _bare(self, key: Any) -> bytes:
        try:
            return self._inner.write(key)
        except ValueError as exc:
            raise self._no_key(str(exc)) from None

    def _no_key(self, reason: str) -> StoreAskedWrongly:
        return StoreAskedWrongly(self.name, reason, f"its keys are {self.store.key}")
