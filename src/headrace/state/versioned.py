"""Versioned stores: what every key was, and when."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from headrace.state.keyvalue import Stored, stored_of
from headrace.state.merging import MergeRule, remembered
from headrace.state.state import State

_Version = tuple[Any, int]
"""A value, None for a deletion, and the time from which on it is valid."""


@dataclass(slots=True)
class Put:
    """Progress of a versioned store."""

    newest: int | None = remembered(None, MergeRule.LATEST)
    """The newest time of all versions put."""


class VersionedStore:
    """The versions of every key, each valid from its time until that of the next.

    Stream time is the newest time of all versions put. A version that is more than `history_ms` older is refused, and
    what was valid before that is not known any more; the newest version of a key never expires.

    A place is a key, a thing the list of its versions.
    """

    def __init__(self, state: State, name: str, history_ms: int) -> None:
        self._history_ms = history_ms
        self._cells = state.cells(f"store.{name}")
        self._time = state.memory.of(f"store.{name}", "versions", Put)

    def put(self, key: bytes, value: Any, *, ts: int) -> bool | None:
        """Store the version of a time, None for a deletion: whether it is the newest of its key, None if refused."""
        stream_time = self._time.newest
        if stream_time is not None and ts < stream_time - self._history_ms:
            return None
        self._time.newest = ts if stream_time is None else max(ts, stream_time)
        versions: list[_Version] = self._cells.get(key) or []
        place = bisect_right(versions, ts, key=_time)
        if place and _time(versions[place - 1]) == ts:
            if value is None and _newest_row_alone(versions, place - 1):
                # As in Kafka Streams, a deletion in place of the row of the same time leaves no version there.
                self._keep(key, versions[:-1])
                return True
            if value is not None and versions[place - 1][0] is None and place == len(versions):
                versions.append((value, ts))  # an earlier deletion of the same time stays below it
            else:
                versions[place - 1] = value, ts
        else:
            versions.insert(place, (value, ts))
        self._forget(versions)
        self._keep(key, versions)
        return ts >= _time(versions[-1])

    def get(self, key: bytes, as_of: int | None = None) -> Stored | None:
        """Newest version of a key, or the one that was valid at a time."""
        versions = self._cells.get(key)
        return None if versions is None else self._valid(versions, as_of)

    def valid_to(self, key: bytes, ts: int) -> int | None:
        """Until when a version of this time is valid: the time of the next; None for the newest."""
        versions = self._cells.get(key) or []
        place = bisect_right(versions, ts, key=_time)
        return _time(versions[place]) if place < len(versions) else None

    def items(self) -> Iterator[tuple[bytes, Stored]]:
        """All keys with their newest versions, in the order of their bytes."""
        newest = ((key, _row(versions[-1])) for key, versions in self._cells.between(b"", None))
        return ((key, row) for key, row in newest if row is not None)

    def _valid(self, versions: list[_Version], as_of: int | None) -> Stored | None:
        if as_of is None or _time(versions[-1]) <= as_of:
            return _row(versions[-1])
        if as_of < self._oldest():
            return None
        place = bisect_right(versions, as_of, key=_time)
        return _row(versions[place - 1]) if place else None

    def _keep(self, key: bytes, versions: list[_Version]) -> None:
        if versions:
            self._cells.put(key, versions)
        else:
            self._cells.remove(key)

    def _oldest(self) -> int:
        return (self._time.newest or 0) - self._history_ms

    def _forget(self, versions: list[_Version]) -> None:
        """Drop the versions that had a successor already when the history begins."""
        begin = bisect_right(versions, self._oldest(), key=_time)
        del versions[: max(0, begin - 1)]


def _newest_row_alone(versions: list[_Version], place: int) -> bool:
    """Whether a version is a row, the newest of its key, and follows on none."""
    newest = place == len(versions) - 1
    return newest and versions[place][0] is not None and (place == 0 or versions[place - 1][0] is None)


def _time(version: _Version) -> int:
    return version[1]


def _row(version: _Version) -> Stored | None:
    return None if version[0] is None else stored_of(version)
