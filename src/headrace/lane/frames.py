"""Messages between Spark's tasks and Python processes: numbers and bytes, in columns where there are many.

`kernel/python/Frames.scala` has the other side.
"""

from __future__ import annotations

import os
import struct
import sys
from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import BinaryIO, cast

_INT, _LONG, _HEAD = struct.Struct("<i"), struct.Struct("<q"), struct.Struct("<ic")
_PART = struct.Struct(">i")
_NONE = _INT.pack(-1)
_SWAPPED = sys.byteorder == "big"

Column = Sequence[bytes | None]


class Reader:
    """A message that was read."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def int32(self) -> int:
        found: int = _INT.unpack_from(self._data, self._at)[0]
        self._at += 4
        return found

    def int64(self) -> int:
        found: int = _LONG.unpack_from(self._data, self._at)[0]
        self._at += 8
        return found

    def flag(self) -> bool:
        self._at += 1
        return self._data[self._at - 1] != 0

    def part(self) -> bytes | None:
        size, begin = self.int32(), self._at
        if size < 0:
            return None
        self._at += size
        return self._data[begin : self._at]

    def data(self) -> bytes:
        """Bytes that are there."""
        found = self.part()
        assert found is not None
        return found

    def text(self) -> str:
        return self.data().decode()

    def int32s(self, count: int) -> array[int]:
        return self._numbers("i", 4 * count)

    def int64s(self, count: int) -> array[int]:
        return self._numbers("q", 8 * count)

    def column(self, count: int) -> list[bytes | None] | None:
        """A column of bytes; None for one of nothing but None."""
        if self.int32() < 0:
            return None
        sizes, data, begin = self.int32s(count), self._data, self._at
        if count and min(sizes) >= 0:
            ends = list(accumulate(sizes, initial=begin))
            self._at = ends[-1]
            return [data[one:end] for one, end in pairwise(ends)]
        values: list[bytes | None] = []
        for size in sizes:
            values.append(None if size < 0 else data[begin : begin + size])
            begin += max(size, 0)
        self._at = begin
        return values

    def _numbers(self, kind: str, size: int) -> array[int]:
        found: array[int] = array(kind)
        found.frombytes(self._data[self._at : self._at + size])
        if _SWAPPED:
            found.byteswap()
        self._at += size
        return found


class Writer:
    """A message that is being written."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def int32(self, value: int) -> Writer:
        self._parts.append(_INT.pack(value))
        return self

    def int64(self, value: int) -> Writer:
        self._parts.append(_LONG.pack(value))
        return self

    def part(self, value: bytes | None) -> Writer:
        self._parts += [_NONE] if value is None else [_INT.pack(len(value)), value]
        return self

    def text(self, value: str) -> Writer:
        return self.part(value.encode())

    def int32s(self, values: Iterable[int]) -> Writer:
        return self._numbers(array("i", values))

    def int64s(self, values: Iterable[int]) -> Writer:
        return self._numbers(array("q", values))

    def column(self, values: Column) -> Writer:
        """A column of bytes."""
        missing = values.count(None)
        if missing == len(values):
            self._parts.append(_NONE)
            return self
        there = [value for value in values if value is not None] if missing else cast("Sequence[bytes]", values)
        sizes = array("i", [-1 if one is None else len(one) for one in values] if missing else map(len, there))
        self.int32(sum(sizes) + missing)
        self._numbers(sizes)
        self._parts.extend(there)
        return self

    def take(self) -> bytes:
        """Take the bytes that were written."""
        return b"".join(self._parts)

    def _numbers(self, values: array[int]) -> Writer:
        if _SWAPPED:
            values.byteswap()
        self._parts.append(values.tobytes())
        return self


class Channel:
    """Messages, each with a character for its kind, one way and the other."""

    def __init__(self, incoming: BinaryIO, outgoing: BinaryIO) -> None:
        self._incoming, self._outgoing, self._owner = incoming, outgoing, os.getpid()

    def send(self, kind: str, payload: bytes) -> None:
        if os.getpid() != self._owner:  # a user's function has forked, and both have come back from it
            os._exit(0)
        self._outgoing.write(_HEAD.pack(len(payload), kind.encode()) + payload)
        self._outgoing.flush()

    def receive(self) -> tuple[str, Reader] | None:
        """The next message; None when there will be none."""
        head = self._incoming.read(_HEAD.size)
        if len(head) < _HEAD.size:
            return None
        size, kind = _HEAD.unpack(head)
        return kind.decode(), Reader(self._incoming.read(size))

    def ask(self, kind: str, payload: bytes) -> Reader:
        """The answer to a question."""
        self.send(kind, payload)
        answer = self.receive()
        if answer is None:
            raise EOFError("nobody answers any more")
        return answer[1]


def packed_parts(parts: Iterable[bytes | None]) -> bytes:
    """Pack several parts into one, any of which may be None, as `Bytes.packed` of the kernel does."""
    return b"".join(_PART.pack(-1) if part is None else _PART.pack(len(part)) + part for part in parts)


def unpacked_parts(data: bytes) -> list[bytes | None]:
    """Parts of packed bytes."""
    parts: list[bytes | None] = []
    at = 0
    while at < len(data):
        (size,) = _PART.unpack_from(data, at)
        at += 4
        parts.append(None if size < 0 else data[at : at + size])
        at += max(size, 0)
    return parts
