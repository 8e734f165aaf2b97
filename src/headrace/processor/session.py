"""Session stores, as processors see them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from headrace.errors import StoreRefused
from headrace.model.windows import Window, Windowed
from headrace.plan.stores import StoreConnection
from headrace.processor.opened import OpenedStore, in_turn
from headrace.processor.values import Values
from headrace.processor.window import EARLIEST, LATEST
from headrace.state import session

K = TypeVar("K")
V = TypeVar("V")


class SessionStore(OpenedStore[K, V]):
    """The last value of every key and session, from its first moment to its last, both inside.

    A session whose end lies as far behind the newest as the store keeps them is gone. Sessions come by end, then by
    start, those of several keys then by the bytes of the key.
    """

    def __init__(self, connection: StoreConnection, values: Values, state: session.SessionStore) -> None:
        super().__init__(connection, values)
        self._state = state

    def put(self, session: Windowed[K], value: V | None) -> None:
        """Store the value of a session, `hr.Windowed(key, start, end)`; None removes it."""
        kept, ts = self._kept(value)
        self._state.put(*self._place(session), kept, ts=ts)

    def remove(self, session: Windowed[K]) -> None:
        """Forget a session."""
        self._check_writable()
        self._state.remove(*self._place(session))

    def fetch_session(self, key: K, start: int, end: int) -> V | None:
        """The value of one session, None if there is none."""
        return self._seen(self._state.get(self._key(key), Window(start, end)))

    def fetch(self, key: K) -> Iterator[tuple[Windowed[K], V]]:
        """All sessions of a key."""
        return self._of_key(key, EARLIEST, LATEST, backward=False)

    def backward_fetch(self, key: K) -> Iterator[tuple[Windowed[K], V]]:
        """All sessions of a key, from the last to the first."""
        return self._of_key(key, EARLIEST, LATEST, backward=True)

    def fetch_range(self, first_key: K | None, last_key: K | None) -> Iterator[tuple[Windowed[K], V]]:
        """All sessions of the keys from one to another, both inside; None for no bound."""
        return self._of_keys(first_key, last_key, EARLIEST, LATEST, backward=False)

    def backward_fetch_range(self, first_key: K | None, last_key: K | None) -> Iterator[tuple[Windowed[K], V]]:
        """Sessions of a range of keys, from the last session to the first."""
        return self._of_keys(first_key, last_key, EARLIEST, LATEST, backward=True)

    def find_sessions(self, key: K, earliest_end: int, latest_start: int) -> Iterator[tuple[Windowed[K], V]]:
        """The sessions of a key that end at one time or later and begin at another or earlier."""
        return self._of_key(key, earliest_end, latest_start, backward=False)

    def backward_find_sessions(self, key: K, earliest_end: int, latest_start: int) -> Iterator[tuple[Windowed[K], V]]:
        """Sessions of a key within bounds, from the last session to the first."""
        return self._of_key(key, earliest_end, latest_start, backward=True)

    def find_sessions_range(
        self, first_key: K | None, last_key: K | None, earliest_end: int, latest_start: int
    ) -> Iterator[tuple[Windowed[K], V]]:
        """Sessions of a range of keys within bounds; keys are both inside, None for no bound."""
        return self._of_keys(first_key, last_key, earliest_end, latest_start, backward=False)

    def backward_find_sessions_range(
        self, first_key: K | None, last_key: K | None, earliest_end: int, latest_start: int
    ) -> Iterator[tuple[Windowed[K], V]]:
        """Sessions of a range of keys within bounds, from the last session to the first."""
        return self._of_keys(first_key, last_key, earliest_end, latest_start, backward=True)

    def find_sessions_ended(self, earliest_end: int, latest_end: int) -> Iterator[tuple[Windowed[K], V]]:
        """The sessions of all keys that end from one time to another, both inside."""
        found = self._of_keys(None, None, earliest_end, LATEST, backward=False)
        return (entry for entry in found if entry[0].end <= latest_end)

    def _place(self, session: Windowed[K]) -> tuple[bytes, Window]:
        if not isinstance(session, Windowed):
            raise StoreRefused(self.name, f"{session!r} is no session: give hr.Windowed(key, start, end)")
        return self._key(session.key), session.window

    def _of_key(
        self, key: K, earliest_end: int, latest_start: int, *, backward: bool
    ) -> Iterator[tuple[Windowed[K], V]]:
        found = in_turn(self._state.find(self._key(key), earliest_end, latest_start), backward=backward)
        return ((Windowed(key, *session), self._values.seen(stored)) for session, stored in found)

    def _of_keys(
        self, first_key: K | None, last_key: K | None, earliest_end: int, latest_start: int, *, backward: bool
    ) -> Iterator[tuple[Windowed[K], V]]:
        bounds = self._bound(first_key), self._bound(last_key)
        found = in_turn(self._state.find_all(*bounds, earliest_end, latest_start), backward=backward)
        return (
            (Windowed(self._serde.read(key), *session), self._values.seen(stored)) for key, session, stored in found
        )
