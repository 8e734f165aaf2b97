"""Versioned stores, as processors see them."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

from headrace.plan.stores import StoreConnection
from headrace.processor.opened import OpenedStore
from headrace.processor.values import Values
from headrace.state import versioned

K = TypeVar("K")
V = TypeVar("V")


class Version(NamedTuple, Generic[V]):
    """Version of a key, valid from one time until another; `valid_to` is None for the one that is valid now."""

    value: V
    ts: int
    valid_to: int | None


class VersionPut(NamedTuple):
    """Result of a put: refused if older than the history, else valid until the next version, if any."""

    refused: bool
    valid_to: int | None = None


class VersionedStore(OpenedStore[K, V]):
    """Versioned store: every version of a key, as far back as the history. Times may come in any order."""

    def __init__(self, connection: StoreConnection, values: Values, state: versioned.VersionedStore) -> None:
        super().__init__(connection, values)
        self._state = state

    def put(self, key: K, value: V | None, ts: int) -> VersionPut:
        """Store what a key is from a time on, None for nothing. A time before the history is refused."""
        kept, _ = self._kept(value)
        data = self._key(key)
        if self._state.put(data, kept, ts=ts) is None:
            return VersionPut(refused=True)
        return VersionPut(refused=False, valid_to=self._state.valid_to(data, ts))

    def get(self, key: K, as_of: int | None = None) -> Version[V] | None:
        """Value of a key now, or at a time; None if it had none then, or if that version is forgotten."""
        data = self._key(key)
        stored = self._state.get(data, as_of)
        if stored is None:
            return None
        return Version(self._values.seen(stored), stored.ts, self._state.valid_to(data, stored.ts))

    def delete(self, key: K, ts: int) -> Version[V] | None:
        """Let a key be nothing from a time on; what it was at that time. A time before the history changes nothing."""
        before = self.get(key, ts)
        return None if self.put(key, None, ts).refused else before
