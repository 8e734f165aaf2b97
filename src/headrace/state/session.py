"""Session stores: values by key and session."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headrace.model.windows import Window
from headrace.state.cells import LATEST, bytes_time, prefix_end, sized, time_bytes
from headrace.state.keyvalue import Stored, stored_of
from headrace.state.state import State
from headrace.state.window import Forgotten, Kept


class SessionStore:
    """The latest value of every key and session, for a while.

    A session that ended `retention_ms` or more before the newest end that was put is gone; putting one there does
    nothing.

    A place is the key, the end and the start, a thing (value, time). An index has end, start and key: the order in
    which sessions are over.
    """

    def __init__(self, state: State, name: str, retention_ms: int) -> None:
        self._retention_ms = retention_ms
        self._rows, self._index = state.cells(f"store.{name}"), state.cells(f"store.{name}/ends")
        self._kept = state.memory.of(f"store.{name}", "ends", Kept)
        self._watched: list[Forgotten] | None = None
        self.lingering: dict[tuple[bytes, Window], Stored] | None = None
        """What was forgotten in this batch, for those who look it up when tables settle; None if nobody does."""

    def watched(self) -> list[Forgotten]:
        """List that expired sessions are put into from now on."""
        self._watched = [] if self._watched is None else self._watched
        return self._watched

    def put(self, key: bytes, session: Window, value: Any, *, ts: int) -> None:
        """Store the value of a session; None removes it."""
        kept = self._kept
        if kept.newest is None or session.end > kept.newest:
            kept.newest, kept.gone = session.end, session.end - self._retention_ms
            if kept.earliest <= kept.gone:
                self._expire()
        if value is None:
            return self.remove(key, session)
        if session.end <= kept.gone:
            return None
        times = _times(session)
        place = sized(key) + times
        if self._rows.get(place) is None:
            self._index.put(times + key, b"")
            kept.earliest = min(kept.earliest, session.end)
        return self._rows.put(place, (value, ts))

    def settled(self) -> None:
        """The batch is over."""
        if self.lingering:
            self.lingering.clear()

    def keeps(self, end: int) -> bool:
        """Whether a session with this end stays if it is put, and is still known if it was."""
        return end > self._kept.gone

    def get(self, key: bytes, session: Window) -> Stored | None:
        """The value of a session."""
        found = self._rows.get(sized(key) + _times(session))
        return None if found is None else stored_of(found)

    def find(self, key: bytes, earliest_end: int, latest_start: int) -> list[tuple[Window, Stored]]:
        """The sessions of a key that end and begin within these bounds, both inside, by end, then by start."""
        of_key = sized(key)
        found = self._rows.between(of_key + time_bytes(earliest_end), prefix_end(of_key))
        sessions = ((_session(place[-16:]), one) for place, one in found)
        return [(session, stored_of(one)) for session, one in sessions if session.start <= latest_start]

    def find_all(
        self, first_key: bytes | None, last_key: bytes | None, earliest_end: int, latest_start: int
    ) -> Iterator[tuple[bytes, Window, Stored]]:
        """Sessions of a range of keys, both inside, None for no bound; at equal times by key bytes."""
        for key, session, stored in self._ending(earliest_end, LATEST):
            inside = (first_key is None or first_key <= key) and (last_key is None or key <= last_key)
            if inside and session.start <= latest_start:
                yield key, session, stored

    def ended(self, first: int, last: int) -> Iterator[tuple[bytes, Window, Stored]]:
        """The sessions of all keys that end from one time to another, both inside, by end, start and key bytes."""
        return self._ending(first, last)

    def remove(self, key: bytes, session: Window) -> None:
        """Forget a session."""
        times = _times(session)
        self._rows.remove(sized(key) + times)
        self._index.remove(times + key)

    def _ending(self, first: int, last: int) -> Iterator[tuple[bytes, Window, Stored]]:
        if first <= last:
            for place, _ in self._index.between(time_bytes(first), prefix_end(time_bytes(last))):
                times, key = place[:16], place[16:]
                found = self._rows.get(sized(key) + times)
                if found is not None:
                    yield key, _session(times), stored_of(found)

    def _expire(self) -> None:
        begin, self._kept.earliest = time_bytes(self._kept.earliest), LATEST
        for place, _ in self._index.between(begin, None):
            times, key = place[:16], place[16:]
            session = _session(times)
            if session.end > self._kept.gone:
                self._kept.earliest = session.end
                return
            row = sized(key) + times
            if self._watched is not None or self.lingering is not None:
                self._let_go(key, session, stored_of(self._rows.get(row)))
            self._rows.remove(row)
            self._index.remove(place)

    def _let_go(self, key: bytes, session: Window, stored: Stored) -> None:
        if self._watched is not None:
            self._watched.append((key, session, stored))
        if self.lingering is not None:
            self.lingering[key, session] = stored


def _times(session: Window) -> bytes:
    return time_bytes(session.end) + time_bytes(session.start)


def _session(times: bytes) -> Window:
    return Window(bytes_time(times[8:]), bytes_time(times[:8]))
