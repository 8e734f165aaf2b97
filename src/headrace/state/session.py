"""Session stores: values by key and session."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import Any

from headrace.model.windows import Window
from headrace.state.keyvalue import Stored
from headrace.state.window import Forgotten

_Place = tuple[int, int, bytes]
"""End, start and key of a session: the order in which sessions are over."""


class SessionStore:
    """The latest value of every key and session, in memory, for a while.

    A session that ended `retention_ms` or more before the newest end that was put is gone; putting one there does
    nothing.
    """

    def __init__(self, retention_ms: int) -> None:
        self._retention_ms = retention_ms
        self._newest: int | None = None
        self._gone = _NEVER
        """All ends up to here are gone."""
        self._places: list[_Place] = []
        self._of_key: dict[bytes, dict[Window, Stored]] = {}
        self._watched: list[Forgotten] | None = None
        self.lingering: dict[tuple[bytes, Window], Stored] | None = None
        """What was forgotten in this batch, for those who look it up when tables settle; None if nobody does."""

    def watched(self) -> list[Forgotten]:
        """Where all that is forgotten is put from now on."""
        self._watched = [] if self._watched is None else self._watched
        return self._watched

    def put(self, key: bytes, session: Window, value: Any, *, ts: int) -> None:
        """Store the value of a session; None removes it."""
        if self._newest is None or session.end > self._newest:
            self._newest, self._gone = session.end, session.end - self._retention_ms
            self._expire()
        if value is None:
            return self.remove(key, session)
        if session.end <= self._gone:
            return None
        sessions = self._of_key.setdefault(key, {})
        if session not in sessions:
            insort(self._places, (session.end, session.start, key))
        sessions[session] = Stored(value, ts)
        return None

    def settled(self) -> None:
        """The batch is over."""
        if self.lingering:
            self.lingering.clear()

    def keeps(self, end: int) -> bool:
        """Whether a session with this end stays if it is put, and is still known if it was."""
        return end > self._gone

    def get(self, key: bytes, session: Window) -> Stored | None:
        """The value of a session."""
        return self._of_key.get(key, {}).get(session)

    def find(self, key: bytes, earliest_end: int, latest_start: int) -> list[tuple[Window, Stored]]:
        """The sessions of a key that end and begin within these bounds, both inside, by end, then by start."""
        found = [
            (session, stored)
            for session, stored in self._of_key.get(key, {}).items()
            if session.end >= earliest_end and session.start <= latest_start
        ]
        return sorted(found, key=lambda entry: (entry[0].end, entry[0].start))

    def find_all(
        self, first_key: bytes | None, last_key: bytes | None, earliest_end: int, latest_start: int
    ) -> Iterator[tuple[bytes, Window, Stored]]:
        """The same for all keys from one to another, both inside, None for no bound; at equal times by key bytes."""
        for end, start, key in self._places[bisect_left(self._places, (earliest_end,)) :]:
            inside = (first_key is None or first_key <= key) and (last_key is None or key <= last_key)
            if inside and start <= latest_start:
                yield key, Window(start, end), self._of_key[key][Window(start, end)]

    def ended(self, first: int, last: int) -> Iterator[tuple[bytes, Window, Stored]]:
        """The sessions of all keys that end from one time to another, both inside, by end, start and key bytes."""
        begin = bisect_left(self._places, (first,))
        for end, start, key in self._places[begin : bisect_left(self._places, (last + 1,))]:
            yield key, Window(start, end), self._of_key[key][Window(start, end)]

    def remove(self, key: bytes, session: Window) -> None:
        """Forget a session."""
        if self._of_key.get(key, {}).pop(session, None) is not None:
            del self._places[bisect_left(self._places, (session.end, session.start, key))]
            if not self._of_key[key]:
                del self._of_key[key]

    def __getstate__(self) -> dict[str, Any]:
        """All but who watches: in another process that is somebody else."""
        return {**self.__dict__, "_watched": None}

    def _expire(self) -> None:
        gone = bisect_left(self._places, (self._gone + 1,))
        for end, start, key in self._places[:gone]:
            sessions = self._of_key[key]
            stored = sessions.pop(Window(start, end))
            if self._watched is not None:
                self._watched.append((key, Window(start, end), stored))
            if self.lingering is not None:
                self.lingering[key, Window(start, end)] = stored
            if not sessions:
                del self._of_key[key]
        del self._places[:gone]


_NEVER = -(2**63)
