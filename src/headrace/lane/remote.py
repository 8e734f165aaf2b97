"""Remote state: cells in the Spark task that a Python process works for."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from headrace.errors import StateUnreadable, StateUnwritable
from headrace.lane.frames import Channel, Writer
from headrace.state.cells import Cells
from headrace.state.codec import StateCodec
from headrace.state.faults import StateFault
from headrace.state.memory import Memory
from headrace.state.state import State

T = TypeVar("T")

MEMORY = "memory"
_PAGE = 512
_UNKNOWN: Any = object()
_MOST = 200_000
"""So many things are kept of one store before all that changed is written, and the rest forgotten."""

Page = list[tuple[bytes, bytes]]


class Things:
    """The things of one store, in bytes; `what` says in words what they are, for who has to mend it."""

    def __init__(self, codec: StateCodec, what: str) -> None:
        self._write, self._read, self._what = codec.write, codec.read, what

    def write(self, place: bytes, thing: Any) -> bytes:
        """The bytes of the thing at a place."""
        try:
            return self._write(thing)
        except StateFault as fault:
            raise StateUnwritable(f"{self._what} under {place!r}", fault.reason, fault.fix) from fault

    def read(self, place: bytes, data: bytes) -> Any:
        """The thing of the bytes at a place."""
        try:
            return self._read(data)
        except StateFault as fault:
            raise StateUnreadable(f"{self._what} under {place!r}", fault.reason, fault.fix) from fault


class RemoteCells(Cells):
    """Cells that are read from the Spark task once a batch, and written back at its end."""

    def __init__(self, name: str, channel: Channel, things: Things) -> None:
        self._name, self._channel, self._things = name, channel, things
        self._read: dict[bytes, Any] = {}
        """What was asked for in this batch, None where nothing is."""
        self._changed: dict[bytes, Any] = {}
        """What has to be written, None where nothing is any more; it counts before what was read."""
        self._ordered: list[bytes] | None = None
        """The changed places in their order, from the first time that somebody asks for one."""
        self._empty: bool | None = None
        """Whether nothing at all lies there; None before the first question."""

    def get(self, place: bytes) -> Any:
        thing = self._changed.get(place, _UNKNOWN)
        if thing is _UNKNOWN:
            thing = self._read.get(place, _UNKNOWN)
        if thing is _UNKNOWN:
            thing = self._read[place] = None if self._is_empty() else self._ask(place)
        return thing

    def put(self, place: bytes, thing: Any) -> None:
        if self._ordered is not None and place not in self._changed:
            insort(self._ordered, place)
        self._changed[place] = thing

    def remove(self, place: bytes) -> None:
        self.put(place, None)

    def between(self, first: bytes, behind: bytes | None) -> Iterator[tuple[bytes, Any]]:
        while True:
            page = [] if self._is_empty() else self._scan(first, behind)
            whole = len(page) < _PAGE
            end = behind if whole else page[-1][0] + b"\0"
            yield from self._merged(page, first, end)
            if whole:
                return
            assert end is not None
            first = end

    def came_along(self, place: bytes, data: bytes | None) -> None:
        """Take in prefetched state: the value at a place, sent before anybody asked."""
        if place not in self._read:
            self._read[place] = self._thing(place, data)

    def fetch(self, places: list[bytes]) -> None:
        """Ask for many places at once: each will be looked at."""
        unknown = [place for place in places if place not in self._read and place not in self._changed]
        if not unknown:
            return
        if self._is_empty():
            self._read.update(dict.fromkeys(unknown))
            return
        asked = Writer().text(self._name).int32(len(unknown)).column(unknown)
        found = self._channel.ask("M", asked.take()).column(len(unknown)) or [None] * len(unknown)
        for place, data in zip(unknown, found, strict=True):
            self._read[place] = self._thing(place, data)

    def is_full(self) -> bool:
        """Whether it should be emptied in the middle of a batch."""
        return len(self._read) + len(self._changed) > _MOST

    def changes(self) -> list[tuple[bytes, bytes | None]]:
        """Changes to write back; the cache is empty afterwards."""
        changed = self._changed
        self._read, self._changed, self._ordered, self._empty = {}, {}, None, None
        write = self._things.write
        return [(place, None if thing is None else write(place, thing)) for place, thing in changed.items()]

    def _merged(self, page: Page, first: bytes, behind: bytes | None) -> Iterator[tuple[bytes, Any]]:
        """Values of a range, with the changes of this batch."""
        there = dict(page)
        for place in sorted({*there, *self._changed_between(first, behind)}):
            thing = self._changed[place] if place in self._changed else self._known(place, there[place])
            if thing is not None:
                yield place, thing

    def _known(self, place: bytes, data: bytes) -> Any:
        return self._read[place] if place in self._read else self._thing(place, data)

    def _thing(self, place: bytes, data: bytes | None) -> Any:
        return None if data is None else self._things.read(place, data)

    def _changed_between(self, first: bytes, behind: bytes | None) -> list[bytes]:
        if self._ordered is None:
            self._ordered = sorted(self._changed)
        end = len(self._ordered) if behind is None else bisect_left(self._ordered, behind)
        return self._ordered[bisect_left(self._ordered, first) : end]

    def _is_empty(self) -> bool:
        if self._empty is None:
            self._empty = not self._scan(b"", None, most=1)
        return self._empty

    def _ask(self, place: bytes) -> Any:
        data = self._channel.ask("G", Writer().text(self._name).part(place).take()).part()
        return self._thing(place, data)

    def _scan(self, first: bytes, behind: bytes | None, most: int = _PAGE) -> Page:
        asked = Writer().text(self._name).part(first).part(behind).int32(most)
        found = self._channel.ask("S", asked.take())
        return [(found.data(), found.data()) for _ in range(found.int32())]


class RemoteMemory(Memory):
    """Memory beside stores, read at the beginning of a batch, and written back at its end."""

    def __init__(self, stored: Mapping[bytes, bytes], things: Things) -> None:
        super().__init__()
        self._stored, self._form = dict(stored), things

    def of(self, node: str, what: str, make: Callable[[], T]) -> T:
        return super().of(node, what, lambda: self._found(node, what, make))

    def changes(self) -> list[tuple[bytes, bytes | None]]:
        """Changes to write back."""
        found: list[tuple[bytes, bytes | None]] = []
        for node, what, thing in self.items():
            place = _place(node, what)
            data = self._form.write(place, thing)
            if self._stored.get(place) != data:
                self._stored[place] = data
                found.append((place, data))
        return found

    def _found(self, node: str, what: str, make: Callable[[], T]) -> T:
        place = _place(node, what)
        data = self._stored.get(place)
        if data is None:
            return make()
        thing: T = self._form.read(place, data)
        return thing


class RemoteState(State):
    """The state of one task."""

    def __init__(
        self, channel: Channel, remembered: Mapping[bytes, bytes], codec: StateCodec, describe: Callable[[str], str]
    ) -> None:
        self._channel, self._codec, self._describe = channel, codec, describe
        self._cells: dict[str, RemoteCells] = {}
        self.memory: RemoteMemory = RemoteMemory(remembered, Things(codec, "what is remembered"))

    def cells(self, name: str) -> RemoteCells:
        if name not in self._cells:
            self._cells[name] = RemoteCells(name, self._channel, Things(self._codec, self._describe(name)))
        return self._cells[name]

    def spill(self) -> None:
        """Write back early, when there are too many changes to keep until the batch is over."""
        full = {name: cells for name, cells in self._cells.items() if cells.is_full()}
        if full:
            message = Writer()
            write_changes(message, {name: cells.changes() for name, cells in full.items()})
            self._channel.send("W", message.take())

    def changes(self) -> dict[str, list[tuple[bytes, bytes | None]]]:
        """Changes to write back, now that the batch is over."""
        found = {name: cells.changes() for name, cells in self._cells.items()}
        return {name: changes for name, changes in {**found, MEMORY: self.memory.changes()}.items() if changes}


def write_changes(message: Writer, changes: Mapping[str, list[tuple[bytes, bytes | None]]]) -> None:
    """Changes of state as part of a message."""
    message.int32(len(changes))
    for name, places in changes.items():
        message.text(name).int32(len(places))
        for place, data in places:
            message.part(place).part(data)


def _place(node: str, what: str) -> bytes:
    return f"{node}/{what}".encode()
