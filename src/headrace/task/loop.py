"""A whole plan in one process: one task for each sub-topology, run batch by batch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from headrace.errors import NotInTopology
from headrace.model.clock import Clock
from headrace.model.record import RawRecord, Record
from headrace.passes.split_subtopologies import split_subtopologies
from headrace.plan.graph import Plan
from headrace.plan.nodes import DeadLetters, Errors, GlobalStore, Node, Repartition, Source, To
from headrace.plan.old_values import sending_old
from headrace.plan.stores import Connection
from headrace.processor.opened import OpenedStore
from headrace.processor.opening import opened
from headrace.state.state import MemoryState
from headrace.state.stores import Stores
from headrace.state.undoable import Undoable
from headrace.task.context import Context
from headrace.task.drops import Drops
from headrace.task.letters import Originals
from headrace.task.operators.process import undoable_stores
from headrace.task.queues import Queue, Queues
from headrace.task.task import Task
from headrace.task.timestamps import Timestamps

Written = tuple[To, RawRecord]


class Loop:
    """Runs a rewritten plan as if every topic had one partition.

    A batch is what a batch is on Spark: records are taken one at a time, tables that settle send on their changes when
    all records in front of them are done, and the batch ends when nothing is on its way any more.
    """

    def __init__(
        self,
        plan: Plan,
        clock: Clock,
        show: Callable[[str], None] = print,
        *,
        state: MemoryState | None = None,
        drops: Drops | None = None,
    ) -> None:
        """Begin with nothing, or where another loop of the same plan ended: with its state, and its counts."""
        self.plan = plan
        self.state = state or MemoryState()
        """All that the next batch needs of those before it: a loop that begins with it writes the same as this one.

        Processors are made and initialised anew, and so are their timers: those by stream time keep the rhythm that
        they have, for it counts from 0, and those by the time of day begin again.
        """
        self._reading_failures = frozenset(node for errors in plan.of(Errors) for node in errors.of)
        undoable = Undoable(self.state, undoable_stores(self._reading_failures))
        self.stores = Stores(undoable)
        self.drops = drops or Drops()
        self._timestamps = Timestamps(clock, self.drops, self.state.memory)
        self._written: list[Written] = []
        self._originals = Originals(clock) if plan.of(DeadLetters) else None
        self._sources: dict[str, tuple[Source, Callable[[str, RawRecord], Record | None]]] = {}
        self._queues = Queues()
        self._queue_of: dict[tuple[Node, str], Queue] = {}
        context = Context(
            send=self._send,
            write=self._write,
            show=show,
            stores=self.stores,
            state=undoable,
            drops=self.drops,
            clock=clock,
            sending_old=sending_old(plan),
            reading_failures=self._reading_failures,
        )
        self._tasks = [Task(part, plan, context) for part in split_subtopologies(plan)]
        flushes = (task.flush_of(node) for node in plan.nodes for task in self._tasks)
        self._flushes = [flush for flush in flushes if flush is not None]

    def run(self, batch: Iterable[RawRecord]) -> list[Written]:
        """What a batch of records writes, with the nodes that wrote it; an empty one when only the clock has moved.

        A batch that fails may have changed some of the state: go on in another loop, with the state before it.
        """
        try:
            for task in self._tasks:
                task.tick()
            self._drain()
            for raw in batch:
                self._read(raw)
            self._drain()
            with self.stores.settling():
                while self._settle():
                    pass
        except BaseException:
            self._queues.clear()
            self._written.clear()
            raise
        if self._originals is not None:
            self._originals.clear()
        written, self._written = self._written, []
        return written

    def close(self) -> None:
        """No batch comes any more; what is closed already stays so."""
        tasks, self._tasks = self._tasks, []
        for task in tasks:
            task.close()

    def processor_stores(self) -> dict[str, OpenedStore[Any, Any]]:
        """The stores of processors by their names, as the processors see them."""
        found: dict[str, OpenedStore[Any, Any]] = {}
        for node, time in ((node, task.time) for task in self._tasks for node in task.nodes):
            own = (Connection(node.definition),) if isinstance(node, GlobalStore) else getattr(node, "stores", ())
            for connection in own:
                if connection.store.value is not None:
                    writable = replace(connection, read_only=False)
                    found[connection.store.name] = opened(writable, self.stores, time.now)
        return found

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
        """Take what waits, until nothing does; whether there was anything."""
        take, taken = self._queues.take, None
        while found := take():
            taken = found
            queue, record = found
            for reader in queue.readers:
                reader(record)
        return taken is not None

    def _read(self, raw: RawRecord) -> None:
        if self._originals is not None:
            self._originals.keep(raw)
        if raw.topic not in self._sources:
            source = self.source_of(raw.topic)
            failures_read = source in self._reading_failures
            self._sources[raw.topic] = source, self._timestamps.reading(source, failures_read=failures_read)
        source, read = self._sources[raw.topic]
        record = read(raw.topic, raw)
        if record is not None:
            self._enqueue(source, raw.topic, record)

    def _send(self, node: Repartition, record: Record, partition: int | None) -> None:  # noqa: ARG002
        self._enqueue(node, "", record)

    def _enqueue(self, node: Node, topic: str, record: Record) -> None:
        queue = self._queue_of.get((node, topic))
        if queue is None:
            queue = self._queue_of[node, topic] = self._queue(node, topic)
        self._queues.put(queue, record)

    def _queue(self, node: Node, topic: str) -> Queue:
        readers = tuple(task.way_in(node) for task in self._tasks if task.reads(node))
        return Queue(self._place(node, topic), readers, first=node.facts.everywhere)

    def _write(self, node: To, raw: RawRecord, partition: int | None) -> None:  # noqa: ARG002
        if isinstance(node, DeadLetters) and self._originals is not None:
            raw = self._originals.letter(raw, node)
        self._written.append((node, raw))

    def _place(self, node: Node, topic: str) -> tuple[int, int, str]:
        """Topics in the order of the plan, then what the tasks send one another, in the order it comes."""
        if not isinstance(node, Source):
            return (len(self.plan.nodes), 0, "")
        return (self.plan.nodes.index(node), node.topics.index(topic) if node.topics else 0, topic)
