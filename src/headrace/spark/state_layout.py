"""What lies in the cells of stages, and where in them the keys are by which records find their tasks.

The table of both lanes: what an operator keeps is laid out in `kernel/` and in `state/`, and said here once more, for
those who move state from task to task without running the operators.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from headrace.plan.node_stores import stores
from headrace.plan.nodes import (
    DropDuplicates,
    ForeignKeyMatch,
    GlobalStore,
    Node,
    Process,
    Repartition,
    SessionWindowed,
    Source,
    StreamJoin,
    StreamTableJoin,
    Suppress,
    TableTransformValues,
    VersionedTable,
    WindowedCogroup,
)
from headrace.plan.nodes.base import Beside
from headrace.plan.nodes.windowed import WindowedAggregation
from headrace.plan.placement_nodes import Copy, Everywhere, VersionedCopy
from headrace.plan.stores import Session, Store, Window
from headrace.spark.layout.placement import Placement

_TIME, _SIDE = 8, 1


@dataclass(frozen=True)
class Cells:
    """The cells of one name, all of one node or one store."""

    node: Node
    skip: int = 0
    """So many bytes are in front of the key."""

    form: str = "rest"
    """How the key is written: the `rest`, `sized`, `sized twice`, `ended`, or as what a suppression has `held`."""

    tail: int = 0
    """So many bytes at the end of the key are the times of windows, which say nothing of the task."""

    store: str | None = None
    time: str = ""
    """Where a window store has the time by which it forgets: in `front` of the key, or `behind` it."""

    asked_by_user: bool = False
    """Whether it is a processor that says by which keys something is kept."""


def cells_of(placement: Placement) -> dict[str, Cells]:
    """By the names that stages give them; some may not be there."""
    found: dict[str, Cells] = {}
    for node in placement.plan.nodes:
        if node in placement.inside:
            listed = _in_python(node) if node in placement.python else _in_kernel(node)
            for name, cells in listed:
                found.setdefault(name, cells)
    for node in placement.plan.nodes:
        if node in placement.inside and isinstance(node, Process | TableTransformValues):
            for connection in node.stores:
                if not connection.everywhere:
                    for name, cells in _of_processor(node, connection.store):
                        found.setdefault(name, cells)
        if isinstance(node, Everywhere) and isinstance(node.upstream, GlobalStore):
            for name, cells in _of_processor(node, node.upstream.definition):
                found.setdefault(name, cells)
    return found


def window_times(node: Node) -> int:
    """How many bytes the times of windows take behind the key by which a node's records came to their task."""
    if isinstance(node, Source | Repartition | Everywhere):
        return 0
    if isinstance(node, WindowedAggregation):
        return window_times(node.upstream) + (2 * _TIME if isinstance(node, SessionWindowed) else _TIME)
    if node.facts.beside is not None and node.facts.beside is not Beside.EXPIRED:
        return window_times(node.inputs[0].inputs[0]) if node.inputs[0].inputs else 0
    return window_times(node.inputs[0])


def _in_kernel(node: Node) -> Iterator[tuple[str, Cells]]:
    own, before = f"memory.{node.name}", _given(node)
    for store in stores(node):
        rows = f"store.{store}"
        if isinstance(node, WindowedAggregation | WindowedCogroup):
            yield rows, replace(before, skip=_TIME, form="sized", store=store, time="behind")
        elif isinstance(node, StreamJoin):
            yield rows, replace(before, skip=_TIME, form="sized", store=store)
        elif isinstance(node, DropDuplicates):
            yield rows, replace(before, skip=_TIME, form=_known_by(node), store=store)
        elif isinstance(node, ForeignKeyMatch):
            yield rows, replace(before, form="sized", store=store)
        else:
            kept = Cells(node, tail=window_times(node), store=store)
            yield rows, kept
            yield f"store.turns of {store}", replace(kept, skip=_TIME)
    if isinstance(node, StreamJoin):
        yield from ((f"{own}/unmatched {side}", replace(before, skip=_TIME)) for side in ("left", "right"))
    elif isinstance(node, StreamTableJoin):
        yield f"{own}/waiting", replace(before, skip=_TIME, form="ended")
    elif isinstance(node, Suppress):
        yield f"{own}/held back", Cells(node, form="held", tail=window_times(node))
    elif isinstance(node, VersionedTable | VersionedCopy):
        yield f"{own}/turns", Cells(node, skip=_TIME, tail=window_times(node))


def _in_python(node: Node) -> Iterator[tuple[str, Cells]]:
    own, before = f"python.{node.name}", _given(node)
    for store in [f"copy {node.name}"] if isinstance(node, Copy) else stores(node):
        if isinstance(node, WindowedAggregation | WindowedCogroup | StreamJoin):
            sessions = isinstance(node.parts[0] if isinstance(node, WindowedCogroup) else node, SessionWindowed)
            yield from _windows(store, before, sessions=sessions)
        elif isinstance(node, DropDuplicates):
            composed = _known_by(node) != "sized"
            for name, cells in _windows(store, before, sessions=False):
                form = {"sized": "sized twice", "rest": "sized"}[cells.form] if composed else cells.form
                yield name, replace(cells, form=form)
        elif isinstance(node, ForeignKeyMatch):
            yield f"python.store.{store}", replace(before, store=store)
        else:
            yield f"python.store.{store}", Cells(node, tail=window_times(node), store=store)
    yield from _expiring(own, Cells(node, tail=window_times(node)))
    if isinstance(node, StreamJoin):
        yield f"{own}/unmatched", replace(before, skip=_TIME + _SIDE)
    elif isinstance(node, StreamTableJoin):
        yield f"{own}/waiting", replace(before, skip=_TIME, form="ended")
    elif isinstance(node, Suppress):
        held = Cells(node, tail=window_times(node))
        yield f"{own}/held back", held
        yield f"{own}/turns", replace(held, skip=_TIME)


def _of_processor(node: Node, store: Store[object]) -> Iterator[tuple[str, Cells]]:
    kept = Cells(node, store=store.name, asked_by_user=True)
    if isinstance(store, Window | Session):
        yield from _windows(store.name, kept, sessions=isinstance(store, Session))
    else:
        yield f"python.store.{store.name}", kept
        yield from _expiring(f"python.store.{store.name}", kept)


def _windows(store: str, kept: Cells, *, sessions: bool) -> Iterator[tuple[str, Cells]]:
    rows = f"python.store.{store}"
    yield rows, replace(kept, form="sized", store=store, time="behind")
    index = ("ends", 2 * _TIME) if sessions else ("times", _TIME)
    yield f"{rows}/{index[0]}", replace(kept, skip=index[1], store=store, time="front")


def _expiring(of: str, kept: Cells) -> Iterator[tuple[str, Cells]]:
    yield f"{of}/turns of expiry", replace(kept, skip=_TIME)
    yield f"{of}/turn of a key", kept


def _given(node: Node) -> Cells:
    """By the keys of the records that come to a node, not of those that leave it."""
    return Cells(node, tail=window_times(node.inputs[0]) if node.inputs else 0)


def _known_by(node: DropDuplicates) -> str:
    return "sized" if node.id is None else "sized twice"
