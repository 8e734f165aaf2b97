"""Byte layout of state: families of cells, and the small things that are remembered beside them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Any

from headrace.plan.schema import Field
from headrace.serde import Serde
from headrace.state.merging import MergeRule

TIME = 8
"""The bytes of a time in the place of a cell."""


class Keys(Enum):
    """Origin of the keys that the cells of a family have."""

    OF_INPUT = "of input"
    """Those of the records that come to the operator."""

    OF_RESULT = "of result"
    """Those of the rows that it sends on."""

    OF_USER = "of user"
    """Those that a processor has chosen."""


class KeyForm(StrEnum):
    """Form of a key in the place of a cell."""

    REST = "rest"
    """It is all the rest of the place."""

    SIZED = "sized"
    """Its length is in front of it."""

    SIZED_TWICE = "sized twice"
    """It is inside another key, both with their lengths in front of them."""

    ENDED = "ended"
    """An end is behind it."""

    HELD = "held"
    """As in what a suppression of the kernel holds back: behind a mark, and a time in some cells."""


class TimeAt(StrEnum):
    """Side of the key on which the place of a cell has the time by which a window store forgets it."""

    FRONT = "front"
    BEHIND = "behind"
    """Behind the key."""


@dataclass(frozen=True)
class Family:
    """Cells of one name, and where in their places the key is by which records find their tasks."""

    name: str
    keys: Keys
    skip: int = 0
    """So many bytes are in front of the key."""

    form: KeyForm = KeyForm.REST
    time: TimeAt | None = None
    """None if no time says when a cell is forgotten."""


@dataclass(frozen=True)
class Remembered:
    """Entry of memory that is read and written as a whole with every batch, by its owner's name and its own."""

    owner: str
    what: str
    merge: MergeRule
    unwritten: int | None = None
    """What it counts as in a task that has not written it yet; None if such a task does not count."""

    seen_by: str | None = None
    """Which thing of the owner's tells whether a record has come to a task; one to which none came does not count."""

    @property
    def place(self) -> tuple[str, str]:
        """Name by which it is found."""
        return self.owner, self.what

    def is_called(self, what: str) -> bool:
        """Whether a lane calls it so; there may be one for each partition, with its name behind."""
        return what == self.what or (self.merge is MergeRule.OF_PARTITIONS and what.startswith(f"{self.what} "))


@dataclass(frozen=True)
class LaneState:
    """Layout of an operator's state in one lane."""

    families: tuple[Family, ...] = ()
    remembered: tuple[Remembered, ...] = ()


@dataclass(frozen=True)
class Prefetched:
    """Store that an operator looks into, and how the keys are written there."""

    store: str
    key: Field | Serde[Any]
    """As stores know the keys of a field, or with a serde of the user's."""
