"""Held partition: one partition of all stores at this instance, with the offset that it reflects."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from headrace.log.follow import Place
from headrace.query.position import Position
from headrace.query.replica.replica import Replica
from headrace.query.replica.watched import ChangeChannel
from headrace.query.service.ports import Share

_MOST_MARKS = 64


@dataclass(slots=True)
class Held:
    """A replica, where it is read from, and who watches it."""

    replica: Replica
    channel: ChangeChannel
    end: int = 0
    """Of the changelog, as far as is known."""

    @property
    def place(self) -> Place:
        return self.replica.origin.topic, self.replica.origin.partition


@dataclass(frozen=True, slots=True)
class Mark:
    """The application had come so far when the changelogs were so long."""

    position: Position
    ends: Mapping[str, int]
    """By store."""


class Holding:
    """The replicas of one partition by store. They reflect a position once all have read as far as its mark."""

    def __init__(
        self, partition: int, held: Iterable[Held], turned: threading.Condition, answered: Mapping[int, Position]
    ) -> None:
        self.partition = partition
        self.held = {one.replica.store.name: one for one in held}
        self.replicas = {name: one.replica for name, one in self.held.items()}
        self.position: Position | None = None
        """None until the first mark is reached: it is not asked before."""

        self._reached: Position | None = None
        self._marks: deque[Mark] = deque()
        self._turned = turned
        self._answered = answered
        """What was answered for partitions before they were here: they are not asked until they reflect that too."""

    @property
    def ready(self) -> bool:
        """Whether it has caught up once."""
        return self.position is not None

    @property
    def shares(self) -> list[Share]:
        """Shares of stores at this instance, as other instances are told of them."""
        return [
            Share(name, self.partition, one.replica.next, max(one.end, one.replica.next), self.ready)
            for name, one in self.held.items()
        ]

    def lacks(self, position: Position) -> bool:
        """Whether nobody has said yet when it reflects this."""
        self.settle()  # perhaps all that it waited for was that an earlier life is forgotten
        with self._turned:
            last = self._marks[-1].position if self._marks else self._reached
            return last != position and len(self._marks) < _MOST_MARKS

    def mark(self, position: Position, ends: Mapping[Place, int]) -> None:
        """Note a position that the partition reflects once it has read up to an offset."""
        for one in self.held.values():
            one.end = max(one.end, ends[one.place])
        mark = Mark(position, {name: ends[one.place] for name, one in self.held.items()})
        with self._turned:
            self._marks.append(mark)
        self.settle()

    def settle(self) -> None:
        """Take over the position that the offsets read so far amount to."""
        if not self._marks and self.ready:
            return
        with self._turned:
            while self._marks and all(self.replicas[name].next >= end for name, end in self._marks[0].ends.items()):
                self._reached = self._marks.popleft().position
            reached, least = self._reached, self._answered.get(self.partition, Position())
            if reached is not None and reached is not self.position and (self.ready or reached.covers(least)):
                self.position = reached
                self._turned.notify_all()

    def close(self) -> None:
        """Stop holding the partition."""
        with self._turned:
            self.position = self._reached = None
            self._marks.clear()
            self._turned.notify_all()
