"""Memory of a stage's tasks in one lane, on its way to other tasks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headrace.errors import RescaleRefused
from headrace.plan.nodes import Node
from headrace.plan.state import TASK_TIME, FinalResults, HeldBack, Remembered, TableRows, WindowState
from headrace.runtime.rescale.key_routing import KeyRoutes
from headrace.runtime.rescale.operator_memory import Kernel, Lane, Python, Things
from headrace.spark.layout.placement import Placement
from headrace.spark.rescaling import Rescaling
from headrace.spark.state_layout import remembered_of
from headrace.state.merging import MergeRule


class LaneMemory:
    """Memory of the old tasks in a lane, and what the new ones remember of it."""

    def __init__(self, state: Rescaling, lane: Lane, placement: Placement, ways: KeyRoutes) -> None:
        self._state, self._lane, self._placement, self._ways = state, lane, placement, ways
        self._before, self._after = ways.tasks
        self._declared = remembered_of(placement, lane.layout)
        self._tasks = [self._read(cells) for cells in state.cells(lane.family)]

    def _read(self, cells: dict[bytes, bytes]) -> Things:
        named = {key.decode().rpartition("/"): self._lane.read(value) for key, value in cells.items()}
        return {(owner, what): thing for (owner, _, what), thing in named.items()}

    def gone(self, state: WindowState) -> list[int]:
        """Time up to which all is gone in a store, of each old task."""
        return [self._lane.gone(state, task) for task in self._tasks]

    def sent(self, node: Node) -> list[int | None]:
        """Time up to which final results were sent, of each old task; None if it sends none, or no record came."""
        wanted = [one for one in node.state if isinstance(one, FinalResults) and one.wanted]
        if not wanted:
            return [None] * self._before
        closed = self._lane.layout(wanted[0], node.name).remembered[0]
        told = (task if self._counts(closed, task) else None for task in self._tasks)
        return [None if task is None else self._lane.up_to(task.get(closed.place)) for task in told]

    def carry(self) -> None:
        """Have the new tasks remember what those did from which something comes to them."""
        for owner, what in sorted({place for task in self._tasks for place in task}):
            found = self._entry(owner, what)
            if found is None:
                continue
            node, entry = found
            if entry.merge is MergeRule.OF_PARTITIONS:
                self._carry_partitions(owner, what, entry)
            else:
                for task, thing in self._merged(node, what, entry):
                    self._put(task, owner, what, thing)
        self._carry_turns()
        self._recount()

    def _entry(self, owner: str, what: str) -> tuple[Node, Remembered] | None:
        """Declaration of an entry; None if the node is not there any more."""
        declared = self._declared.get(owner)
        if declared is None:
            return None
        found = next(((node, one) for node, one in declared if one.is_called(what)), None)
        if found is None:
            raise RescaleRefused(
                f"nobody knows how {what!r} of several tasks becomes one", "tell us: this is a fault of ours"
            )
        return found

    def _merged(self, node: Node, what: str, entry: Remembered) -> Iterator[tuple[int, Any]]:
        way = None if entry.merge is MergeRule.UNITED else self._ways.of(node)  # a file belongs to no task
        for task in range(self._after):
            come = self._tasks if way is None else [self._tasks[old] for old in way.from_tasks(task, self._ways.tasks)]
            come = [one for one in come if self._counts(entry, one)] or come
            things = [one.get((entry.owner, what)) for one in come]
            if any(one is not None for one in things):
                yield task, self._lane.merged(entry, things)

    def _counts(self, entry: Remembered, task: Things) -> bool:
        """Whether a task has anything to say: one to which no record came has nothing to do, and knows no time."""
        if entry.seen_by is None:
            return True
        seen = task.get((entry.owner, entry.seen_by))
        return seen is not None and self._lane.has_seen(seen)

    def _carry_partitions(self, owner: str, what: str, entry: Remembered) -> None:
        """Carry the times of partitions: they are with the tasks of their numbers, wherever records go after that."""
        of_task: dict[int, dict[str, int]] = {}
        for thing in (task[owner, what] for task in self._tasks if (owner, what) in task):
            for name, ts in self._lane.partition_times(what, thing).items():
                times = of_task.setdefault(int(name.rpartition("-")[2]) % self._after, {})
                times[name] = max(ts, times.get(name, ts))
        for task, times in of_task.items():
            for called, thing in self._lane.entries_of_times(entry, times).items():
                self._put(task, owner, called, thing)

    def _carry_turns(self) -> None:
        """Have rows looked for from the earliest time on, where they are due by the latest of times that differ."""
        if not isinstance(self._lane, Kernel):
            return
        for node, rows in _expiring(self._placement):
            (time,) = TASK_TIME.in_kernel(self._placement.timed[node]).remembered
            turn = rows.earliest_turn
            for task in range(self._after):
                come = [self._tasks[old] for old in self._ways.of(node).from_tasks(task, self._ways.tasks)]
                times = [one[time.place] for one in come if time.place in one]
                if times and min(times) < max(times):
                    left = [one.get(turn.place, turn.unwritten) for one in come]
                    self._put(task, *turn.place, min(*left, min(times) + 1))

    def _recount(self) -> None:
        """Count how much a suppression holds back in each task, by the cells that came there."""
        names = self._state.names()
        for node in self._placement.plan.nodes:
            for state in node.state:
                if isinstance(state, HeldBack):
                    layout = self._lane.layout(state, node.name)
                    if layout.families[0].name in names:
                        self._count(layout.families[0].name, layout.remembered)

    def _count(self, held: str, entries: tuple[Remembered, ...]) -> None:
        if isinstance(self._lane, Kernel):
            counted = [entry for entry in entries if entry.merge is MergeRule.COUNTED]
            for task, numbers in enumerate(self._state.held_back(held)):
                for entry, number in zip(counted, numbers, strict=True):
                    self._put(task, *entry.place, number)
            return
        (entry,) = entries
        known = self._state.cells(Python.family, new=True)
        for task, cells in enumerate(self._state.cells(held, new=True)):
            buffer = known[task].get("/".join(entry.place).encode())
            if buffer is not None:
                self._put(task, *entry.place, self._lane.recounted(buffer, cells.values()))

    def _put(self, task: int, owner: str, what: str, thing: Any) -> None:
        self._state.put(self._lane.family, task, f"{owner}/{what}".encode(), self._lane.write(thing))


def _expiring(placement: Placement) -> Iterator[tuple[Node, TableRows]]:
    """Tables of a plan that delete rows by the time of their task."""
    for node in placement.timed:
        for state in node.state:
            if isinstance(state, TableRows) and state.ttl_ms is not None:
                yield node, state
