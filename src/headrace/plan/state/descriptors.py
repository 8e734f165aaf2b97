"""State descriptors: the kinds of state that an operator can declare, each with its layout in both lanes.

In the kernel the cells of a store are `store.NAME` and those of an operator `memory.NAME/WHAT`; in Python both stand
behind `python.`, as `store.NAME/WHAT` and `NAME/WHAT`. What is declared is all that there may be: an operator may have
less of it, by its parameters.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from headrace.plan.state.layout import TIME, Family, KeyForm, Keys, LaneState, Remembered
from headrace.state.cells import LATEST
from headrace.state.merging import MergeRule

_SIDE = 1


@dataclass(frozen=True, kw_only=True)
class StateDescriptor(ABC):
    """Declaration of one kind of state, as an operator has it."""

    @abstractmethod
    def in_kernel(self, owner: str) -> LaneState:
        """Layout in the kernel, for an operator of this name."""

    @abstractmethod
    def in_python(self, owner: str) -> LaneState:
        """Layout in Python, for an operator of this name."""

    @property
    def kept_in(self) -> str | None:
        """Name of the store that has it; None if it is in none."""
        return None

    @property
    def holds_back(self) -> bool:
        """Whether records, or results, wait in it for a later batch."""
        return False


@dataclass(frozen=True, kw_only=True)
class TableRows(StateDescriptor):
    """Rows: the last value of each key."""

    store: str
    other_in_python: str | None = None
    """What Python calls the store, if it is something else."""

    ttl_ms: int | None = None
    keys: Keys = Keys.OF_RESULT
    adoptable: bool = False
    """Whether Kafka Streams keeps the same rows."""

    @property
    def kept_in(self) -> str:
        return self.store

    @property
    def store_in_python(self) -> str:
        """Name of the store in Python."""
        return self.other_in_python or self.store

    def in_kernel(self, owner: str) -> LaneState:  # noqa: ARG002
        return LaneState(
            (
                Family(f"store.{self.store}", self.keys),
                Family(f"store.turns of {self.store}", self.keys, skip=TIME),
            ),
            (self.earliest_turn,),
        )

    def in_python(self, owner: str) -> LaneState:
        expiring = f"store.{self.store}" if self.keys is Keys.OF_USER else owner
        return LaneState(
            (
                Family(f"python.store.{self.store_in_python}", self.keys),
                Family(f"python.{expiring}/turns of expiry", self.keys, skip=TIME),
                Family(f"python.{expiring}/turn of a key", self.keys),
            ),
            (Remembered(expiring, "next turn of expiry", MergeRule.BY_FIELD),),
        )

    @property
    def earliest_turn(self) -> Remembered:
        """Time from which on the kernel looks for rows that are due."""
        return Remembered(self.store, "earliest turn", MergeRule.EARLIEST, unwritten=LATEST)


@dataclass(frozen=True, kw_only=True)
class Subscriptions(StateDescriptor):
    """Subscriptions of left rows to each key of the right table."""

    store: str

    @property
    def kept_in(self) -> str:
        return self.store

    def in_kernel(self, owner: str) -> LaneState:  # noqa: ARG002
        return LaneState((Family(f"store.{self.store}", Keys.OF_INPUT, form=KeyForm.SIZED),))

    def in_python(self, owner: str) -> LaneState:  # noqa: ARG002
        return LaneState((Family(f"python.store.{self.store}", Keys.OF_INPUT),))


@dataclass(frozen=True, kw_only=True)
class Unmatched(StateDescriptor):
    """Records of a join of streams that wait for a partner, by time, side and key."""

    waits: bool
    """Whether there are any: an inner join lets none wait."""

    @property
    def holds_back(self) -> bool:
        return self.waits

    def in_kernel(self, owner: str) -> LaneState:
        sides = "left", "right"
        return LaneState(
            tuple(Family(f"memory.{owner}/unmatched {side}", Keys.OF_INPUT, skip=TIME) for side in sides),
            (
                *(Remembered(owner, f"newest unmatched {side}", MergeRule.LATEST) for side in sides),
                Remembered(owner, "earliest unmatched", MergeRule.EARLIEST, unwritten=LATEST),
            ),
        )

    def in_python(self, owner: str) -> LaneState:
        return LaneState(
            (Family(f"python.{owner}/unmatched", Keys.OF_INPUT, skip=TIME + _SIDE),),
            (Remembered(owner, "earliest unmatched", MergeRule.BY_FIELD),),
        )


@dataclass(frozen=True, kw_only=True)
class Waiting(StateDescriptor):
    """Records that wait for their rows, by time, key and arrival."""

    waits: bool
    """Whether there are any: without grace none waits."""

    @property
    def holds_back(self) -> bool:
        return self.waits

    def in_kernel(self, owner: str) -> LaneState:
        return LaneState(
            (Family(f"memory.{owner}/waiting", Keys.OF_INPUT, skip=TIME, form=KeyForm.ENDED),),
            (
                Remembered(owner, "newest waiting", MergeRule.LATEST),
                Remembered(owner, "arrived", MergeRule.LATEST),
            ),
        )

    def in_python(self, owner: str) -> LaneState:
        return LaneState(
            (Family(f"python.{owner}/waiting", Keys.OF_INPUT, skip=TIME, form=KeyForm.ENDED),),
            (Remembered(owner, "arrived", MergeRule.BY_FIELD),),
        )


@dataclass(frozen=True, kw_only=True)
class HeldBack(StateDescriptor):
    """Changes held back: the last one of each key, and when it leaves."""

    @property
    def holds_back(self) -> bool:
        return True

    def in_kernel(self, owner: str) -> LaneState:
        return LaneState(
            (Family(f"memory.{owner}/held back", Keys.OF_RESULT, form=KeyForm.HELD),),
            (
                Remembered(owner, "records held back", MergeRule.COUNTED),
                Remembered(owner, "bytes held back", MergeRule.COUNTED),
                Remembered(owner, "next turn", MergeRule.EARLIEST, unwritten=LATEST),
            ),
        )

    def in_python(self, owner: str) -> LaneState:
        return LaneState(
            (
                Family(f"python.{owner}/held back", Keys.OF_RESULT),
                Family(f"python.{owner}/turns", Keys.OF_RESULT, skip=TIME),
            ),
            (Remembered(owner, "held back", MergeRule.BY_FIELD),),
        )


@dataclass(frozen=True, kw_only=True)
class StreamTime(StateDescriptor):
    """Stream time: the latest of all records that an operator has seen, and where the clock has taken it from there."""

    def in_kernel(self, owner: str) -> LaneState:
        names = "stream time", "stream time stood", "stream time since"
        return LaneState(remembered=tuple(Remembered(owner, name, MergeRule.LATEST) for name in names))

    def in_python(self, owner: str) -> LaneState:
        return LaneState(remembered=(Remembered(owner, "stream time", MergeRule.BY_FIELD),))


@dataclass(frozen=True, kw_only=True)
class FinalResults(StateDescriptor):
    """Progress of final results: how far the windows that are over were sent on.

    A task to which no record came has sent nothing, and has nothing to send.
    """

    wanted: bool

    def in_kernel(self, owner: str) -> LaneState:
        return LaneState(
            remembered=(
                Remembered(owner, "closed", MergeRule.EARLIEST, unwritten=-1, seen_by="stream time"),
                Remembered(owner, "next to close", MergeRule.EARLIEST, unwritten=0, seen_by="stream time"),
            )
        )

    def in_python(self, owner: str) -> LaneState:
        return LaneState(remembered=(Remembered(owner, "closed", MergeRule.BY_FIELD, seen_by="stream time"),))


@dataclass(frozen=True, kw_only=True)
class PartitionTimes(StateDescriptor):
    """Latest time of each partition of a source."""

    def in_kernel(self, owner: str) -> LaneState:
        return LaneState(remembered=(Remembered(owner, "time of", MergeRule.OF_PARTITIONS),))

    def in_python(self, owner: str) -> LaneState:
        return LaneState(remembered=(Remembered(owner, "partition times", MergeRule.OF_PARTITIONS),))


@dataclass(frozen=True, kw_only=True)
class FilesBegun(StateDescriptor):
    """Files that an operator has begun to write; they belong to no task."""

    def in_kernel(self, owner: str) -> LaneState:  # noqa: ARG002
        return LaneState()

    def in_python(self, owner: str) -> LaneState:
        return LaneState(remembered=(Remembered(owner, "files begun", MergeRule.UNITED),))


@dataclass(frozen=True, kw_only=True)
class _TaskTime(StateDescriptor):
    """Latest time of all records that a task has taken, under the name of its first operator."""

    def in_kernel(self, owner: str) -> LaneState:
        return LaneState(remembered=(Remembered(owner, "stream time of the task", MergeRule.LATEST),))

    def in_python(self, owner: str) -> LaneState:
        return LaneState(remembered=(Remembered(owner, "stream time of the task", MergeRule.BY_FIELD),))


TASK_TIME = _TaskTime()
"""Declared for every operator: any can be the first of a task."""
