"""Task context: what operators reach of their task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from headrace.model.clock import Clock
from headrace.model.record import RawRecord, Record
from headrace.plan.nodes import Node, Repartition, To
from headrace.state.memory import Memory
from headrace.state.merging import MergeRule, remembered
from headrace.state.stores import Stores
from headrace.state.undoable import Undoable
from headrace.task.drops import Drops
from headrace.task.timers import Timers


@dataclass(slots=True)
class Taken:
    """Progress of a task: what it has taken so far."""

    ms: int = remembered(-1, MergeRule.LATEST)
    """The latest time of all records that it has taken; -1 before the first."""


class ClockFollower(Protocol):
    """Follower of the wall clock."""

    def follow(self, now: int) -> None:
        """Follow the clock to a time."""

    def due_ms(self, now: int) -> int:
        """Time at which this follower is to be told again."""


class TaskTime:
    """Stream time of one task, which is remembered, and its timers, which are set anew when it starts."""

    def __init__(self, taken: Taken) -> None:
        self.taken = taken
        self.stream, self.wall = Timers(), Timers()
        """Calls by stream time, and by the time of day."""
        self.before = Timers()
        """Calls by stream time that come before the record which moved it is handled."""
        self.followers: list[ClockFollower] = []
        """Stream times of operators that go by the time of day where no records come."""

    @property
    def stream_ms(self) -> int:
        """The stream time."""
        return self.taken.ms

    def now(self) -> int:
        """Stream time."""
        return self.stream_ms

    def tick(self, now: int) -> None:
        """Run the timers that are due, and tell the followers the time of day."""
        self.wall.run(now)
        for follower in self.followers:
            follower.follow(now)

    def due_ms(self, now: int) -> int:
        """The time of day at which something is to be done next; NEVER if nothing is."""
        return min([self.wall.next_ms(), *(follower.due_ms(now) for follower in self.followers)])


@dataclass(frozen=True)
class Context:
    """The world outside a task: all that its operators can reach beside one another."""

    send: Callable[[Repartition, Record, int | None], None]
    """Hands a record to a task: that of a partition, or else the one that owns its key."""

    write: Callable[[To, RawRecord, int | None], None]
    """Writes a record to a partition of a topic, or else to that of its key."""

    show: Callable[[str], None]
    """Prints a line for the user."""

    stores: Stores

    state: Undoable
    """What lies below the stores, and what is remembered beside them."""

    drops: Drops

    clock: Clock
    """The time of day."""

    sending_old: frozenset[Node]
    """The tables whose changes carry old values."""

    reading_failures: frozenset[Node] = frozenset()
    """The nodes whose failures are read as a stream."""

    partitions: Callable[[str], int] = lambda _: 1
    """How many partitions a topic has, or a repartition."""

    partition: int = 0
    """The number of this task among those of its sub-topology."""

    app_id: str = ""

    task_id: str = ""
    """`subtopology_partition`."""

    time: TaskTime = field(default_factory=lambda: TaskTime(Taken()))
    """The task's own."""

    @property
    def memory(self) -> Memory:
        """The small things that are remembered beside stores."""
        return self.state.memory
