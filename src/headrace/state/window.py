"""Window stores: values by key and time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from headrace.model.windows import Window
from headrace.state.cells import LATEST, bytes_time, prefix_end, sized, time_bytes
from headrace.state.keyvalue import Stored, stored_of
from headrace.state.merging import MergeRule, remembered
from headrace.state.state import State

Forgotten = tuple[bytes, Window, Stored]
"""A window that a store has forgotten: its key, and what was stored."""


@dataclass(slots=True)
class Kept:
    """Times that a window store keeps."""

    newest: int | None = remembered(None, MergeRule.LATEST)
    gone: int = remembered(-(2**63), MergeRule.EARLIEST)
    """All times up to here are gone."""
    earliest: int = remembered(LATEST, MergeRule.EARLIEST)
    """No time before this one lies in cells."""

    @property
    def has_seen(self) -> bool:
        """Whether anything was put, for the tasks of a rescale."""
        return self.newest is not None


class WindowStore:
    """The latest value of every key and time, for a while.

    What lies `retention_ms` or more behind the newest time that was put is gone, for reading and for good; putting
    there does nothing. With `duplicates` a key keeps every value of one time, in the order they came.

    A place is the key and the time, a thing (value, time), or with `duplicates` a list of those. An index has time and
    key.
    """

    def __init__(self, state: State, name: str, retention_ms: int, *, duplicates: bool = False) -> None:
        self._retention_ms, self._duplicates = retention_ms, duplicates
        self._rows, self._index = state.cells(f"store.{name}"), state.cells(f"store.{name}/times")
        self._kept = state.memory.of(f"store.{name}", "times", Kept)
        self._watched: tuple[list[Forgotten], Callable[[int], Window]] | None = None
        self.lingering: dict[tuple[bytes, int], Stored] | None = None
        """What was forgotten in this batch, for those who look it up when tables settle; None if nobody does."""

    def watched(self, window: Callable[[int], Window]) -> list[Forgotten]:
        """List that expired windows are put into from now on; `window` makes one of a time."""
        if self._watched is None:
            self._watched = [], window
        return self._watched[0]

    def put(self, key: bytes, time: int, value: Any, *, ts: int) -> None:
        """Store a value under a key and a time; None removes what is there."""
        kept = self._kept
        if kept.newest is None or time > kept.newest:
            kept.newest, kept.gone = time, time - self._retention_ms
            if kept.earliest <= kept.gone and kept.earliest <= kept.gone - self._patience():
                self._expire()
        if time <= kept.gone or (value is None and self._duplicates):
            return
        at = time_bytes(time)
        place = sized(key) + at
        if value is None:
            self._rows.remove(place)
            self._index.remove(at + key)
            return
        found = self._rows.get(place)
        if found is None:
            self._index.put(at + key, b"")
            if time < kept.earliest:
                kept.earliest = time
        if not self._duplicates:
            self._rows.put(place, (value, ts))
        elif found is None:
            self._rows.put(place, [(value, ts)])
        else:
            found.append((value, ts))
            self._rows.put(place, found)

    def settled(self) -> None:
        """The batch is over."""
        if self.lingering:
            self.lingering.clear()

    def keeps(self, time: int) -> bool:
        """Whether what is put under a time stays, and what was put there is still known."""
        return time > self._kept.gone

    def get(self, key: bytes, time: int) -> Stored | None:
        """Value and time under a key and a time; of several values the last."""
        found = self._rows.get(sized(key) + time_bytes(time)) if time > self._kept.gone else None
        return None if found is None else self._last(found)

    def fetch(self, key: bytes, first: int, last: int) -> Iterator[tuple[int, Stored]]:
        """Values of a key from one time to another, both inside, by time, then in the order they came."""
        first, of_key = max(first, self._kept.gone + 1), sized(key)
        found = self._rows.between(of_key + time_bytes(first), of_key + time_bytes(last) + b"\0")
        if self._duplicates:
            return iter([(bytes_time(place[-8:]), stored_of(one)) for place, values in found for one in values])
        return iter([(bytes_time(place[-8:]), stored_of(one)) for place, one in found])

    def fetch_all(
        self, first: int, last: int, first_key: bytes | None = None, last_key: bytes | None = None
    ) -> Iterator[tuple[bytes, int, Stored]]:
        """Values of all keys from one time to another, both inside, by time, then by the bytes of the key.

        With bounds for the keys, which are inside too, what those between them have.
        """
        first = max(first, self._kept.gone + 1)
        if first > last:
            return
        for place, _ in self._index.between(time_bytes(first), prefix_end(time_bytes(last))):
            at, key = place[:8], place[8:]
            if (first_key is None or first_key <= key) and (last_key is None or key <= last_key):
                for stored in self._values(self._rows.get(sized(key) + at)):
                    yield key, bytes_time(at), stored

    def _patience(self) -> int:
        """How far behind the retention something may lie in cells: nobody sees it, and several go at once."""
        return self._retention_ms // 8 if self._watched is None and self.lingering is None else 0

    def _expire(self) -> None:
        begin, self._kept.earliest = time_bytes(self._kept.earliest), LATEST
        for place, _ in self._index.between(begin, None):
            at, key = place[:8], place[8:]
            time = bytes_time(at)
            if time > self._kept.gone:
                self._kept.earliest = time
                return
            row = sized(key) + at
            if self._watched is not None or self.lingering is not None:
                self._let_go(key, time, self._rows.get(row))
            self._rows.remove(row)
            self._index.remove(place)

    def _let_go(self, key: bytes, time: int, found: Any) -> None:
        if self._watched is not None:
            watched, window = self._watched
            watched += [(key, window(time), stored) for stored in self._values(found)]
        if self.lingering is not None:
            self.lingering[key, time] = self._last(found)

    def _values(self, found: Any) -> list[Stored]:
        if found is None:
            return []
        return [stored_of(one) for one in found] if self._duplicates else [stored_of(found)]

    def _last(self, found: Any) -> Stored:
        return stored_of(found[-1] if self._duplicates else found)
