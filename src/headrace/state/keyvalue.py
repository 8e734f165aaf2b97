"""Key-value stores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from headrace.state.cells import prefix_end
from headrace.state.state import State

Found = tuple[Any, int]
"""A value and its time as they lie in a cell: a plain tuple is smaller and sooner pickled than a `Stored`."""


class Stored(NamedTuple):
    """A value and the time of the record that it reflects, in milliseconds."""

    value: Any
    ts: int


class KeyValueStore:
    """The latest value of every key.

    Keys are bytes, as in every store: two keys are the same if they are written the same, not if Python takes them for
    equal (`0.0 == -0.0`, `nan != nan`). A place is a key, a thing (value, time).
    """

    def __init__(self, state: State, name: str) -> None:
        self._cells = state.cells(f"store.{name}")
        self.find: Callable[[bytes], Found | None] = self._cells.get
        """What is stored under a key, as it lies there."""

    def get(self, key: bytes) -> Stored | None:
        """Value and time of a key."""
        found = self._cells.get(key)
        return None if found is None else stored_of(found)

    def put(self, key: bytes, value: Any, ts: int) -> None:
        """Store a value under a key; None removes the key."""
        if value is None:
            self._cells.remove(key)
        else:
            self._cells.put(key, (value, ts))

    def items(self) -> Iterator[tuple[bytes, Stored]]:
        """All keys with what is stored under them, in the order of their bytes."""
        return iter(self.range(None, None))

    def range(self, first: bytes | None, last: bytes | None) -> list[tuple[bytes, Stored]]:
        """The keys from one to another, both inside, in the order of their bytes; None for no bound."""
        return self._between(first or b"", None if last is None else last + b"\0")

    def prefixed(self, prefix: bytes) -> list[tuple[bytes, Stored]]:
        """The keys that begin with these bytes, in their order."""
        return self._between(prefix, prefix_end(prefix))

    def __len__(self) -> int:
        return self._cells.count()

    def _between(self, first: bytes, behind: bytes | None) -> list[tuple[bytes, Stored]]:
        return [(key, stored_of(found)) for key, found in self._cells.between(first, behind)]


def stored_of(found: Found) -> Stored:
    """Value and time of a cell, with their names."""
    return _new(Stored, found)


_new = tuple.__new__
