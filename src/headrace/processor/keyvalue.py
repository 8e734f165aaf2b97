"""Key-value stores, as processors see them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from headrace.errors import StoreRefused
from headrace.plan.stores import StoreConnection
from headrace.processor.opened import OpenedStore, in_turn
from headrace.processor.values import Values
from headrace.serde import Serde
from headrace.state import keyvalue
from headrace.state.keyvalue import Stored

K = TypeVar("K")
V = TypeVar("V")


class KeyValueStore(OpenedStore[K, V]):
    """The last value of every key. What `range` and its like give is what was there when they were called."""

    def __init__(self, connection: StoreConnection, values: Values, state: keyvalue.KeyValueStore) -> None:
        super().__init__(connection, values)
        self._state = state

    def get(self, key: K) -> V | None:
        """The value of a key, None if there is none."""
        return self._seen(self._state.get(self._key(key)))

    def put(self, key: K, value: V | None) -> None:
        """Store a value under a key; None removes the key."""
        kept, ts = self._kept(value)
        self._state.put(self._key(key), kept, ts=ts)

    def put_if_absent(self, key: K, value: V | None) -> V | None:
        """Store a value under a key that has none; the value that was there already, or None."""
        before = self.get(key)
        if before is None:
            self.put(key, value)
        return before

    def put_all(self, entries: Mapping[K, V | None] | Iterable[tuple[K, V | None]]) -> None:
        """Store several values, in their order."""
        for key, value in entries.items() if isinstance(entries, Mapping) else entries:
            self.put(key, value)

    def delete(self, key: K) -> V | None:
        """Remove a key; the value that it had."""
        before = self.get(key)
        self.put(key, None)
        return before

    def range(self, first: K | None = None, last: K | None = None) -> Iterator[tuple[K, V]]:
        """The keys from one to another, both inside, with their values; None for no bound."""
        return self._between(first, last, backward=False)

    def reverse_range(self, first: K | None = None, last: K | None = None) -> Iterator[tuple[K, V]]:
        """Entries of a range, from the last key to the first."""
        return self._between(first, last, backward=True)

    def all(self) -> Iterator[tuple[K, V]]:
        """All keys with their values."""
        return self._between(None, None, backward=False)

    def reverse_all(self) -> Iterator[tuple[K, V]]:
        """All keys with their values, from the last key to the first."""
        return self._between(None, None, backward=True)

    def prefix_scan(self, prefix: Any, serde: Serde[Any] | None = None) -> Iterator[tuple[K, V]]:
        """The keys whose bytes begin with those of a prefix, which another serde than that of the keys may write."""
        try:
            begin = (serde or self._serde).write(prefix)
        except ValueError as exc:
            raise StoreRefused(self.name, f"the prefix cannot be written: {exc}") from exc
        return self._pairs(self._state.prefixed(begin), backward=False)

    def approximate_num_entries(self) -> int:
        """How many keys there are; a store on disk may only guess."""
        return len(self._state)

    def _between(self, first: K | None, last: K | None, *, backward: bool) -> Iterator[tuple[K, V]]:
        return self._pairs(self._state.range(self._bound(first), self._bound(last)), backward=backward)

    def _pairs(self, found: list[tuple[bytes, Stored]], *, backward: bool) -> Iterator[tuple[K, V]]:
        return ((self._serde.read(key), self._values.seen(stored)) for key, stored in in_turn(found, backward=backward))
