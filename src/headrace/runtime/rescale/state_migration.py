"""Where everything belongs that the tasks of a stage have kept, once there is another number of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headrace.engine.batch.batch_log import BEGIN_ANEW
from headrace.errors import RescaleRefused
from headrace.plan.node_stores import stores
from headrace.plan.nodes import Expired, Node, Suppress
from headrace.plan.nodes.expiring import Lasting
from headrace.plan.nodes.windowed import WindowedAggregation
from headrace.plan.placement_nodes import Everywhere
from headrace.runtime.rescale.key_routing import Way, Ways
from headrace.runtime.rescale.operator_memory import Kernel, Python, partition_times
from headrace.spark.layout.placement import Placement
from headrace.spark.rescaling import Rescaling
from headrace.spark.state_layout import Cells, cells_of
from headrace.state.cells import LATEST
from headrace.state.codec import StateCodec

Lane = Kernel | Python
Memory = list[dict[tuple[str, str], Any]]
"""What each task remembers, by whose it is and what."""

_EVER = -(2**63)
_SHOWN = 60


class Moving:
    """Moves the state of stages from task to task, as the plan says of each store."""

    def __init__(self, placement: Placement, ways: Ways, codec: StateCodec) -> None:
        self._kernel, self._python = Kernel(), Python(codec)
        self._placement, self._ways = placement, ways
        self._before, self._after = ways.tasks
        self._cells = cells_of(placement)
        self._nodes = {node.name: node for node in placement.plan.nodes}
        self._owners = dict(_owners(placement))

    def move(self, state: Rescaling) -> int:
        """Put all cells of a stage where they belong: how many were moved."""
        names = state.names()
        memories = {lane: self._read(state, lane) for lane in (self._kernel, self._python) if lane.family in names}
        names -= {Kernel.family, Python.family}
        wanted = {name for name in names if name in self._cells or not self._is_left_over(name)}
        answer = state.move({name: self._told(name, memories) for name in wanted})
        if "refused" in answer:
            raise self._refusal(**answer)
        for lane, memory in memories.items():
            self._remember(state, lane, memory)
        return int(answer["moved"])

    # -- cells

    def _is_left_over(self, name: str) -> bool:
        """Whether cells are those of a node that is not there any more, so that nobody would ever look at them."""
        owner = name.partition(".")[2].rpartition("/")[0]
        return not name.startswith(("store.", "python.store.")) and owner not in self._nodes

    def _told(self, name: str, memories: dict[Lane, Memory]) -> dict[str, Any]:
        cells = self._cells.get(name)
        if cells is None:
            raise RescaleRefused(f"nobody knows what the cells {name!r} are", "tell us: this is a fault of ours")
        way = self._ways.of(cells.node)
        if cells.asked_by_user and way.by == "key" and way.before == 0:
            way = Way("key", way.written, way.after)
        lane: Lane = self._python if name.startswith("python.") else self._kernel
        return {
            "way": way.by,
            "skip": cells.skip,
            "form": cells.form,
            "tail": cells.tail,
            "before": way.before,
            "after": way.after,
            "meets": way.meets,
            "time": cells.time,
            "over": self._over(cells, lane, way, memories[lane]) if cells.time and lane in memories else [],
        }

    def _over(self, cells: Cells, lane: Lane, way: Way, memory: Memory) -> list[list[tuple[int, int]]]:
        """For each old task: the times of windows that nobody may see again where they come to.

        A store shows nothing up to the time that is gone for it, and removes what becomes so by and by. Final results
        are sent by the earliest time of all tasks, so those that were sent already must not be there.
        """
        node, over = cells.node, []
        gone = [_gone(cells, lane, task) for task in memory]
        closed = [_closed(node, lane, task) for task in memory]
        watched = any(isinstance(one, Expired) for one in self._placement.plan.consumers[node])
        for task in range(self._before):
            together = way.from_tasks(task % self._after, self._ways.tasks) if way.by == "task" else range(self._before)
            sent = closed[task]
            shown_from = gone[task] if watched or isinstance(lane, Python) else max(gone[one] for one in together)
            times = [(_EVER, shown_from if sent is None else min(shown_from, sent))]
            if sent is not None:
                times.append((min(one for other in together if (one := closed[other]) is not None), sent))
            over.append(times)
        return over

    def _refusal(self, refused: str, family: str, task: int, key: bytes) -> RescaleRefused:
        cells = self._cells[family]
        what = f"store {cells.store!r}" if cells.store else f"{cells.node.name} ({cells.node.origin})"
        shown = repr(key[:_SHOWN])[1:]
        if refused == "twice":
            reason = f"{what} has the key {shown} in task {task} and in another: its records came by several partitions"
            return RescaleRefused(reason, f"nobody can tell what the two would be together: {BEGIN_ANEW}")
        reason = f"{what} has the key {shown} in task {task}, where records of this key do not come to"
        return RescaleRefused(reason, f"nobody can tell whose task it belongs to: {BEGIN_ANEW}")

    # -- what is remembered beside stores

    def _read(self, state: Rescaling, lane: Lane) -> Memory:
        found = []
        for cells in state.cells(lane.family):
            named = {key.decode().rpartition("/"): lane.read(value) for key, value in cells.items()}
            found.append({(owner, what): thing for (owner, _, what), thing in named.items()})
        return found

    def _remember(self, state: Rescaling, lane: Lane, memory: Memory) -> None:
        for owner, what in sorted({name for task in memory for name in task}):
            things = [task.get((owner, what)) for task in memory]
            times = [times for one in things if one is not None and (times := partition_times(what, one)) is not None]
            if times:
                self._remember_partitions(state, lane, owner, times)
            elif owner in self._owners:
                for task, thing in self._merged(lane, owner, what, memory):
                    _put(state, lane, task, owner, what, thing)
        if isinstance(lane, Kernel):
            self._remember_turns(state, memory)
        self._recount(state, lane)

    def _merged(self, lane: Lane, owner: str, what: str, memory: Memory) -> Iterator[tuple[int, Any]]:
        way = None if what == "files begun" else self._ways.of(self._owners[owner])  # a file belongs to no task
        for task in range(self._after):
            come = memory if way is None else [memory[old] for old in way.from_tasks(task, self._ways.tasks)]
            # A task to which no record came has nothing to do, and knows no time.
            come = [one for one in come if what not in _FOLLOWING or _has_seen(one, owner, lane)] or come
            things = [one.get((owner, what)) for one in come]
            if any(one is not None for one in things):
                yield task, lane.merged(what, things)

    def _remember_partitions(self, state: Rescaling, lane: Lane, owner: str, found: list[dict[str, int]]) -> None:
        """The times of partitions are with the tasks of their numbers, whatever becomes of the records behind that."""
        latest: dict[str, int] = {}
        for times in found:
            latest.update({name: max(ts, latest.get(name, ts)) for name, ts in times.items()})
        of_task: dict[int, dict[str, int]] = {}
        for name, ts in latest.items():
            of_task.setdefault(int(name.rpartition("-")[2]) % self._after, {})[name] = ts
        for task, times in of_task.items():
            if isinstance(lane, Python):
                _put(state, lane, task, owner, "partition times", times)
            else:
                for name, ts in times.items():
                    topic, _, partition = name.rpartition("-")
                    _put(state, lane, task, owner, f"time of {topic} {partition}", ts)

    def _remember_turns(self, state: Rescaling, memory: Memory) -> None:
        """Rows that are due by the latest of times that differ have to be looked for from the earliest on."""
        for node in self._placement.plan.nodes:
            if node in self._placement.timed and isinstance(node, Lasting) and node.ttl_ms is not None:
                at = self._placement.timed[node], "stream time of the task"
                for task in range(self._after):
                    old = self._ways.of(node).from_tasks(task, self._ways.tasks)
                    times = [memory[one][at] for one in old if at in memory[one]]
                    for store in stores(node) if times and min(times) < max(times) else ():
                        left = [memory[one].get((store, "earliest turn"), LATEST) for one in old]
                        _put(state, self._kernel, task, store, "earliest turn", min(*left, min(times) + 1))

    def _recount(self, state: Rescaling, lane: Lane) -> None:
        """How much a suppression holds back in each task is told by the cells that came there."""
        names = state.names()
        for node in self._placement.plan.of(Suppress):
            held = f"{'python' if isinstance(lane, Python) else 'memory'}.{node.name}/held back"
            if held in names and isinstance(lane, Kernel):
                for task, counted in enumerate(state.held_back(held)):
                    for what, number in zip(Kernel.counted, counted, strict=True):
                        _put(state, lane, task, node.name, what, number)
            elif held in names and isinstance(lane, Python):
                known = state.cells(Python.family, new=True)
                for task, cells in enumerate(state.cells(held, new=True)):
                    buffer = known[task].get(f"{node.name}/held back".encode())
                    if buffer is not None:
                        _put(state, lane, task, node.name, "held back", lane.recounted(buffer, cells.values()))


_FOLLOWING = ("closed", "next to close", "times", "ends")


def _owners(placement: Placement) -> Iterator[tuple[str, Node]]:
    """Owner of each memory: by the names of nodes, and of stores as each lane calls them."""
    for node in placement.plan.nodes:
        yield node.name, node
        if isinstance(node, Everywhere):
            yield node.upstream.name, node
    for cells in cells_of(placement).values():
        if cells.store is not None:
            yield from ((cells.store, cells.node), (f"store.{cells.store}", cells.node))


def _has_seen(task: dict[tuple[str, str], Any], owner: str, lane: Lane) -> bool:
    if owner.startswith("store.") and isinstance(lane, Python):
        return any(task[name].newest is not None for name in ((owner, "times"), (owner, "ends")) if name in task)
    seen = task.get((owner, "stream time"))
    return seen is not None and (seen if isinstance(lane, Kernel) else seen.ms) >= 0


def _gone(cells: Cells, lane: Lane, task: dict[tuple[str, str], Any]) -> int:
    """Time up to which everything is gone in the store of a task."""
    if isinstance(lane, Python):
        kept = task.get((f"store.{cells.store}", "times")) or task.get((f"store.{cells.store}", "ends"))
        return _EVER if kept is None else int(kept.gone)
    newest = task.get((cells.store or "", "newest"))
    node = cells.node if isinstance(cells.node, WindowedAggregation) else cells.node.inputs[0]
    assert isinstance(node, WindowedAggregation)
    return _EVER if newest is None else max(_EVER, newest - node.kept_ms)


def _closed(node: Node, lane: Lane, task: dict[tuple[str, str], Any]) -> int | None:
    """Up to which time a task has sent final results; None if there are none, or no record came."""
    if not isinstance(node, WindowedAggregation) or not node.final or not _has_seen(task, node.name, lane):
        return None
    found = task.get((node.name, "closed"))
    return -1 if found is None else found if isinstance(lane, Kernel) else int(found.up_to)


def _put(state: Rescaling, lane: Lane, task: int, owner: str, what: str, thing: Any) -> None:
    state.put(lane.family, task, f"{owner}/{what}".encode(), lane.write(thing))
