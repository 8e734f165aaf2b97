"""Key-value stores."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
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
        self._ordered: list[bytes] | None = None
        """The keys in the order of their bytes, from the first time that somebody asks for a range."""

    def get(self, key: bytes) -> Stored | None:
        """What is stored under a key."""
        return self._entries.get(key)

    def put(self, key: bytes, value: Any, *, ts: int) -> None:
        """Store a value under a key; None removes the key."""
        if self._ordered is not None and (value is None) is (key in self._entries):
            if value is None:
                del self._ordered[bisect_left(self._ordered, key)]
            else:
                insort(self._ordered, key)
        if value is None:
            self._entries.pop(key, None)
        else:
            self._entries[key] = Stored(value, ts)

    def items(self) -> Iterator[tuple[bytes, Stored]]:
        """All keys with what is stored under them, in the order of their bytes."""
        return iter(sorted(self._entries.items(), key=lambda entry: entry[0]))

    def range(self, first: bytes | None, last: bytes | None) -> list[tuple[bytes, Stored]]:
        """The keys from one to another, both inside, in the order of their bytes; None for no bound."""
        keys = self._in_order()
        begin = 0 if first is None else bisect_left(keys, first)
        end = len(keys) if last is None else bisect_right(keys, last)
        return [(key, self._entries[key]) for key in keys[begin:end]]

    def prefixed(self, prefix: bytes) -> list[tuple[bytes, Stored]]:
        """The keys that begin with these bytes, in their order."""
        keys = self._in_order()
        found = []
        for key in keys[bisect_left(keys, prefix) :]:
            if not key.startswith(prefix):
                break
            found.append((key, self._entries[key]))
        return found

    def __len__(self) -> int:
        return len(self._entries)

    def _in_order(self) -> list[bytes]:
        if self._ordered is None:
            self._ordered = sorted(self._entries)
        return self._ordered
