"""Byte layout of the stages' state, as the nodes declare it: for those who move state without running operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from headrace.plan.nodes import Node
from headrace.plan.placement_nodes import Everywhere
from headrace.plan.state import TASK_TIME, Family, Keys, LaneState, Remembered, StateDescriptor
from headrace.spark.layout.placement import Placement

InLane = Callable[[StateDescriptor, str], LaneState]
"""Which layout of a descriptor counts: `in_kernel` or `in_python`."""


@dataclass(frozen=True)
class StateCells:
    """Cells of a family, with the node that keeps them."""

    node: Node
    state: StateDescriptor
    family: Family

    @property
    def window_bytes(self) -> int:
        """Number of bytes at the end of the key that are times of windows, which say nothing of the task."""
        match self.family.keys:
            case Keys.OF_INPUT:
                return self.node.inputs[0].window_bytes if self.node.inputs else 0
            case Keys.OF_RESULT:
                return self.node.window_bytes
            case Keys.OF_USER:
                return 0


def cells_of(placement: Placement) -> dict[str, StateCells]:
    """Cells of a plan by the names that stages give them; some may not be there."""
    found: dict[str, StateCells] = {}
    for node, state in (*_own(placement), *_of_processors(placement)):
        lane = in_python if node in placement.python else in_kernel
        for family in lane(state, node.name).families:
            found.setdefault(family.name, StateCells(node, state, family))
    return found


def remembered_of(placement: Placement, lane: InLane) -> dict[str, list[tuple[Node, Remembered]]]:
    """Entries that the nodes of a plan may remember in a lane, by their owners."""
    found: dict[str, list[tuple[Node, Remembered]]] = {}
    for node, state in (*_all(placement), *_of_processors(placement)):
        for name in _names(node):
            for one in lane(state, name).remembered:
                found.setdefault(one.owner, []).append((node, one))
    return found


def in_kernel(state: StateDescriptor, owner: str) -> LaneState:
    """Layout in the kernel."""
    return state.in_kernel(owner)


def in_python(state: StateDescriptor, owner: str) -> LaneState:
    """Layout in Python."""
    return state.in_python(owner)


def _own(placement: Placement) -> Iterator[tuple[Node, StateDescriptor]]:
    return ((node, state) for node, state in _all(placement) if node in placement.inside)


def _all(placement: Placement) -> Iterator[tuple[Node, StateDescriptor]]:
    return ((node, state) for node in placement.plan.nodes for state in (*node.state, TASK_TIME))


def _of_processors(placement: Placement) -> Iterator[tuple[Node, StateDescriptor]]:
    """Stores that processors have asked for, behind those that belong to a table."""
    for node in placement.plan.nodes:
        yield from ((node, one.store.state) for one in node.connections if not one.everywhere)


def _names(node: Node) -> tuple[str, ...]:
    """Names under which a node remembers: in Python a global table has that of its source."""
    return (node.name, node.upstream.name) if isinstance(node, Everywhere) else (node.name,)
