"""All that a batch leaves behind for the next one."""

from __future__ import annotations

from dataclasses import dataclass, field

from headrace.state.keyvalue import KeyValueStore
from headrace.state.memory import Memory
from headrace.state.timed import TimedStores


@dataclass(frozen=True)
class Remembered:
    """The state of all tasks between two batches, by the names of stores and nodes; it can be pickled.

    It is the state itself, not a copy: who wants to keep it while batches go on has to pickle it.
    """

    stores: dict[str, KeyValueStore] = field(default_factory=dict)
    windows: TimedStores = field(default_factory=TimedStores)
    """The stores of windows, sessions and versions."""

    memory: Memory = field(default_factory=Memory)
    """What operators and tasks remember beside stores: stream times, records that wait, turns."""
