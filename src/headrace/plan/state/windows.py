"""State descriptors of values by key and time: windows, sessions, values for a while, and versions."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from headrace.plan.state.descriptors import StateDescriptor
from headrace.plan.state.layout import TIME, Family, KeyForm, Keys, LaneState, Remembered, TimeAt
from headrace.state.merging import MergeRule


@dataclass(frozen=True, kw_only=True)
class WindowState(StateDescriptor):
    """Values by key and time, kept for a while; Python finds them by an index, too."""

    store: str
    kept_ms: int
    keys: Keys = Keys.OF_INPUT

    @property
    def kept_in(self) -> str:
        return self.store

    @property
    def newest(self) -> Remembered:
        """Newest time in the store, as the kernel remembers it."""
        return Remembered(self.store, "newest", MergeRule.LATEST)

    @property
    def times(self) -> Remembered:
        """Times in the store, as Python remembers them."""
        return Remembered(f"store.{self.store}", self._index, MergeRule.BY_FIELD, seen_by=self._index)

    @property
    def times_bytes(self) -> int:
        """Number of bytes that the times of a window take behind a key."""
        return TIME

    @property
    @abstractmethod
    def _index(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class WindowRows(WindowState):
    """Windows, or sessions: the last value of each key and window."""

    sessions: bool = False
    chunk_ms: int = 1
    """So long are the windows that lie together in the kernel: what is forgotten goes chunk by chunk."""

    adoptable: bool = False
    """Whether Kafka Streams keeps the same windows."""

    @property
    def _index(self) -> str:
        return "ends" if self.sessions else "times"

    @property
    def times_bytes(self) -> int:
        return 2 * TIME if self.sessions else TIME

    def in_kernel(self, owner: str) -> LaneState:  # noqa: ARG002
        rows = Family(f"store.{self.store}", self.keys, skip=TIME, form=KeyForm.SIZED, time=TimeAt.BEHIND)
        return LaneState(
            (rows,), (self.newest, Remembered(self.store, "next to forget", MergeRule.EARLIEST, unwritten=0))
        )

    def in_python(self, owner: str) -> LaneState:  # noqa: ARG002
        rows = f"python.store.{self.store}"
        return LaneState(
            (
                Family(rows, self.keys, form=KeyForm.SIZED, time=TimeAt.BEHIND),
                Family(f"{rows}/{self._index}", self.keys, skip=self.times_bytes, time=TimeAt.FRONT),
            ),
            (self.times,),
        )


@dataclass(frozen=True, kw_only=True)
class WindowLists(WindowState):
    """Lists of values: every one of each key and time."""

    composed: bool = False
    """Whether a key of the store is that of a record, with its length in front, and something else behind it."""

    @property
    def _index(self) -> str:
        return "times"

    def in_kernel(self, owner: str) -> LaneState:  # noqa: ARG002
        return LaneState((Family(f"store.{self.store}", self.keys, skip=TIME, form=self._sized),), (self.newest,))

    def in_python(self, owner: str) -> LaneState:  # noqa: ARG002
        rows, in_index = f"python.store.{self.store}", KeyForm.SIZED if self.composed else KeyForm.REST
        return LaneState(
            (
                Family(rows, self.keys, form=self._sized, time=TimeAt.BEHIND),
                Family(f"{rows}/{self._index}", self.keys, skip=TIME, form=in_index, time=TimeAt.FRONT),
            ),
            (self.times,),
        )

    @property
    def _sized(self) -> KeyForm:
        return KeyForm.SIZED_TWICE if self.composed else KeyForm.SIZED


@dataclass(frozen=True, kw_only=True)
class Versions(StateDescriptor):
    """Versions of each key, from when on each was valid, as long ago as a history."""

    store: str
    other_in_python: str | None = None
    """What Python calls the store, if it is something else."""

    history_ms: int
    keys: Keys = Keys.OF_RESULT

    @property
    def kept_in(self) -> str:
        return self.store

    @property
    def store_in_python(self) -> str:
        """Name of the store in Python."""
        return self.other_in_python or self.store

    def in_kernel(self, owner: str) -> LaneState:
        return LaneState(
            (Family(f"store.{self.store}", self.keys), Family(f"memory.{owner}/turns", self.keys, skip=TIME)),
            (Remembered(self.store, "stream time", MergeRule.LATEST),),
        )

    def in_python(self, owner: str) -> LaneState:  # noqa: ARG002
        store = f"store.{self.store_in_python}"
        return LaneState((Family(f"python.{store}", self.keys),), (Remembered(store, "versions", MergeRule.BY_FIELD),))
