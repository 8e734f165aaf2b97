"""Versioned stores: what every key was, and when."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any

from headrace.state.keyvalue import Stored


class VersionedStore:
    """The versions of every key, in memory, each valid from its time until that of the next.

    Stream time is the newest time of all versions put. A version that is more than `history_ms` older is refused, and
    what was valid before that is not known any more; the newest version of a key never expires.
    """

    def __init__(self, history_ms: int) -> None:
        self._history_ms = history_ms
        self._stream_time: int | None = None
        self._versions: dict[bytes, list[Stored]] = {}

    def put(self, key: bytes, value: Any, *, ts: int) -> bool | None:
        """Store the version of a time, None for a deletion: whether it is the newest of its key, None if refused."""
        if self._stream_time is not None and ts < self._stream_time - self._history_ms:
            return None
        self._stream_time = ts if self._stream_time is None else max(ts, self._stream_time)
        versions = self._versions.setdefault(key, [])
        place = bisect_right(versions, ts, key=lambda one: one.ts)
        if place and versions[place - 1].ts == ts:
            if value is None and _newest_row_alone(versions, place - 1):
                # As in Kafka Streams, a deletion in place of the row of the same time leaves no version there.
                versions.pop()
                return True
            if value is not None and versions[place - 1].value is None and place == len(versions):
                versions.append(Stored(value, ts))  # an earlier deletion of the same time stays below it
            else:
                versions[place - 1] = Stored(value, ts)
        else:
            versions.insert(place, Stored(value, ts))
        self._forget(versions)
        return ts >= versions[-1].ts

    def get(self, key: bytes, as_of: int | None = None) -> Stored | None:
        """What is stored under a key: the newest version, or the one that was valid at a time."""
        versions = self._versions.get(key)
        if not versions:
            return None
        if as_of is None or versions[-1].ts <= as_of:
            return _row(versions[-1])
        if as_of < self._oldest():
            return None
        place = bisect_right(versions, as_of, key=lambda one: one.ts)
        return _row(versions[place - 1]) if place else None

    def valid_to(self, key: bytes, ts: int) -> int | None:
        """Until when a version of this time is valid: the time of the next; None for the newest."""
        versions = self._versions.get(key, [])
        place = bisect_right(versions, ts, key=lambda one: one.ts)
        return versions[place].ts if place < len(versions) else None

    def items(self) -> Iterator[tuple[bytes, Stored]]:
        """All keys with their newest versions, in the order of their bytes."""
        newest = ((key, self.get(key)) for key in sorted(self._versions))
        return ((key, row) for key, row in newest if row is not None)

    def _oldest(self) -> int:
        return (self._stream_time or 0) - self._history_ms

    def _forget(self, versions: list[Stored]) -> None:
        """Drop the versions that had a successor already when the history begins."""
        begin = bisect_right(versions, self._oldest(), key=lambda one: one.ts)
        del versions[: max(0, begin - 1)]


def _newest_row_alone(versions: list[Stored], place: int) -> bool:
    """Whether a version is a row, the newest of its key, and follows on none."""
    newest = place == len(versions) - 1
    return newest and versions[place].value is not None and (place == 0 or versions[place - 1].value is None)


def _row(version: Stored) -> Stored | None:
    return None if version.value is None else version
