"""Base of all stores that a processor sees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar

from headrace.errors import StoreRefused
from headrace.plan.stores import StoreConnection
from headrace.processor.values import Values
from headrace.state.keyvalue import Stored

K = TypeVar("K")
V = TypeVar("V")
P = TypeVar("P")


class OpenedStore(Generic[K, V]):
    """A store with typed keys and values. Keys are ordered by their bytes, as the serde of the store writes them."""

    def __init__(self, connection: StoreConnection, values: Values) -> None:
        self.name = connection.store.name
        self._serde, self._values = connection.store.key, values
        self._read_only = connection.read_only

    def _bound(self, key: K | None) -> bytes | None:
        return None if key is None else self._key(key)

    def _key(self, key: K) -> bytes:
        if key is None:
            raise StoreRefused(self.name, "None is no key")
        try:
            return self._serde.write(key)
        except ValueError as exc:
            raise StoreRefused(self.name, f"the key cannot be written: {exc}") from exc

    def _kept(self, value: V | None) -> tuple[Any, int]:
        """Stored form of a value and its time, if anything may be put here."""
        if self._read_only:
            self._check_writable()
        if value is None:
            return None, 0
        try:
            return self._values.kept(value)
        except ValueError as exc:
            raise StoreRefused(self.name, f"the value cannot be written: {exc}") from exc

    def _seen(self, stored: Stored | None) -> V | None:
        return None if stored is None else self._values.seen(stored)

    def _check_writable(self) -> None:
        if self._read_only:
            raise StoreRefused(self.name, "it is a copy of its topic, and can only be read here")


def in_turn(found: Iterable[P], *, backward: bool) -> Iterator[P]:
    """What was found, as it is now, from the last to the first if that is wanted."""
    listed = list(found)
    return reversed(listed) if backward else iter(listed)
