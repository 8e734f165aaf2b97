"""Cells: all that state is made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from typing import Any

LATEST = 2**63 - 1
"""The last time of all."""


class Cells(ABC):
    """Cells of one kind: values by places, which are bytes, in the order of these.

    A thing is plain and pickles well: a tuple, a list, a number, bytes, a value of the user's; None is no thing. One
    that was changed has to be put again.
    """

    @abstractmethod
    def get(self, place: bytes) -> Any:
        """The thing at a place, None if there is none."""

    @abstractmethod
    def put(self, place: bytes, thing: Any) -> None:
        """Put a thing at a place, instead of the one there."""

    @abstractmethod
    def remove(self, place: bytes) -> None:
        """Take away what is at a place, if anything is."""

    @abstractmethod
    def between(self, first: bytes, behind: bytes | None) -> Iterator[tuple[bytes, Any]]:
        """Places and things in order, from `first` on until before `behind`; None for the end.

        Meanwhile things may be put and removed. What was given is not given again; of what is changed further on it is
        open whether it shows.
        """

    def count(self) -> int:
        """How many things there are."""
        return sum(1 for _ in self.between(b"", None))


class MemoryCells(Cells):
    """Cells in memory: a dict, and a list of its places once somebody asks for an order."""

    def __init__(self, things: dict[bytes, Any] | None = None) -> None:
        self._things: dict[bytes, Any] = {} if things is None else things
        self._ordered: list[bytes] | None = None
        """The places in order, and among them those of `_left`."""
        self._left: set[bytes] = set()
        """The places that were removed: they are taken out of the list many at a time."""
        # These are as fast as the dict; `put` gives way to the method below when there is an order to keep.
        self.get = self._things.get  # type: ignore[assignment, method-assign]
        self.put = self._things.__setitem__  # type: ignore[assignment, method-assign]

    def get(self, place: bytes) -> Any:
        return self._things.get(place)

    def put(self, place: bytes, thing: Any) -> None:
        if place not in self._things:
            if place in self._left:
                self._left.remove(place)
            else:
                insort(self._ordered, place)  # type: ignore[arg-type]
        self._things[place] = thing

    def remove(self, place: bytes) -> None:
        if self._things.pop(place, None) is not None and self._ordered is not None:
            self._left.add(place)

    def between(self, first: bytes, behind: bytes | None) -> Iterator[tuple[bytes, Any]]:
        ordered = self._ordered
        if ordered is None or len(self._left) > _FEW:
            ordered = self._in_order()
        begin = bisect_left(ordered, first)
        part = ordered[begin : begin + _FIRST_PART]
        if behind is None or (len(part) == _FIRST_PART and part[-1] < behind):
            return self._part_by_part(part, behind)
        things = self._things
        return iter([(place, things[place]) for place in part if place < behind and place in things])

    def count(self) -> int:
        return len(self._things)

    def _part_by_part(self, part: list[bytes], behind: bytes | None) -> Iterator[tuple[bytes, Any]]:
        """Meanwhile the list may change, and whoever asks may want only the first few."""
        get, size = self._things.get, _FIRST_PART
        while True:
            for place in part:
                if behind is not None and place >= behind:
                    return
                thing = get(place)
                if thing is not None:
                    yield place, thing
            if len(part) < size:
                return
            ordered, size = self._in_order(), size * 8
            begin = bisect_right(ordered, part[-1])
            part = ordered[begin : begin + size]

    def _in_order(self) -> list[bytes]:
        ordered, left = self._ordered, self._left
        if ordered is None:
            ordered = self._ordered = sorted(self._things)
            del self.put
        elif len(left) > _FEW and len(left) > len(ordered) // 4:
            ordered = self._ordered = [place for place in ordered if place not in left]
            left.clear()
        return ordered


def prefix_end(prefix: bytes) -> bytes | None:
    """The first place behind all that begin with a prefix; None if nothing can be there."""
    stem = prefix.rstrip(b"\xff")
    return stem[:-1] + bytes([stem[-1] + 1]) if stem else None


def time_bytes(ms: int) -> bytes:
    """A time as 8 bytes, whose order is that of times, before 1970 as well; beyond 64 bits it is the last or first."""
    try:
        return (ms + _HALF).to_bytes(8, "big")
    except OverflowError:
        return b"\xff" * 8 if ms > 0 else bytes(8)


def bytes_time(data: bytes) -> int:
    """The time of `time_bytes`."""
    return int.from_bytes(data, "big") - _HALF


def sized(key: bytes) -> bytes:
    """A key with its length, so that something else can follow it in a place."""
    return len(key).to_bytes(4, "big") + key


def closed(key: bytes) -> bytes:
    """A key with an end, so that something else can follow it in a place and the order of keys stays."""
    return key.replace(b"\0", b"\0\xff") + b"\0\0"


_HALF = 2**63
_FIRST_PART = 4
_FEW = 128
"""So many places that were removed are no trouble in the list."""
