"""State: what a batch leaves behind for the next one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial

from headrace.state.cells import Cells, MemoryCells
from headrace.state.codec import StateCodec
from headrace.state.memory import Memory


class State(ABC):
    """The state of all tasks between two batches: much of it in cells, and a little in memory.

    The cells `store.<name>` are the rows of a store, `store.<name>/<what>` what it needs to find them, and
    `<node>/<what>` what an operator keeps beside stores.
    """

    memory: Memory
    """The little that is read and written as a whole with every batch: stream times, counters."""

    @abstractmethod
    def cells(self, name: str) -> Cells:
        """The cells of a name, the same each time."""


class MemoryState(State):
    """State in memory: the state itself, so who wants to keep it while batches go on needs a copy."""

    def __init__(self) -> None:
        self.memory = Memory()
        self._cells: dict[str, Cells] = {}

    def cells(self, name: str) -> Cells:
        found = self._cells.get(name)
        if found is None:
            found = self._cells[name] = MemoryCells()
        return found

    def copied(self, codec: StateCodec) -> MemoryState:
        """Copy of the state as another process would find it: written, and read again."""
        copy = MemoryState()
        for name, cells in self._cells.items():
            put = copy.cells(name).put
            for place, thing in cells.between(b"", None):
                put(place, codec.read(codec.write(thing)))
        for node, what, thing in self.memory.items():
            copy.memory.of(node, what, partial(codec.read, codec.write(thing)))
        return copy
