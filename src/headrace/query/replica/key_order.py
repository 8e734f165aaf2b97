"""Key order of replicas: bytes that sort as the keys do, with the windows of a key together.

Ints, floats and truth are ordered as values, text and bytes by their bytes, which for text is the order of its letters.
Before a window a key of no fixed size has each zero byte marked, and two zero bytes behind it: no key is then the
beginning of another.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from headrace.serde import Serde, WindowedSerde
from headrace.serde.facts import Ordering

OWN = b"\x00"
"""What the keys of a replica's own notes begin with."""

_ENTRY = b"\x01"
_BEHIND = b"\x02"
_SIGN = 0x80
# The first byte of a number with its sign turned over, behind the mark of entries.
_TURNED = [_ENTRY + bytes([first ^ _SIGN]) for first in range(256)]
_INVERTED = bytes(255 - one for one in range(256))
_ZERO, _MARKED_ZERO, _END = b"\x00", b"\x00\xff", b"\x00\x00"
_TIME = 8


class Order(ABC):
    """Order of plain keys of one kind: bytes that sort as they do."""

    size: int | None = None
    """Of all keys; None if they differ."""

    @abstractmethod
    def place(self, key: bytes) -> bytes:
        """The bytes of a key in a replica; ValueError if it is none."""

    @abstractmethod
    def key(self, placed: bytes) -> bytes:
        """Back again."""


class ByBytes(Order):
    """Keys that are in order as they are; their serde says which are none."""

    def __init__(self, serde: Serde[Any]) -> None:
        self._check = serde.read
        self.size = serde.facts.keys.size

    def place(self, key: bytes) -> bytes:
        self._check(key)
        return _ENTRY + key

    def key(self, placed: bytes) -> bytes:
        return placed[1:]


class ByNumber(Order):
    """Order of whole numbers: the sign bit is flipped."""

    def __init__(self, serde: Serde[Any]) -> None:
        self.size = serde.facts.keys.size

    def place(self, key: bytes) -> bytes:
        if len(key) != self.size:
            raise ValueError(f"{len(key)} bytes, {self.size} are needed")
        return _TURNED[key[0]] + key[1:]

    def key(self, placed: bytes) -> bytes:
        return _TURNED[placed[1]][1:] + placed[2:]


class ByDouble(ByNumber):
    """Floats: the sign turned over, and of negative ones all bits. NaN comes last."""

    def place(self, key: bytes) -> bytes:
        if len(key) == self.size and key[0] & _SIGN:
            return _ENTRY + key.translate(_INVERTED)
        return super().place(key)

    def key(self, placed: bytes) -> bytes:
        return super().key(placed) if placed[1] & _SIGN else placed[1:].translate(_INVERTED)


_ORDERS: Mapping[Ordering, Callable[[Serde[Any]], Order]] = {
    Ordering.BYTES: ByBytes,
    Ordering.INT: ByNumber,
    Ordering.FLOAT: ByDouble,
}


@dataclass(frozen=True)
class Span:
    """A stretch of a replica: from `low` on, and before `high`."""

    low: bytes
    high: bytes

    @property
    def holds_one(self) -> bool:
        """Whether there is no place in it but the first."""
        return self.high == self.low + _ZERO


class Layout:
    """Key layout of tables: the key alone."""

    window_bytes = 0
    """How long the window behind a key is."""

    def __init__(self, serde: Serde[Any], inner: Serde[Any] | None = None) -> None:
        self.serde = serde
        self.bare_serde = inner or serde
        """Of the key without a window."""

        order = self.bare_serde.facts.keys
        self._order: Order = _ORDERS[order.ordering](self.bare_serde)
        self.place = self._order.place
        self.key = self._order.key

    @staticmethod
    def of(serde: Serde[Any]) -> Layout:
        """The layout of a store with such keys."""
        if isinstance(serde, WindowedSerde):
            return WindowLayout(serde)
        return Layout(serde)

    @property
    def prefixes(self) -> bool:
        """Whether keys have beginnings that mean something."""
        return self.bare_serde.facts.keys.prefixes

    def bare(self, key: bytes) -> bytes:
        """A key without its window: what says to which partition it belongs."""
        return key

    def span(
        self,
        first: bytes | None = None,
        last: bytes | None = None,
        prefix: bytes | None = None,
        key: bytes | None = None,
    ) -> Span:
        """Range of keys: not before the first, not behind the last, with a prefix, or one key alone."""
        low, high = _ENTRY, _BEHIND
        if key is not None:
            first = last = key
        if first is not None:
            low = self._begin(first)
        if last is not None:
            high = self._behind(last)
        if prefix:
            start = self._beginning(prefix)
            low, high = max(low, start), min(high, _next(start))
        return Span(low, high)

    def _begin(self, bare: bytes) -> bytes:
        return self._order.place(bare)

    def _behind(self, bare: bytes) -> bytes:
        return self._order.place(bare) + _ZERO

    def _beginning(self, prefix: bytes) -> bytes:
        return _ENTRY + prefix


class WindowLayout(Layout):
    """Key layout of windows: the key, then the start; of sessions: the key, then the end and the start."""

    def __init__(self, serde: WindowedSerde) -> None:
        super().__init__(serde, serde.inner)
        self.window_bytes = serde.window_bytes
        self._fixed = self._order.size is not None
        self.place = self._place
        self.key = self._key

    def bare(self, key: bytes) -> bytes:
        return key[: -self.window_bytes]

    def time(self, key: bytes) -> int:
        """The start of a window, the end of a session; of a key as in the changelog or placed."""
        return int.from_bytes(key[-self.window_bytes :][:_TIME], "big")

    def start(self, key: bytes) -> int:
        """Start of a key's window or session."""
        return int.from_bytes(key[-_TIME:], "big")

    def at(self, bare: bytes, ms: int) -> bytes:
        """First byte of a key's windows that start, or sessions that end, at a time or later."""
        return self._begin(bare) + ms.to_bytes(_TIME, "big")

    def _place(self, key: bytes) -> bytes:
        if len(key) < self.window_bytes:
            raise ValueError(f"{len(key)} bytes, at least {self.window_bytes} are needed for the window")
        if key[-_TIME] & _SIGN or key[-self.window_bytes] & _SIGN:
            raise ValueError("its window begins before 1970")
        return self._begin(key[: -self.window_bytes]) + key[-self.window_bytes :]

    def _key(self, placed: bytes) -> bytes:
        head = placed[: -self.window_bytes]
        if not self._fixed:
            head = head[: -len(_END)].replace(_MARKED_ZERO, _ZERO)
        return self._order.key(head) + placed[-self.window_bytes :]

    def _begin(self, bare: bytes) -> bytes:
        placed = self._order.place(bare)
        return placed if self._fixed else placed.replace(_ZERO, _MARKED_ZERO) + _END

    def _behind(self, bare: bytes) -> bytes:
        return _next(self._begin(bare))

    def _beginning(self, prefix: bytes) -> bytes:
        return _ENTRY + prefix.replace(_ZERO, _MARKED_ZERO)


def _next(beginning: bytes) -> bytes:
    """The first bytes behind all that begin so. The mark of entries is below the highest byte, so there are some."""
    kept = beginning.rstrip(b"\xff")
    return kept[:-1] + bytes([kept[-1] + 1])
