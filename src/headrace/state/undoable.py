"""Changes of stores that can be undone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import fields
from typing import Any

from headrace.state.cells import Cells
from headrace.state.state import State


class Undoable(State):
    """A state on top of another, in which what somebody does to some of the stores counts as a whole or not at all.

    Between `begin` and `keep` it is noted what was there before; `undo` puts it back. That is for stores that are open
    by then; others than the named ones are not watched, and cost nothing.
    """

    def __init__(self, state: State, stores: Iterable[str]) -> None:
        self.memory = state.memory
        self._state = state
        self._stores = frozenset(f"store.{name}" for name in stores)
        self._watched: dict[str, WatchedCells] = {}
        self._remembered: list[tuple[Any, Any]] = []
        """What stores remember beside their cells, and what that was."""

    def cells(self, name: str) -> Cells:
        if name not in self._watched:
            cells = self._state.cells(name)
            if not any(name == store or name.startswith(f"{store}/") for store in self._stores):
                return cells
            self._watched[name] = WatchedCells(cells)
        return self._watched[name]

    def begin(self) -> None:
        """Begin to remember changes, so that they can be undone."""
        for cells in self._watched.values():
            cells.before = {}
        self._remembered = [(thing, copy(thing)) for store in self._stores for thing in self.memory.all_of(store)]

    def keep(self) -> None:
        """Keep the changes since `begin`."""
        for cells in self._watched.values():
            cells.before = None

    def undo(self) -> None:
        """All is as it was."""
        for cells in self._watched.values():
            cells.undo()
        for thing, before in self._remembered:
            for field in fields(thing):
                setattr(thing, field.name, getattr(before, field.name))


class WatchedCells(Cells):
    """Cells that note what was there before it is changed."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self.before: dict[bytes, Any] | None = None
        """What the places had that were changed; None while nobody wants to know."""

    def get(self, place: bytes) -> Any:
        return _own(self._cells.get(place))

    def put(self, place: bytes, thing: Any) -> None:
        self._note(place)
        self._cells.put(place, thing)

    def remove(self, place: bytes) -> None:
        self._note(place)
        self._cells.remove(place)

    def between(self, first: bytes, behind: bytes | None) -> Iterator[tuple[bytes, Any]]:
        return ((place, _own(thing)) for place, thing in self._cells.between(first, behind))

    def count(self) -> int:
        return self._cells.count()

    def undo(self) -> None:
        """Put back what was there."""
        before, self.before = self.before or {}, None
        for place, thing in before.items():
            if thing is None:
                self._cells.remove(place)
            else:
                self._cells.put(place, thing)

    def _note(self, place: bytes) -> None:
        if self.before is not None and place not in self.before:
            self.before[place] = self._cells.get(place)


def _own(thing: Any) -> Any:
    """A thing that can be changed while the one in its cell stays: of those that stores change, only lists are not made
    anew."""
    return list(thing) if isinstance(thing, list) else thing
