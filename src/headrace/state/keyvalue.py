"""Key-value stores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple


class Stored(NamedTuple):
    """A value and the time of the record that it reflects, in milliseconds."""

    value: Any
    ts: int


class KeyValueStore:
    """The latest value of every key, in memory.

    Keys are bytes, as in every store: two keys are the same if they are written the same, not if Python takes them for
    equal (`0.0 == -0.0`, `nan != nan`).
    """

    def __init__(self) -> None:
        self._entries: dict[bytes, Stored] = {}

    def get(self, key: bytes) -> Stored | None:
        """What is stored under a key."""
        return self._entries.get(key)

    def put(self, key: bytes, value: Any, *, ts: int) -> None:
        """Store a value under a key; None removes the key."""
        if value is None:
            self._entries.pop(key, None)
        else:
            self._entries[key] = Stored(value, ts)

    def items(self) -> Iterator[tuple[bytes, Stored]]:
        """All keys with what is stored under them, in the order of their bytes."""
        return iter(sorted(self._entries.items(), key=lambda entry: entry[0]))
