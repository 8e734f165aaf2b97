"""What a task gives its operators."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from headrace.model.clock import Clock
from headrace.model.record import RawRecord, Record
from headrace.plan.nodes import Node, Repartition, To
from headrace.state.keyvalue import KeyValueStore
from headrace.state.memory import Memory
from headrace.state.timed import TimedStores
from headrace.task.drops import Drops
from headrace.task.timers import Timers


@dataclass(slots=True)
class Taken:
    """How far a task has come."""

    ms: int = -1
    """The latest time of all records that it has taken; -1 before the first."""


class TaskTime:
    """Stream time of one task, which is remembered, and its timers, which are set anew when it starts."""

    def __init__(self, taken: Taken) -> None:
        self.taken = taken
        self.stream, self.wall = Timers(), Timers()
        """Calls by stream time, and by the time of day."""
        self.before = Timers()
        """Calls by stream time that come before the record which moved it is handled."""

    @property
    def stream_ms(self) -> int:
        """The stream time."""
        return self.taken.ms

    def now(self) -> int:
        """Stream time."""
        return self.stream_ms


@dataclass(frozen=True)
class Context:
    """The world outside a task: all that its operators can reach beside one another."""

    send: Callable[[Repartition, Record], None]
    """Hands a record to the tasks that own its key."""

    write: Callable[[To, RawRecord], None]
    """Writes a record to a topic."""

    show: Callable[[str], None]
    """Prints a line for the user."""

    store: Callable[[str], KeyValueStore]
    """The store of a name, made when it is first asked for."""

    windows: TimedStores
    """The stores of windows and sessions."""

    memory: Memory
    """What is remembered beside stores."""

    drops: Drops

    clock: Clock
    """The time of day."""

    sending_old: frozenset[Node]
    """The tables whose changes carry old values."""

    reading_failures: frozenset[Node] = frozenset()
    """The nodes whose failures are read as a stream."""

    app_id: str = ""

    task_id: str = ""
    """`subtopology_partition`."""

    time: TaskTime = field(default_factory=lambda: TaskTime(Taken()))
    """The task's own."""
