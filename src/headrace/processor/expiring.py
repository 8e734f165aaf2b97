"""Key-value stores with ttl, as processors see them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from headrace.plan.stores import StoreConnection
from headrace.processor.keyvalue import KeyValueStore
from headrace.processor.values import Values
from headrace.state import keyvalue
from headrace.state.expiry import Expiry
from headrace.state.keyvalue import Stored

K = TypeVar("K")
V = TypeVar("V")


class ExpiringStore(KeyValueStore[K, V]):
    """A key that was not put for `ttl_ms`, by the stream time of the task, is gone.

    Every value is kept with the stream time it was put at. Several processors may share the state: what one of them has
    put is over for all at the same time, and removed by whoever next puts something.
    """

    def __init__(
        self,
        connection: StoreConnection,
        values: Values,
        state: keyvalue.KeyValueStore,
        expiry: Expiry,
        now: Callable[[], int],
    ) -> None:
        super().__init__(connection, values, state)
        self._expiry, self._now = expiry, now

    def put(self, key: K, value: V | None) -> None:
        self._forget()
        written, (kept, _), now = self._key(key), self._kept(value), self._now()
        self._state.put(written, kept, ts=now)
        if kept is not None:
            self._expiry.written(written, now)

    def approximate_num_entries(self) -> int:
        self._forget()
        return super().approximate_num_entries()

    def _seen(self, stored: Stored | None) -> V | None:
        return None if stored is None or self._is_over(stored) else super()._seen(stored)

    def _pairs(self, found: list[tuple[bytes, Stored]], *, backward: bool) -> Iterator[tuple[K, V]]:
        return super()._pairs([one for one in found if not self._is_over(one[1])], backward=backward)

    def _is_over(self, stored: Stored) -> bool:
        return self._expiry.is_over(stored.ts, self._now())

    def _forget(self) -> None:
        if self._read_only:
            return
        for key, _ in self._expiry.over(self._now(), self._written_at):
            self._state.put(key, None, ts=0)

    def _written_at(self, key: bytes) -> int | None:
        stored = self._state.get(key)
        return None if stored is None else stored.ts
