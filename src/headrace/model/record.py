"""Records, as they lie in a topic and as operators see them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from headrace.errors import TimestampNegative

Header = tuple[str, bytes | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RawRecord:
    """A record of a topic, in bytes. `ts` is in milliseconds."""

    topic: str
    key: bytes | None = None
    value: bytes | None = None
    ts: int
    headers: tuple[Header, ...] = ()
    origin: str | None = None
    """topic-partition@offset of the record it is, or comes from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A record on its way through operators. `ts` is in milliseconds."""

    key: Any = None
    value: Any = None
    ts: int
    headers: tuple[Header, ...] = ()
    origin: str | None = None
    """topic-partition@offset of the record of a topic that it comes from."""

    def with_key(self, key: Any) -> Record:
        """The same with another key."""
        return Record(key=key, value=self.value, ts=self.ts, headers=self.headers, origin=self.origin)

    def with_value(self, value: Any) -> Record:
        """The same with another value."""
        return Record(key=self.key, value=value, ts=self.ts, headers=self.headers, origin=self.origin)

    def with_pair(self, key: Any, value: Any) -> Record:
        """The same with another key and value."""
        return Record(key=key, value=value, ts=self.ts, headers=self.headers, origin=self.origin)

    def with_ts(self, ts: int) -> Record:
        """The same at another time, which is not before 1970."""
        if ts < 0:
            raise TimestampNegative(ts)
        return Record(key=self.key, value=self.value, ts=ts, headers=self.headers, origin=self.origin)

    def with_headers(self, headers: Iterable[Header]) -> Record:
        """The same with other headers."""
        return Record(key=self.key, value=self.value, ts=self.ts, headers=tuple(headers), origin=self.origin)
