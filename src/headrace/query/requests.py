"""Requests and replies of queries: plain values that also travel between instances.

Keys and values are bytes here, as in the changelog of the store; serdes are for those who ask. Nobody changes one that
is made; it is not said so to Python, for whom a frozen one takes three times as long to make.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from headrace.query.position import Position

USUAL_TIMEOUT_MS = 5_000
MOST_ENTRIES = 1_000
"""How many entries an answer has at the most; the rest comes in further pages."""


@dataclass(slots=True, kw_only=True)
class Question:
    """Query of a store: what every kind of query has."""

    store: str

    at_least: Position | None = None
    """What the answer has to reflect: it waits for that, but not longer than its time."""

    timeout_ms: int = USUAL_TIMEOUT_MS
    """How long the answer may take."""

    stale: bool = False
    """Whether a replica may answer that is still being built, or has lost touch with the broker."""


@dataclass(slots=True, kw_only=True)
class Get(Question):
    """The entry of one key. For a windowed store the key has the window behind it, as in the changelog."""

    key: bytes


@dataclass(slots=True, kw_only=True)
class Scan(Question):
    """Entries in the order of their keys: natural for text, numbers and truth, by bytes for others, then by time.

    All bounds are inside. Of windowed stores, `first`, `last` and `prefix` are of the keys without their windows. Of
    windows, `from_ms` and `to_ms` bound their starts; of sessions, those that have a moment in between are meant.
    """

    first: bytes | None = None
    last: bytes | None = None
    prefix: bytes | None = None
    """Of the key's bytes."""

    key: bytes | None = None
    """Of a windowed store: only the windows of this key, without a window behind it."""

    from_ms: int | None = None
    to_ms: int | None = None
    reverse: bool = False
    limit: int = MOST_ENTRIES
    after: bytes | None = None
    """The key of the last entry of the page before."""

    as_of: Position | None = None
    """The position of the page before: all pages are then of one moment. It is kept for a minute."""

    paged: bool = True
    """Whether more pages may be asked for: if not, no moment is kept for them."""


@dataclass(slots=True, kw_only=True)
class Count(Question):
    """Count of entries, by going through them."""


class Entry(NamedTuple):
    """A key with its value and the time of the value, in milliseconds."""

    key: bytes
    value: bytes
    ts: int


@dataclass(slots=True, kw_only=True)
class Reply:
    """Reply to a query."""

    position: Position
    """Everything up to here is reflected, and perhaps some that comes behind it."""

    entries: list[Entry] = field(default_factory=list)
    count: int = 0
    more: bool = False
    """Whether there are entries behind the last one."""

    stale: bool = False
    """Whether it may lag by more than usual, which was asked for."""

    instances: tuple[str, ...] = ()
    """Who has answered."""
