"""All that a batch leaves behind for the next one."""

from __future__ import annotations

from abc import ABC, abstractmethod

from headrace.state.cells import Cells, MemoryCells
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
    """State in memory; it can be pickled.

    It is the state itself, not a copy: who wants to keep it while batches go on has to pickle it.
    """

    def __init__(self) -> None:
        self.memory = Memory()
        self._cells: dict[str, Cells] = {}

    def cells(self, name: str) -> Cells:
        found = self._cells.get(name)
        if found is None:
            found = self._cells[name] = MemoryCells()
        return found
