"""What waits for the tasks, and what they take next."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from headrace.model.record import Record

Taking = Callable[[Record], None]


@dataclass(frozen=True, eq=False)
class Queue:
    """Where records wait: a topic that is read, or a repartition."""

    place: tuple[int, int, str]
    """Which queue goes first at equal times; those of one place in the order in which they began to wait."""

    readers: tuple[Taking, ...]
    """The tasks that take its records."""

    first: bool = False
    """Whether it goes before all that are not."""


class Queues:
    """The records that wait for all tasks, in one queue for each topic and each repartition.

    A queue keeps its order; among the queues the one whose head has the smallest timestamp is next, whoever reads it,
    as in the test driver of Kafka Streams. The same records are always taken in the same order.
    """

    def __init__(self) -> None:
        self._waiting: dict[Queue, deque[Record]] = {}

    def put(self, queue: Queue, record: Record) -> None:
        """Put a record at the end of a queue."""
        records = self._waiting.get(queue)
        if records is None:
            self._waiting[queue] = deque((record,))
        else:
            records.append(record)

    def take(self) -> tuple[Queue, Record] | None:
        """The next record, and where it waited; None if nothing waits."""
        waiting = self._waiting
        if not waiting:
            return None
        queue = min(waiting, key=self._turn) if len(waiting) > 1 else next(iter(waiting))
        records = waiting.pop(queue)
        record = records.popleft()
        if records:
            waiting[queue] = records  # behind the others: at equal times they take turns
        return queue, record

    def _turn(self, queue: Queue) -> tuple[bool, int, tuple[int, int, str]]:
        return not queue.first, self._waiting[queue][0].ts, queue.place

    def clear(self) -> None:
        """Forget what waits."""
        self._waiting.clear()
