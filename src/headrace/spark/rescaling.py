"""Rescaling of state: the kernel moves the cells, and is told which task each belongs to."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from headrace.plan.state import KeyForm, TimeAt
from headrace.spark.session.spark import Session, kernel


class MoveBy(StrEnum):
    """Rule by which a cell finds its new tasks."""

    KEY = "key"
    TASK = "task"
    """With its whole old task."""

    ALL = "all"
    """From any of them to all."""


@dataclass(frozen=True, kw_only=True)
class Move:
    """Way of the cells of one name to their new tasks, as `kernel/spark/Rescaling.scala` reads it."""

    way: MoveBy
    skip: int
    """So many bytes are in front of the key."""

    form: KeyForm
    tail: int
    """So many bytes at the end of the key are no part of the one by which records find their tasks."""

    before: int
    """By so many buckets a key was in its task; 0 if nobody knows."""

    after: int
    """And by so many it will be."""

    meets: bool
    """Whether two old tasks may have had a cell of one key."""

    time: TimeAt | None
    over: Sequence[Sequence[tuple[int, int]]]
    """For each old task: the times of cells that nobody asks for any more, from behind one up to another."""


TaskCells = list[dict[bytes, bytes]]
"""The cells of one name in each task."""

_CELL, _SIZE = struct.Struct(">ii"), struct.Struct(">i")


class Rescaling:
    """The state of one stage, in its old tasks and the new ones."""

    def __init__(self, made: Any) -> None:
        self._kernel = made

    def names(self) -> set[str]:
        """The names of all cells that are there."""
        return set(json.loads(self._kernel.families()).get("names", ()))

    def cells(self, name: str, *, new: bool = False) -> TaskCells:
        """Cells of a name, which should be few."""
        tasks = json.loads(self._kernel.cells(name, new))["tasks"]
        return [
            {_bytes(cells[place]): _bytes(cells[place + 1]) for place in range(0, len(cells), 2)} for cells in tasks
        ]

    def move(self, moves: Mapping[str, Move]) -> dict[str, Any]:
        """Put all cells of these names into the new tasks: how many were `moved`, or which is `refused`, and why."""
        told = {name: asdict(move) for name, move in moves.items()}
        answer: dict[str, Any] = json.loads(self._kernel.move(json.dumps(told)))
        if "key" in answer:
            answer["key"] = _bytes(answer["key"])
        return answer

    def put(self, name: str, task: int, key: bytes, value: bytes) -> None:
        """Put a cell into a new task."""
        self._kernel.put(name, task, key, value)

    def fill(self, name: str, cells: Iterable[tuple[int, bytes, bytes]]) -> None:
        """Put many cells into new tasks: of each its task, key and value."""
        packed = bytearray()
        for task, key, value in cells:
            packed += _CELL.pack(task, len(key)) + key + _SIZE.pack(len(value)) + value
        self._kernel.fill(name, packed)

    def held_back(self, name: str) -> list[tuple[int, int]]:
        """How many results a suppression of the kernel holds back in each new task, and how many bytes they have."""
        return [(count, size) for count, size in json.loads(self._kernel.heldBack(name))["tasks"]]

    def commit(self) -> list[str]:
        """Write the new state, and say what the state of each task is called."""
        return list(self._kernel.commit())


@contextmanager
def rescaling(
    session: Session, old: str, new: str, *, operator: int, batch: int, ids: Sequence[str], tasks: int
) -> Iterator[Rescaling]:
    """The state of an operator after a batch, and one beside it for so many tasks."""
    known = session._jvm.java.util.ArrayList(list(ids))  # type: ignore[union-attr]
    made = kernel(session).Rescaling(session._jsparkSession, old, new, operator, batch + 1, known, tasks)
    try:
        yield Rescaling(made)
    finally:
        made.close()


def _bytes(text: str) -> bytes:
    return base64.b64decode(text)


def fenced(session: Session, kafka: Mapping[str, str], writers: Sequence[str]) -> list[str] | None:
    """Have the broker give up what tasks of the sink have open under these names: the last batches they have noted.

    They are "<query> <batch>"; None if something is still open. Python's own client cannot tell where notes end, and
    reads what lies behind them in its memory.
    """
    noted = kernel(session, "kafka").TaskProducers.fence(dict(kafka), list(writers))
    return None if noted is None else list(noted)


def forget_partitions(session: Session) -> None:
    """Have the producers of this session closed that nobody uses: they remember how many partitions topics had."""
    kernel(session, "kafka").Producers.sweep(0)
    kernel(session, "kafka").TaskProducers.sweep(0)
