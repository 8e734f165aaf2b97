"""Query positions: how far an application had come when an answer was made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from headrace.errors import PositionUnreadable


@dataclass(frozen=True)
class Position:
    """Position of an answer: for each partition of the input, the first offset that it does not reflect.

    It is written as `topic-partition@offset`, with a comma between several. Behind a `~` may be the name of a snapshot
    that is kept for later pages.

    >>> Position.read("plays-0@42,plays-1@17").covers(Position.after("plays", 1, 16))
    True
    """

    offsets: Mapping[tuple[str, int], int] = field(default_factory=dict)
    snapshot: str = ""
    """Name of the snapshot that the next pages are read from; it says nothing of what is reflected."""

    @staticmethod
    def after(topic: str, partition: int, offset: int) -> Position:
        """The position that reflects a record, as a producer is told where it was written."""
        return Position({(topic, partition): offset + 1})

    @staticmethod
    def read(text: str) -> Position:
        """Read a position from its text; an empty one reflects nothing."""
        offsets: dict[tuple[str, int], int] = {}
        places, named, snapshot = text.partition("~")
        if named and not (snapshot.isascii() and snapshot.isalnum()):
            raise PositionUnreadable(text)
        for part in filter(None, places.split(",")):
            place, at, offset = part.rpartition("@")
            topic, dash, partition = place.rpartition("-")
            if not (at and dash and topic and _is_number(partition) and _is_number(offset)):
                raise PositionUnreadable(text)
            offsets[topic, int(partition)] = int(offset)
        return Position(offsets, snapshot)

    def covers(self, other: Position) -> bool:
        """Whether this reflects all that the other does."""
        return all(self.offsets.get(place, 0) >= offset for place, offset in other.offsets.items())

    def common(self, other: Position) -> Position:
        """Position that both reflect."""
        both = self.offsets.keys() & other.offsets.keys()
        return Position({place: min(self.offsets[place], other.offsets[place]) for place in both})

    def joined(self, other: Position) -> Position:
        """Position that at least one of both reflects."""
        either = {**self.offsets, **other.offsets}
        return Position({place: max(self.offsets.get(place, 0), other.offsets.get(place, 0)) for place in either})

    @cached_property
    def text(self) -> str:
        """Text that `read` takes; made once, for thousands of answers have the same position."""
        places = (f"{topic}-{partition}@{offset}" for (topic, partition), offset in sorted(self.offsets.items()))
        return ",".join(places) + (f"~{self.snapshot}" if self.snapshot else "")

    def __str__(self) -> str:
        return self.text


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 19
