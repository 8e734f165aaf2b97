"""The stores of one application that keep values by time, by their names."""

from __future__ import annotations

from headrace.state.session import SessionStore
from headrace.state.versioned import VersionedStore
from headrace.state.window import WindowStore


class TimedStores:
    """Window and session stores, each made when it is first asked for."""

    def __init__(self) -> None:
        self._windows: dict[str, WindowStore] = {}
        self._sessions: dict[str, SessionStore] = {}
        self._versioned: dict[str, VersionedStore] = {}

    def window_store(self, name: str, retention_ms: int, *, duplicates: bool = False) -> WindowStore:
        """The window store of a name."""
        if name not in self._windows:
            self._windows[name] = WindowStore(retention_ms, duplicates=duplicates)
        return self._windows[name]

    def versioned_store(self, name: str, history_ms: int) -> VersionedStore:
        """The versioned store of a name."""
        if name not in self._versioned:
            self._versioned[name] = VersionedStore(history_ms)
        return self._versioned[name]

    def session_store(self, name: str, retention_ms: int) -> SessionStore:
        """The session store of a name."""
        if name not in self._sessions:
            self._sessions[name] = SessionStore(retention_ms)
        return self._sessions[name]
