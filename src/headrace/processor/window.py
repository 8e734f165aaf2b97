"""Window stores, as processors see them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar, overload

from headrace.model.windows import Windowed
from headrace.plan.stores import StoreConnection
from headrace.processor.opened import OpenedStore, in_turn
from headrace.processor.values import Values
from headrace.state import window

K = TypeVar("K")
V = TypeVar("V")

EARLIEST, LATEST = 0, 2**63 - 1


class WindowStore(OpenedStore[K, V]):
    """The last value of every key and window, or every value if the store has duplicates.

    A window is known by its start. Those whose start lies as far behind the newest as the store keeps them are gone,
    and nothing can be put there. What goes over several keys comes by time, then by the bytes of the key.
    """

    def __init__(self, connection: StoreConnection, values: Values, state: window.WindowStore, size_ms: int) -> None:
        super().__init__(connection, values)
        self._state, self._size_ms = state, size_ms

    def put(self, key: K, value: V | None, start: int) -> None:
        """Store the value of a key and the window that begins then; None removes it, if there are no duplicates."""
        kept, ts = self._kept(value)
        self._state.put(self._key(key), start, kept, ts=ts)

    @overload
    def fetch(self, key: K, first: int) -> V | None: ...

    @overload
    def fetch(self, key: K, first: int, last: int) -> Iterator[tuple[int, V]]: ...

    def fetch(self, key: K, first: int, last: int | None = None) -> V | Iterator[tuple[int, V]] | None:
        """The value of a key and the window that begins at a time; of duplicates the last.

        With two times, all windows of the key that begin from one to the other, both inside, as (start, value).
        """
        if last is None:
            return self._seen(self._state.get(self._key(key), first))
        return self._of_key(key, first, last, backward=False)

    def backward_fetch(self, key: K, first: int, last: int) -> Iterator[tuple[int, V]]:
        """Windows of a key, from the last window to the first."""
        return self._of_key(key, first, last, backward=True)

    def fetch_range(
        self, first_key: K | None, last_key: K | None, first: int, last: int
    ) -> Iterator[tuple[Windowed[K], V]]:
        """Values of a range of keys, in windows that begin within bounds, all inside.

        None for a key is no bound.
        """
        return self._of_keys(first_key, last_key, first, last, backward=False)

    def backward_fetch_range(
        self, first_key: K | None, last_key: K | None, first: int, last: int
    ) -> Iterator[tuple[Windowed[K], V]]:
        """Windows of a range of keys, from the last window to the first."""
        return self._of_keys(first_key, last_key, first, last, backward=True)

    def fetch_all(self, first: int, last: int) -> Iterator[tuple[Windowed[K], V]]:
        """Values of all keys, in windows that begin within bounds, both inside."""
        return self._of_keys(None, None, first, last, backward=False)

    def backward_fetch_all(self, first: int, last: int) -> Iterator[tuple[Windowed[K], V]]:
        """Windows of all keys within bounds, from the last window to the first."""
        return self._of_keys(None, None, first, last, backward=True)

    def all(self) -> Iterator[tuple[Windowed[K], V]]:
        """All keys and windows with their values."""
        return self._of_keys(None, None, EARLIEST, LATEST, backward=False)

    def backward_all(self) -> Iterator[tuple[Windowed[K], V]]:
        """All keys and windows with their values, from the last window to the first."""
        return self._of_keys(None, None, EARLIEST, LATEST, backward=True)

    def _of_key(self, key: K, first: int, last: int, *, backward: bool) -> Iterator[tuple[int, V]]:
        found = in_turn(self._state.fetch(self._key(key), first, last), backward=backward)
        return ((start, self._values.seen(stored)) for start, stored in found)

    def _of_keys(
        self, first_key: K | None, last_key: K | None, first: int, last: int, *, backward: bool
    ) -> Iterator[tuple[Windowed[K], V]]:
        bounds = self._bound(first_key), self._bound(last_key)
        found = in_turn(self._state.fetch_all(first, last, *bounds), backward=backward)
        return (
            (Windowed(self._serde.read(key), start, min(start + self._size_ms, LATEST)), self._values.seen(stored))
            for key, start, stored in found
        )
