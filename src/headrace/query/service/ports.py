"""Ports of an instance: its interface for callers, and the one for other instances."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from headrace.query.catalogue import Queryable
from headrace.query.requests import Entry, Get, Question, Reply


@dataclass(frozen=True)
class Share:
    """Share of a store at one instance: one partition of it."""

    store: str
    partition: int
    offset: int
    """Of the changelog: the next that it reads."""

    end: int
    """Of the changelog, as far as it is known there."""

    ready: bool
    """Whether it has caught up once, and answers."""

    @property
    def lag(self) -> int:
        """How many offsets of the changelog it has yet to read."""
        return max(0, self.end - self.offset)


@dataclass(frozen=True)
class Member:
    """An instance, as all of them know it."""

    name: str
    url: str
    shares: tuple[Share, ...] = ()


@dataclass(frozen=True)
class Changed:
    """A change of a store, as watchers see it: the entry, or the key alone if it is gone."""

    partition: int
    offset: int
    """Of the change in the changelog; -1 for an entry that is told because it is there."""

    key: bytes
    entry: Entry | None

    @property
    def size(self) -> int:
        """About how many bytes of memory it takes."""
        return _OVERHEAD + len(self.key) + (len(self.entry.value) if self.entry is not None else 0)


_OVERHEAD = 300
"""What a change takes besides its bytes."""


@dataclass(frozen=True)
class Watched:
    """Watched keys of a store: all, one, a range (both inside), or those with a prefix; as `Scan`."""

    store: str
    key: bytes | None = None
    first: bytes | None = None
    last: bytes | None = None
    prefix: bytes | None = None
    since: Mapping[int, int] = field(default_factory=dict)
    """For each partition the offset to go on from; where that is not remembered, all is told again."""

    life: str = ""
    """The life of the changelog that `since` is of. In another one, after a reset, it means nothing."""


class Watch(Protocol):
    """Watch of a store. All but `first` holds once everything has been taken from that."""

    @property
    def first(self) -> Iterator[list[Changed]]:
        """Snapshot in small parts, whose entries have no offsets; or the changes that were missed.

        Also what changes meanwhile, where that is much. Partitions are joined one after the other, as parts are taken:
        NobodyAnswers where one is not held here any more. A part takes less than a millisecond.
        """

    @property
    def since(self) -> Mapping[int, int]:
        """Resume offsets: for each partition the next offset after `first`."""

    @property
    def life(self) -> str:
        """Id of the changelog of the offsets: one that was deleted and made again has another."""

    @property
    def whole(self) -> Collection[int]:
        """The partitions of which `first` had everything, and not only what was missed."""

    def close(self) -> None:
        """No more changes."""


class Answering(Protocol):
    """Port for programs: queries answered by an instance in their process, or by a server."""

    @property
    def app(self) -> str:
        """The id of the application."""

    @property
    def stores(self) -> Mapping[str, Queryable]:
        """Stores that can be queried."""

    def at_once(self, question: Get) -> Reply | None:
        """The answer if it is here and needs no waiting; takes microseconds. Else None: `answer` may have it."""

    def answer(self, question: Question) -> Reply:
        """The answer, from here or from whoever has it; may wait, so it is for a thread that can."""

    def members(self) -> tuple[Member, ...]:
        """Instances that are up."""

    def holders(self, store: str, key: bytes) -> tuple[Member, ...]:
        """The instances that answer for a key, the one that is asked first in front."""


class Serving(Answering, Protocol):
    """Port for a server: one instance, its share of the stores, and the way to all others."""

    @property
    def name(self) -> str:
        """Name of this instance among the members."""

    @property
    def ready(self) -> bool:
        """Whether all that this instance is to hold can be asked."""

    @property
    def foreign(self) -> int:
        """How many records of changelogs were left out here because their keys are none of their store's."""

    def local(self, question: Question, partitions: Collection[int]) -> Reply:
        """Answer another instance from partitions that are held here."""

    def partition(self, store: str, key: bytes) -> int:
        """The partition of a key."""

    def watch(
        self,
        watched: Watched,
        tell: Callable[[list[Changed]], None],
        partitions: Collection[int],
        gone: Callable[[int], None],
    ) -> Watch:
        """Watch these partitions: first what is here now or was missed, in `Watch.first`, and from then on each change.

        Further changes are told in the thread that reads the changelog, those of one partition perhaps while another is
        told from the start: `tell` must not wait. Nor must `gone`, which is called when a partition is not held here
        any more: whoever watches it has to go elsewhere.
        """


class Peers(Protocol):
    """The way to other instances."""

    def ask(self, url: str, question: Question, partitions: Collection[int]) -> Reply:
        """Ask a peer for its `local` answer; PeerUnreachable if nobody is there, PeerFailed without an answer."""
