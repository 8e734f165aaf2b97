"""Where everything belongs that the tasks of a stage have kept, once there is another number of them."""

from __future__ import annotations

from headrace.engine.batch.batch_log import BEGIN_ANEW
from headrace.errors import RescaleRefused
from headrace.plan.nodes import Node, SideOutput
from headrace.plan.state import Keys, WindowState
from headrace.runtime.rescale.key_routing import KeyRoute, KeyRoutes
from headrace.runtime.rescale.lane_memory import LaneMemory
from headrace.runtime.rescale.operator_memory import EVER, Kernel, Python
from headrace.spark.layout.placement import Placement
from headrace.spark.rescaling import Move, MoveBy, Rescaling
from headrace.spark.state_layout import StateCells, cells_of
from headrace.state.codec import StateCodec

_SHOWN = 60


class Moving:
    """Moves the state of stages from task to task, as the plan says of each store."""

    def __init__(self, placement: Placement, ways: KeyRoutes, codec: StateCodec) -> None:
        self._lanes = (Kernel(), Python(codec))
        self._placement, self._ways = placement, ways
        self._before, self._after = ways.tasks
        self._cells = cells_of(placement)
        self._nodes = {node.name: node for node in placement.plan.nodes}

    def move(self, state: Rescaling) -> int:
        """Put all cells of a stage where they belong: how many were moved."""
        names = state.names()
        memories = {
            lane.family: LaneMemory(state, lane, self._placement, self._ways)
            for lane in self._lanes
            if lane.family in names
        }
        names -= {lane.family for lane in self._lanes}
        wanted = {name for name in names if name in self._cells or not self._is_left_over(name)}
        answer = state.move({name: self._told(name, memories) for name in wanted})
        if "refused" in answer:
            raise self._refusal(**answer)
        for memory in memories.values():
            memory.carry()
        return int(answer["moved"])

    def _is_left_over(self, name: str) -> bool:
        """Whether cells are those of a node that is not there any more, so that nobody would ever look at them."""
        owner = name.partition(".")[2].rpartition("/")[0]
        return not name.startswith(("store.", "python.store.")) and owner not in self._nodes

    def _told(self, name: str, memories: dict[str, LaneMemory]) -> Move:
        cells = self._cells.get(name)
        if cells is None:
            raise RescaleRefused(f"nobody knows what the cells {name!r} are", "tell us: this is a fault of ours")
        family, way = cells.family, self._ways.of(cells.node)
        if family.keys is Keys.OF_USER and way.by is MoveBy.KEY and way.before == 0:
            way = KeyRoute(MoveBy.KEY, way.written, way.after)
        python = name.startswith("python.")
        memory = memories.get(Python.family if python else Kernel.family)
        return Move(
            way=way.by,
            skip=family.skip,
            form=family.form,
            tail=cells.window_bytes,
            before=way.before,
            after=way.after,
            meets=way.meets,
            time=family.time,
            over=self._over(cells, way, memory, each=python) if family.time and memory is not None else [],
        )

    def _over(self, cells: StateCells, way: KeyRoute, memory: LaneMemory, *, each: bool) -> list[list[tuple[int, int]]]:
        """For each old task: the times of windows that nobody may see again where they come to.

        A store shows nothing up to the time that is gone for it, and removes what becomes so by and by. In Python it
        is `each` task's own time, for an index has to follow. Final results are sent by the earliest time of all tasks,
        so those that were sent already must not be there.
        """
        assert isinstance(cells.state, WindowState)
        over = []
        gone, closed = memory.gone(cells.state), memory.sent(cells.node)
        alone = each or self._tells_forgotten(cells.node)
        whole = way.by is MoveBy.TASK
        for task in range(self._before):
            together = way.from_tasks(task % self._after, self._ways.tasks) if whole else range(self._before)
            sent = closed[task]
            shown_from = gone[task] if alone else max(gone[one] for one in together)
            times = [(EVER, shown_from if sent is None else min(shown_from, sent))]
            if sent is not None:
                times.append((min(one for other in together if (one := closed[other]) is not None), sent))
            over.append(times)
        return over

    def _tells_forgotten(self, node: Node) -> bool:
        """Whether somebody is told of the windows that a node forgets."""
        return any(one.facts.side_output is SideOutput.EXPIRED for one in self._placement.plan.consumers[node])

    def _refusal(self, refused: str, family: str, task: int, key: bytes) -> RescaleRefused:
        cells = self._cells[family]
        store = cells.state.kept_in
        what = f"store {store!r}" if store else f"{cells.node.name} ({cells.node.origin})"
        shown = repr(key[:_SHOWN])[1:]
        if refused == "twice":
            reason = f"{what} has the key {shown} in task {task} and in another: its records came by several partitions"
            return RescaleRefused(reason, f"nobody can tell what the two would be together: {BEGIN_ANEW}")
        reason = f"{what} has the key {shown} in task {task}, where records of this key do not come to"
        return RescaleRefused(reason, f"nobody can tell whose task it belongs to: {BEGIN_ANEW}")
