"""Queues of the records that wait for tasks, and the order in which they are taken."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from headrace.model.record import Record

Taking = Callable[[Record], None]


class Queue:
    """Queue of records that wait for a task: a topic that is read, or a repartition. It keeps their order."""

    __slots__ = ("_rank", "place", "readers", "records")

    def __init__(self, place: tuple[int, int, str], readers: tuple[Taking, ...], *, first: bool = False) -> None:
        """Order among queues at equal times, readers of its records, and whether it goes before all others."""
        self._rank, self.place, self.readers = not first, place, readers
        self.records: deque[Record] = deque()

    def turn(self) -> tuple[bool, int, tuple[int, int, str]]:
        """The queue with the smallest turn is next."""
        return self._rank, self.records[0].ts, self.place


class Queues:
    """The records that wait for all tasks, in one queue for each topic and each repartition.

    The queue whose head has the smallest timestamp is next, whoever reads it, as in the test driver of Kafka Streams.
    Queues of one place and time are taken as they lie in a binary heap with the same steps as Java's, so that even
    there the order is the same; it is also the same whenever the same records come again.
    """

    def __init__(self) -> None:
        self._heap: list[Queue] = []

    def put(self, queue: Queue, record: Record) -> None:
        """Put a record at the end of a queue."""
        queue.records.append(record)
        if len(queue.records) == 1:
            self._add(queue)

    def take(self) -> tuple[Queue, Record] | None:
        """The next record, and where it waited; None if nothing waits."""
        heap = self._heap
        if not heap:
            return None
        queue, last = heap[0], heap.pop()
        if heap:
            self._sink(last)
        record = queue.records.popleft()
        if queue.records:
            self._add(queue)
        return queue, record

    def clear(self) -> None:
        """Forget all records that wait."""
        for queue in self._heap:
            queue.records.clear()
        self._heap.clear()

    def _add(self, queue: Queue) -> None:
        """Put a queue at the end of the heap, and let it rise above those that come after it."""
        heap, place = self._heap, len(self._heap)
        heap.append(queue)
        while place:
            parent = (place - 1) // 2
            if heap[parent].turn() <= queue.turn():
                break
            heap[place], place = heap[parent], parent
        heap[place] = queue

    def _sink(self, queue: Queue) -> None:
        """Put a queue at the top of the heap, in place of the one there, and let it sink below those before it."""
        heap, place = self._heap, 0
        while (child := 2 * place + 1) < len(heap):
            if child + 1 < len(heap) and heap[child + 1].turn() < heap[child].turn():
                child += 1
            if queue.turn() <= heap[child].turn():
                break
            heap[place], place = heap[child], child
        heap[place] = queue
