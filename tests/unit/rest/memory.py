"""An instance in memory, for tests of what is in front of it."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from headrace.errors import PositionAhead, PositionNotReached
from headrace.model.windows import LATEST_MS, Windowed
from headrace.query.catalogue import Queryable, StoreKind
from headrace.query.position import Position
from headrace.query.requests import Count, Entry, Get, Question, Reply, Scan
from headrace.query.service.ports import Changed, Member, Share, Watch, Watched
from headrace.serde import Serde


@dataclass(eq=False)
class MemoryWatch:
    """A watcher of a store in memory."""

    watched: Watched
    tell: Callable[[list[Changed]], None]
    gone: Callable[[int], None]
    among: list[MemoryWatch]
    life: str
    first: Iterator[list[Changed]] = field(default_factory=lambda: iter(()))
    since: dict[int, int] = field(default_factory=dict)
    whole: set[int] = field(default_factory=set)
    closed: bool = False

    def close(self) -> None:
        self.closed = True
        if self in self.among:
            self.among.remove(self)


@dataclass
class Memory:
    """All stores of an application in dicts, in one partition."""

    app: str = "music"
    name: str = "here"
    url: str = "http://127.0.0.1:1"
    stores: dict[str, Queryable] = field(default_factory=dict)
    rows: dict[str, dict[bytes, Entry]] = field(default_factory=dict)
    position: Position = field(default_factory=Position)
    lags: bool = False
    """Whether the application is further than this."""

    quick: bool = True
    ready: bool = True
    foreign: int = 0
    offset: int = 0
    end: int = 0
    watches: list[MemoryWatch] = field(default_factory=list)
    changes: dict[str, list[Changed]] = field(default_factory=dict)
    forgotten: int = 0
    life: str = "Life1"
    """Of the changelogs."""

    at_once_told: int = 100
    """How many changes a part of what is told at first has."""

    asked: list[Question] = field(default_factory=list)
    meanwhile: Callable[[MemoryWatch], None] = lambda _: None
    """Called when all that is there has been taken by a watch, in the thread that takes it."""

    def add(self, name: str, key: Serde[Any], value: Serde[Any], rows: Mapping[Any, Any]) -> Memory:
        """A store with these rows."""
        self.stores[name] = Queryable(name, f"{self.app}-{name}-changelog", key, value, None)
        self.rows[name] = {}
        for one, held in rows.items():
            self.put(name, one, held)
        return self

    def put(self, store: str, key: object, value: object, ts: int = 1_000) -> None:
        """Change a row; None deletes it."""
        about = self.stores[store]
        data = about.key.write(key)
        entry = None if value is None else Entry(data, about.value.write(value), ts)
        if entry is None:
            self.rows[store].pop(data, None)
        else:
            self.rows[store][data] = entry
        self.offset += 1
        self.end = self.offset
        self.position = Position({("plays", 0): self.offset})
        change = Changed(0, self.offset - 1, data, entry)
        self.changes.setdefault(store, []).append(change)
        for one in list(self.watches):
            if one.watched.store == store and _wanted(one.watched, data):
                one.tell([change])

    def at_once(self, question: Get) -> Reply | None:
        waits = question.at_least is not None and not self.position.covers(question.at_least)
        return self.answer(question) if self.quick and not waits else None

    def answer(self, question: Question) -> Reply:
        self.asked.append(question)
        if question.at_least is not None and not self.position.covers(question.at_least):
            lacking = PositionNotReached if self.lags else PositionAhead
            raise lacking(str(question.at_least), str(self.position), question.timeout_ms)
        return self.local(question, (0,))

    def local(self, question: Question, partitions: Collection[int]) -> Reply:
        assert set(partitions) == {0}
        rows, reply = self.rows[question.store], Reply(position=self.position, instances=(self.name,))
        match question:
            case Get(key=key):
                return replace(reply, entries=[rows[key]] if key in rows else [])
            case Count():
                return replace(reply, count=len(rows))
            case Scan():
                return self._scan(question, reply)
        raise AssertionError(question)

    def _scan(self, scan: Scan, reply: Reply) -> Reply:
        serde = self.stores[scan.store].key
        found: list[tuple[object, Entry]] = []
        for entry in self.rows[scan.store].values():
            if _inside(scan, serde, entry):
                insort(found, (serde.read(entry.key), entry), key=lambda pair: pair[0])
        entries = [entry for _, entry in found]
        if scan.reverse:
            entries.reverse()
        if scan.after is not None:
            entries = entries[[entry.key for entry in entries].index(scan.after) + 1 :]
        return replace(reply, entries=entries[: scan.limit], more=len(entries) > scan.limit)

    def members(self) -> tuple[Member, ...]:
        shares = tuple(Share(store, 0, self.offset, self.end, self.ready) for store in self.stores)
        return (Member(self.name, self.url, shares),)

    def holders(self, store: str, key: bytes) -> tuple[Member, ...]:
        assert store in self.stores
        assert key is not None
        return self.members()

    def partition(self, store: str, key: bytes) -> int:
        assert store in self.stores
        assert key is not None
        return 0

    def watch(
        self,
        watched: Watched,
        tell: Callable[[list[Changed]], None],
        partitions: Collection[int],
        gone: Callable[[int], None],
    ) -> Watch:
        assert set(partitions) == {0}
        made = MemoryWatch(watched, tell, gone, self.watches, self.life)
        made.first = self._first(made)
        return made

    def _first(self, made: MemoryWatch) -> Iterator[list[Changed]]:
        watched, since = made.watched, made.watched.since.get(0)
        made.since = {0: self.offset}
        if since is not None and watched.life == self.life and self.forgotten <= since <= self.offset:
            changes = self.changes.get(watched.store, [])
            found = [one for one in changes if one.offset >= since and _wanted(watched, one.key)]
        else:
            made.whole = {0}
            rows = self.rows[watched.store].items()
            found = [Changed(0, -1, key, entry) for key, entry in rows if _wanted(watched, key)]
        if not made.closed:
            self.watches.append(made)
        for at in range(0, len(found), self.at_once_told):
            yield found[at : at + self.at_once_told]
        self.meanwhile(made)


def _wanted(watched: Watched, key: bytes) -> bool:
    if watched.key is not None and not key.startswith(watched.key):
        return False
    return watched.prefix is None or key.startswith(watched.prefix)


def _inside(scan: Scan, serde: Serde[Any], entry: Entry) -> bool:
    if Queryable("", "", serde, serde, None).kind is not StoreKind.TABLE:
        window = serde.read(entry.key)
        if scan.key is not None and not entry.key.startswith(scan.key):
            return False
        assert isinstance(window, Windowed)
        return (scan.from_ms or 0) <= window.start <= (LATEST_MS if scan.to_ms is None else scan.to_ms)
    value = serde.read(entry.key)
    if scan.first is not None and value < serde.read(scan.first):
        return False
    if scan.last is not None and value > serde.read(scan.last):
        return False
    return scan.prefix is None or entry.key.startswith(scan.prefix)
