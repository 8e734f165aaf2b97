"""State of one task in memory, with the changes since the last commit in the bytes of its changelog."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from headrace.lane.remote import MEMORY, RemoteMemory, Things
from headrace.state.cells import Cells, MemoryCells, sized
from headrace.state.codec import StateCodec
from headrace.state.state import State

_LENGTH = 4

Change = tuple[bytes, bytes | None]
"""A place in the state, and what is there now; None where nothing is any more."""


def place_of(name: str, place: bytes) -> bytes:
    """The place of a thing in all of the state: the key of its changelog record."""
    return sized(name.encode()) + place


def name_and_place(key: bytes) -> tuple[str, bytes]:
    """The name of cells, and the place in them, of `place_of`."""
    behind = _LENGTH + int.from_bytes(key[:_LENGTH], "big")
    return key[_LENGTH:behind].decode(), key[behind:]


class LoggedCells(Cells):
    """Cells in memory that note which of their places have changed."""

    def __init__(self, things: Things) -> None:
        self._things, self._cells = things, MemoryCells()
        self._changed: set[bytes] = set()
        self.get = self._cells.get  # type: ignore[method-assign]  # as quick as those below

    def get(self, place: bytes) -> Any:
        return self._cells.get(place)

    def put(self, place: bytes, thing: Any) -> None:
        self._changed.add(place)
        self._cells.put(place, thing)

    def remove(self, place: bytes) -> None:
        self._changed.add(place)
        self._cells.remove(place)

    def between(self, first: bytes, behind: bytes | None) -> Iterator[tuple[bytes, Any]]:
        return self._cells.between(first, behind)

    def count(self) -> int:
        return self._cells.count()

    def restore(self, place: bytes, data: bytes | None) -> None:
        """It is so, as the changelog says."""
        if data is None:
            self._cells.remove(place)
        else:
            self._cells.put(place, self._things.read(place, data))

    def changes(self) -> Iterator[Change]:
        """What was changed since this was last asked for."""
        changed, self._changed = self._changed, set()
        for place in sorted(changed):
            thing = self._cells.get(place)
            yield place, None if thing is None else self._things.write(place, thing)


class LoggedState(State):
    """The state of one task."""

    def __init__(self, codec: StateCodec, describe: Callable[[str], str]) -> None:
        self._codec, self._describe = codec, describe
        self._cells: dict[str, LoggedCells] = {}
        self._remembered: dict[bytes, bytes] = {}
        self.memory: RemoteMemory = RemoteMemory({}, Things(codec, "what is remembered"))

    def cells(self, name: str) -> LoggedCells:
        found = self._cells.get(name)
        if found is None:
            found = self._cells[name] = LoggedCells(Things(self._codec, self._describe(name)))
        return found

    def restore(self, key: bytes, data: bytes | None) -> None:
        """Take a record of the changelog."""
        name, place = name_and_place(key)
        if name != MEMORY:
            self.cells(name).restore(place, data)
        elif data is not None:
            self._remembered[place] = data

    def restored(self) -> None:
        """All records of the changelog were taken."""
        self.memory = RemoteMemory(self._remembered, Things(self._codec, "what is remembered"))

    def changes(self) -> Iterator[Change]:
        """The changes since this was last asked for, by their places in all of the state."""
        for name, cells in self._cells.items():
            yield from ((place_of(name, place), data) for place, data in cells.changes())
        yield from ((place_of(MEMORY, place), data) for place, data in self.memory.changes())

    def rows(self) -> int:
        """How many things there are."""
        return sum(cells.count() for cells in self._cells.values())
