"""How the keys of an application find their tasks, before and after the number of tasks has changed."""

from __future__ import annotations

from dataclasses import dataclass

from headrace.engine.batch.batch_log import BEGIN_ANEW
from headrace.errors import RescaleRefused
from headrace.passes.place_repartitions import key_changed
from headrace.passes.split_subtopologies import split_subtopologies
from headrace.plan.graph import Plan
from headrace.plan.nodes import Node, Repartition, Source
from headrace.plan.placement_nodes import Everywhere, is_global
from headrace.plan.task_assignment import Sharing
from headrace.spark.rescaling import MoveBy

Sources = dict[str, dict[str, int] | None]
"""As `Sharing.partitions`."""


@dataclass(frozen=True)
class KeyRoute:
    """Route of the state of one key to its new task."""

    by: MoveBy
    """By the `key`, with the whole old `task`, or to `all` tasks."""

    before: int = 0
    """The key was in its task by so many buckets; 0 if that depends on who wrote the topic."""

    after: int = 0
    """And will be by so many."""

    written: int = 0
    """So many partitions the topic had in which the key was found."""

    @property
    def meets(self) -> bool:
        """Whether what was in two tasks may be found to have one key."""
        return self.by is MoveBy.TASK or (self.by is MoveBy.KEY and self.before == 0)

    def from_tasks(self, task: int, tasks: tuple[int, int]) -> list[int]:
        """The old tasks of which something may come to a new one."""
        before, after = tasks
        if self.by is MoveBy.ALL:
            return [0]
        return [old for old in range(before) if self.by is MoveBy.KEY or old % after == task]


def new_sources(plan: Plan, known: Sources, now: Sharing, tasks: tuple[int, int]) -> Sources:
    """Rule of each source from now on, by which its records find their tasks.

    Those that went to the task of their partition still do, if the partitions are the same and the partition of what
    is kept can be told from its task. Otherwise they go by key from now on: for more tasks than partitions, too, or
    the rest would get nothing.
    """
    found = dict(known)
    for part in split_subtopologies(plan):
        names = [node.name for node in part.nodes if isinstance(node, Source) and known.get(node.name)]
        if not all(_stays(known[name] or {}, now, name, tasks) for name in names):
            found.update(dict.fromkeys(names))
    return found


def _stays(there: dict[str, int], now: Sharing, source: str, tasks: tuple[int, int]) -> bool:
    before, after = tasks
    here = now.partitions.get(source, there)  # None if those that come together differ by now
    changed = here is None or any(here.get(topic, count) != count for topic, count in there.items())
    most = max(there.values())
    told = most <= before or before % after == 0
    return told and not changed and after <= max(now.tasks, most)


class KeyRoutes:
    """The ways of all nodes of a plan, by the rules of its sources and the numbers of tasks before and after."""

    def __init__(self, before: Sources, after: Sources, tasks: tuple[int, int]) -> None:
        self.tasks = tasks
        self._before, self._after = before, after
        self._known: dict[Node, set[KeyRoute]] = {}

    def of(self, node: Node) -> KeyRoute:
        """The way of what a node keeps by the keys of its records."""
        found = self._into(node)
        if len(found) != 1:
            raise RescaleRefused(f"records come to {node.name} ({node.origin}) by different rules", BEGIN_ANEW)
        (way,) = found
        if node.facts.anywhere and way.by is MoveBy.KEY and any(map(key_changed, node.inputs)):
            reason = "takes records with other keys than those by which they came to their task"
            raise RescaleRefused(f"{node.name} ({node.origin}) {reason}", BEGIN_ANEW)
        return way

    def _into(self, node: Node) -> set[KeyRoute]:
        if node not in self._known:
            self._known[node] = self._found(node)
        return self._known[node]

    def _found(self, node: Node) -> set[KeyRoute]:
        if isinstance(node, Everywhere) or is_global(node):
            return {KeyRoute(MoveBy.ALL)}
        if isinstance(node, Source):
            return {self._of_source(node)}
        if isinstance(node, Repartition):
            return {self._of_repartition(node)}
        return set[KeyRoute]().union(*(self._into(one) for one in node.inputs if not isinstance(one, Everywhere)))

    def _of_source(self, source: Source) -> KeyRoute:
        there, (before, after) = self._before.get(source.name, {}), self.tasks
        if there is None:
            return KeyRoute(MoveBy.KEY, before, after)
        if there and self._after[source.name] is None:
            return KeyRoute(MoveBy.KEY, 0, after, written=max(there.values()))
        return KeyRoute(MoveBy.TASK)

    def _of_repartition(self, node: Repartition) -> KeyRoute:
        before, after = self.tasks
        if node.partitioner is None:
            return KeyRoute(MoveBy.KEY, min(node.partitions or before, before), min(node.partitions or after, after))
        if node.partitions is None or node.partitions > min(before, after):
            reason = "has a partitioner of its own, which says by the number of tasks where a key belongs"
            raise RescaleRefused(
                f"{node.name} ({node.origin}) {reason}",
                f"repartition into a fixed number, not more than there are tasks; or {BEGIN_ANEW}",
            )
        return KeyRoute(MoveBy.TASK)
