"""The stores of one application, by their names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from headrace.state.expiry import Expiry
from headrace.state.keyvalue import KeyValueStore
from headrace.state.session import SessionStore
from headrace.state.state import State
from headrace.state.versioned import VersionedStore
from headrace.state.window import WindowStore


class Stores:
    """Stores on top of a state, each made when it is first asked for."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._key_values: dict[str, KeyValueStore] = {}
        self._windows: dict[str, WindowStore] = {}
        self._sessions: dict[str, SessionStore] = {}
        self._versioned: dict[str, VersionedStore] = {}
        self.is_settling = False
        """Whether the changes of a batch are on their way that tables have held back."""

    @contextmanager
    def settling(self) -> Iterator[None]:
        """While tables settle, windows that were forgotten in this batch can be looked up; afterwards they are gone.

        A change that was held back finds what it would have found when it happened, however long the batch is.
        """
        self.is_settling = True
        try:
            yield
        finally:
            self.is_settling = False
            for windows in self._windows.values():
                windows.settled()
            for sessions in self._sessions.values():
                sessions.settled()

    def key_value_store(self, name: str) -> KeyValueStore:
        """The key-value store of a name."""
        if name not in self._key_values:
            self._key_values[name] = KeyValueStore(self._state, name)
        return self._key_values[name]

    def window_store(self, name: str, retention_ms: int, *, duplicates: bool = False) -> WindowStore:
        """The window store of a name."""
        if name not in self._windows:
            self._windows[name] = WindowStore(self._state, name, retention_ms, duplicates=duplicates)
        return self._windows[name]

    def session_store(self, name: str, retention_ms: int) -> SessionStore:
        """The session store of a name."""
        if name not in self._sessions:
            self._sessions[name] = SessionStore(self._state, name, retention_ms)
        return self._sessions[name]

    def versioned_store(self, name: str, history_ms: int) -> VersionedStore:
        """The versioned store of a name."""
        if name not in self._versioned:
            self._versioned[name] = VersionedStore(self._state, name, history_ms)
        return self._versioned[name]

    def store_expiry(self, name: str, ttl_ms: int) -> Expiry:
        """Expiry of the keys of a key-value store, for all who put there."""
        return Expiry(self._state, f"store.{name}", ttl_ms)
