"""Task loop: a whole plan in one process, with one task for each sub-topology, run batch by batch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import repeat

from headrace.errors import NotInTopology
from headrace.log.partitioner import partition_of
from headrace.model.clock import Clock
from headrace.model.record import RawRecord, Record
from headrace.plan.graph import Plan
from headrace.plan.nodes import DeadLetters, Errors, Node, Repartition, Source, To
from headrace.state.state import MemoryState, State
from headrace.task.context import Context
from headrace.task.dead_letters import Originals
from headrace.task.drops import Drops
from headrace.task.partition import MakeContext, PlanPartition
from headrace.task.queues import Queue, Queues

Written = tuple[To, RawRecord]


class Loop:
    """Runs a rewritten plan as if every topic, and every repartition, had so many partitions.

    A batch is what a batch is on Spark: records are taken one at a time, tables that settle send on their changes when
    all records in front of them are done, and the batch ends when nothing is on its way any more.
    """

    def __init__(
        self,
        plan: Plan,
        clock: Clock,
        show: Callable[[str], None] = print,
        *,
        partitions: int = 1,
        states: Sequence[State] = (),
        drops: Drops | None = None,
        partitions_of: Callable[[str], int] | None = None,
    ) -> None:
        """Begin with nothing, or where another loop of the same plan ended: with its states, and its counts.

        `partitions_of` tells how many partitions topics have, where these are real ones.
        """
        self.plan = plan
        self.drops = drops or Drops()
        self.chosen: dict[int, int] = {}
        """The partitions that partitioners have chosen in the last batch, by the places of the records written."""
        self._reading_failures = frozenset(node for errors in plan.of(Errors) for node in errors.of)
        self._written: list[Written] = []
        self._originals = Originals(clock) if plan.of(DeadLetters) else None
        self._sources: dict[tuple[str, int], tuple[Source, Callable[[str, RawRecord], Record | None]]] = {}
        self._queues = Queues()
        self._queue_of: dict[tuple[Node, str, int], Queue] = {}
        self._partitions_there = partitions_of
        self._counts = {node.name: node.partitions for node in plan.of(Repartition) if node.partitions}
        self._repartitions = {node.name for node in plan.of(Repartition)}

        def context(number: int) -> MakeContext:
            return lambda undoable, stores: Context(
                send=partial(self._send, number),
                write=self._write,
                show=show,
                stores=stores,
                state=undoable,
                drops=self.drops,
                clock=clock,
                sending_old=frozenset(),
                partitions=self._partitions_of,
                partition=number,
            )

        begun = states or [MemoryState() for _ in range(partitions)]
        self.partitions = [PlanPartition(plan, state, context(number)) for number, state in enumerate(begun)]
        self._flushes = [flush for node in plan.nodes for part in self.partitions for flush in part.flushes_of(node)]

    def run(self, batch: Iterable[RawRecord], placed: Iterable[int] = repeat(0)) -> list[Written]:
        """Run a batch of records, and give what it writes; an empty one when only the clock has moved.

        `placed` has the partitions of the records. A batch that fails may have changed some of the state: go on in
        another loop, with the state before it.
        """
        with self._whole_or_not():
            self._feed(batch, placed)
            self._settle_all()
        return self._taken()

    def feed(self, batch: Iterable[RawRecord], placed: Iterable[int]) -> list[Written]:
        """What records write at once, before the batch they belong to ends with `settle`."""
        with self._whole_or_not():
            self._feed(batch, placed)
        return self._taken()

    def settle(self) -> list[Written]:
        """What is written when a batch ends."""
        with self._whole_or_not():
            self._settle_all()
        return self._taken()

    def due_ms(self) -> int:
        """The time of day at which the clock matters next."""
        return min(part.due_ms() for part in self.partitions)

    def close(self) -> None:
        """Close all operators: no batch comes any more; what is closed already stays so."""
        for part in self.partitions:
            part.close()

    def source_of(self, topic: str) -> Source:
        """The source that reads a topic; one that names it comes before a pattern."""
        sources = self.plan.of(Source)
        for source in sources:
            if topic in source.topics:
                return source
        for source in sources:
            if source.pattern and re.fullmatch(source.pattern, topic):
                return source
        read = [source.pattern or ", ".join(source.topics) for source in sources]
        raise NotInTopology(self.plan.app, f"read topic {topic!r}", f"it reads {', '.join(read)}")

    @contextmanager
    def _whole_or_not(self) -> Iterator[None]:
        """Nothing waits any more, and nothing is written, once something has failed."""
        self.chosen = {}
        try:
            yield
        except BaseException:
            self._queues.clear()
            self._written.clear()
            raise

    def _feed(self, batch: Iterable[RawRecord], placed: Iterable[int]) -> None:
        for part in self.partitions:
            part.tick()
        self._drain()
        for raw, number in zip(batch, placed, strict=False):
            self._read(raw, number)
        self._drain()

    def _settle_all(self) -> None:
        with ExitStack() as settling:
            for part in self.partitions:
                settling.enter_context(part.stores.settling())
            while self._settle():
                pass
        if self._originals is not None:
            self._originals.clear()

    def _taken(self) -> list[Written]:
        written, self._written = self._written, []
        return written

    def _settle(self) -> bool:
        """Let tables send on what they held back; whether records went between tasks by that.

        In the order of the plan: when a node's turn comes, everything in front of it has had its own. But records that
        come back move the time of a task, and rows may be due for deletion whose table has had its turn.
        """
        moved = False
        for flush in self._flushes:
            flush()
            moved |= self._drain()
        return moved

    def _drain(self) -> bool:
        """Take all records that wait; whether there was one."""
        take, taken = self._queues.take, None
        while found := take():
            taken = found
            queue, record = found
            for reader in queue.readers:
                reader(record)
        return taken is not None

    def _read(self, raw: RawRecord, number: int) -> None:
        if self._originals is not None:
            self._originals.keep(raw)
        place = raw.topic, number
        if place not in self._sources:
            source = self.source_of(raw.topic)
            failures_read = source in self._reading_failures
            timestamps = self.partitions[number].timestamps
            self._sources[place] = source, timestamps.reading(source, failures_read=failures_read)
        source, read = self._sources[place]
        record = read(raw.topic, raw)
        if record is not None:
            for reading in range(len(self.partitions)) if source.facts.everywhere else (number,):
                self._enqueue(source, raw.topic, reading, record)

    def _send(self, sender: int, node: Repartition, record: Record, partition: int | None) -> None:
        count = len(self.partitions)
        if count == 1:
            number = 0
        elif partition is not None:
            number = partition % count
        elif record.key is None:
            number = sender
        else:
            key = node.output().key.store_serde().write(record.key)
            number = partition_of(key, min(node.partitions or count, count))
        self._enqueue(node, "", number, record)

    def _enqueue(self, node: Node, topic: str, number: int, record: Record) -> None:
        queue = self._queue_of.get((node, topic, number))
        if queue is None:
            readers = self.partitions[number].readers_of(node)
            queue = Queue(self._place(node, topic), readers, first=node.facts.everywhere)
            self._queue_of[node, topic, number] = queue
        self._queues.put(queue, record)

    def _write(self, node: To, raw: RawRecord, partition: int | None) -> None:
        if isinstance(node, DeadLetters) and self._originals is not None:
            raw = self._originals.letter(raw, node)
        if partition is not None:
            self.chosen[len(self._written)] = partition
        self._written.append((node, raw))

    def _partitions_of(self, topic: str) -> int:
        count = len(self.partitions)
        if self._partitions_there is not None and topic not in self._repartitions:
            return self._partitions_there(topic)
        return self._counts.get(topic, count) if count > 1 else 1

    def _place(self, node: Node, topic: str) -> tuple[int, int, str]:
        """Topics in the order of the plan, then what the tasks send one another, in the order it comes."""
        if not isinstance(node, Source):
            return (len(self.plan.nodes), 0, "")
        return (self.plan.nodes.index(node), node.topics.index(topic) if node.topics else 0, topic)
