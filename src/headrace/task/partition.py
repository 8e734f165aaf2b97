"""One partition of a whole plan in one process: a task of each sub-topology, on top of one state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from headrace.passes.split_subtopologies import split_subtopologies
from headrace.plan.graph import Plan
from headrace.plan.nodes import Errors, GlobalStore, Node
from headrace.plan.old_values import sending_old
from headrace.plan.stores import StoreConnection
from headrace.processor.opened import OpenedStore
from headrace.processor.opening import opened
from headrace.state.state import State
from headrace.state.stores import Stores
from headrace.state.undoable import Undoable
from headrace.task.context import Context
from headrace.task.operators.process import undoable_stores
from headrace.task.queues import Taking
from headrace.task.task import Task
from headrace.task.timers import NEVER
from headrace.task.timestamps import Timestamps

MakeContext = Callable[[Undoable, Stores], Context]
"""What the world outside is to the tasks on top of a state."""


class PlanPartition:
    """The tasks of a partition, in the order of their sub-topologies, and all that they remember."""

    def __init__(self, plan: Plan, state: State, context_on: MakeContext) -> None:
        self.state = state
        """All that the next batch needs of those before it.

        Processors are made and initialised anew, and so are their timers: those by stream time keep the rhythm that
        they have, for it counts from 0, and those by the time of day begin again.
        """
        failing = frozenset(node for errors in plan.of(Errors) for node in errors.of)
        undoable = Undoable(state, undoable_stores(failing))
        self.stores = Stores(undoable)
        context = context_on(undoable, self.stores)
        context = replace(context, sending_old=sending_old(plan), reading_failures=failing)
        self.timestamps = Timestamps(context.clock, context.drops, state.memory)
        self._tasks = [Task(part, plan, context) for part in split_subtopologies(plan)]

    def tick(self) -> None:
        """Advance the time of day."""
        for task in self._tasks:
            task.tick()

    def due_ms(self) -> int:
        """The time of day at which the clock matters next; NEVER if it does not."""
        return min((task.due_ms() for task in self._tasks), default=NEVER)

    def readers_of(self, node: Node) -> tuple[Taking, ...]:
        """Operators that take the records of a source or a repartition."""
        return tuple(task.way_in(node) for task in self._tasks if task.reads(node))

    def flushes_of(self, node: Node) -> list[Callable[[], None]]:
        """Flushes of a node: at the end of a batch it sends on what it held back."""
        return [flush for task in self._tasks if (flush := task.flush_of(node)) is not None]

    def processor_stores(self) -> dict[str, OpenedStore[object, object]]:
        """The stores of processors by their names, as the processors see them."""
        found: dict[str, OpenedStore[object, object]] = {}
        for node, time in ((node, task.time) for task in self._tasks for node in task.nodes):
            own = (StoreConnection(node.definition),) if isinstance(node, GlobalStore) else node.connections
            for connection in own:
                if connection.store.value is not None:
                    writable = replace(connection, read_only=False)
                    found[connection.store.name] = opened(writable, self.stores, time.now)
        return found

    def close(self) -> None:
        """Close all tasks: no record comes any more; what is closed already stays so."""
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.close()
