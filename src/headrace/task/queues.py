"""What waits for a task, and what it takes next."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from headrace.model.record import Record
from headrace.plan.nodes import Node


@dataclass(frozen=True, eq=False)
class Queue:
    """Where a record waits: the node it goes on from, and the topic it was read from, if that is a source."""

    place: tuple[int, ...]
    """Which queue goes first at equal times."""

    node: Node
    topic: str = ""


class Queues:
    """The records that wait for one task, in one queue for each topic and each repartition it reads.

    A queue keeps its order; among the queues the one whose head has the smallest timestamp is next. At equal times the
    place decides, so that the same records are always taken in the same order.
    """

    def __init__(self) -> None:
        self._waiting: dict[Queue, deque[Record]] = {}

    def put(self, queue: Queue, record: Record) -> None:
        """Put a record at the end of a queue."""
        self._waiting.setdefault(queue, deque()).append(record)

    def take(self) -> tuple[Node, Record] | None:
        """The next record, and the node it goes on from; None if nothing waits."""
        if not self._waiting:
            return None
        queue = min(self._waiting, key=self._turn) if len(self._waiting) > 1 else next(iter(self._waiting))
        records = self._waiting[queue]
        record = records.popleft()
        if not records:
            del self._waiting[queue]
        return queue.node, record

    def _turn(self, queue: Queue) -> tuple[int, tuple[int, ...], str]:
        return self._waiting[queue][0].ts, queue.place, queue.topic

    def clear(self) -> None:
        """Forget what waits."""
        self._waiting.clear()
