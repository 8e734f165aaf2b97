"""Records, as they lie in a topic and as operators see them.

Both are made for every step of every record, so they are tuples underneath: those are the fastest values of Python that
nobody can change.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self

from headrace.errors import TimestampNegative

if TYPE_CHECKING:  # of a Record alone, checkers know nothing; typing has this from Python 3.13
    from typing_extensions import TypeVar

    K = TypeVar("K", default=Any)
    V = TypeVar("V", default=Any)
else:
    from typing import TypeVar

    K, V = TypeVar("K"), TypeVar("V")

K2 = TypeVar("K2")
V2 = TypeVar("V2")

Header = tuple[str, bytes | None]

_new = tuple.__new__


class RawRecord(NamedTuple):
    """A record of a topic, in bytes. `ts` is in milliseconds."""

    topic: str
    ts: int
    key: bytes | None = None
    value: bytes | None = None
    headers: tuple[Header, ...] = ()
    origin: str | None = None
    """topic-partition@offset of the record it is, or comes from."""

    @staticmethod
    def made(
        topic: str, ts: int, key: bytes | None, value: bytes | None, headers: tuple[Header, ...], origin: str | None
    ) -> RawRecord:
        """A record of its parts in their order: many are made, and names take time."""
        return _new(RawRecord, (topic, ts, key, value, headers, origin))


class _Parts(NamedTuple, Generic[K, V]):
    key: K
    value: V
    ts: int
    headers: tuple[Header, ...]
    origin: str | None


class Record(_Parts[K, V]):
    """A record on its way through operators, with a key of type `K` and a value of type `V`. `ts` is in milliseconds.

    `origin` is the topic-partition@offset of the record of a topic that it comes from. Records are equal if all but
    their origins is: what they say, not where they come from.

    >>> Record(key="ann", value=3, ts=5, origin="clicks-0@7")
    Record(key='ann', value=3, ts=5, origin='clicks-0@7')
    """

    __slots__ = ()

    def __new__(
        cls,
        *,
        key: K = None,  # type: ignore[assignment]
        value: V = None,  # type: ignore[assignment]
        ts: int,
        headers: tuple[Header, ...] = (),
        origin: str | None = None,
    ) -> Self:
        return _new(cls, (key, value, ts, headers, origin))

    @staticmethod
    def made(key: Any, value: Any, ts: int, headers: tuple[Header, ...], origin: str | None) -> Record:
        """A record of its parts in their order: many are made, and names take time."""
        return _new(Record, (key, value, ts, headers, origin))

    @staticmethod
    def made_all(
        keys: Iterable[Any],
        values: Iterable[Any],
        times: Iterable[int],
        headers: Iterable[tuple[Header, ...]],
        origins: Iterable[str | None],
    ) -> list[Record]:
        """As many records as there are of each part."""
        return [_new(Record, parts) for parts in zip(keys, values, times, headers, origins, strict=True)]

    def with_key(self, key: K2) -> Record[K2, V]:
        """Copy of the record with another key."""
        return _new(Record, (key, self.value, self.ts, self.headers, self.origin))

    def with_value(self, value: V2) -> Record[K, V2]:
        """Copy of the record with another value."""
        return _new(Record, (self.key, value, self.ts, self.headers, self.origin))

    def with_pair(self, key: K2, value: V2) -> Record[K2, V2]:
        """Copy of the record with another key and value."""
        return _new(Record, (key, value, self.ts, self.headers, self.origin))

    def with_row(self, key: K2, value: V2, ts: int) -> Record[K2, V2]:
        """Copy of the record with another key, value and time."""
        return _new(Record, (key, value, ts, self.headers, self.origin))

    def with_ts(self, ts: int) -> Record[K, V]:
        """Copy of the record at another time, which is not before 1970."""
        if ts < 0:
            raise TimestampNegative(ts)
        return _new(Record, (self.key, self.value, ts, self.headers, self.origin))

    def with_headers(self, headers: Iterable[Header]) -> Record[K, V]:
        """Copy of the record with other headers."""
        return _new(Record, (self.key, self.value, self.ts, tuple(headers), self.origin))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self[:4] == other[:4]

    def __ne__(self, other: object) -> bool:  # a tuple has its own
        return not self == other

    def __hash__(self) -> int:
        return hash(self[:4])

    def __repr__(self) -> str:
        headers = f", headers={self.headers!r}" if self.headers else ""
        origin = f", origin={self.origin!r}" if self.origin else ""
        return f"Record(key={self.key!r}, value={self.value!r}, ts={self.ts}{headers}{origin})"

    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]:
        """Arguments that a copy is made from."""
        return (), self._asdict()
