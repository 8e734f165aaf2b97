"""One task in a Python process: the tasks of the test driver, fed and asked by a task of Spark."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial

from headrace.lane.entering import Reading, RecordColumns, entering
from headrace.lane.frames import Channel, Reader, Writer, packed_parts, unpacked_parts
from headrace.lane.nodes import Enter
from headrace.lane.operators import LANE_OPERATORS, LaneContext
from headrace.lane.outbox import NOBODY, Outbox
from headrace.lane.program import Program
from headrace.lane.remote import RemoteState, write_changes
from headrace.lane.shown import Shown
from headrace.model.change import Change
from headrace.model.clock import SetClock
from headrace.model.queue_bits import PLACE, TOPIC
from headrace.model.record import RawRecord, Record
from headrace.plan.graph import Plan
from headrace.plan.nodes import Node, Repartition, Source, To
from headrace.state.stores import Stores
from headrace.state.undoable import Undoable
from headrace.task.drops import Drops
from headrace.task.operators import Operator
from headrace.task.operators.base import Way
from headrace.task.operators.process import undoable_stores
from headrace.task.operators.source import Unread, decoding, unread
from headrace.task.task import Task
from headrace.task.timers import NEVER
from headrace.task.timestamps import Timestamps

_PART = 4

Entry = Callable[[RawRecord, bytes | None, bool], None]
"""What happens to a record that comes in: of a change of a table with the old value, and whether it is the latest."""


class LaneTask:
    """Runs the nodes of a program for one task of Spark, batch after batch."""

    def __init__(
        self, program: Program, channel: Channel, number: int, remembered: Mapping[bytes, bytes], shown: Shown
    ) -> None:
        self._program, self._channel, self._shown = program, channel, shown
        self._state = RemoteState(channel, remembered, program.codec(), partial(_called, program.plan))
        self._outbox, self._drops = Outbox(), Drops()
        undoable = Undoable(self._state, undoable_stores(program.reading_failures))
        self._stores, self._clock = Stores(undoable), SetClock()
        self._counted: dict[tuple[str, str], int] = {}
        self._context = LaneContext(
            send=self._send,
            write=self._write,
            show=print,
            stores=self._stores,
            state=undoable,
            drops=self._drops,
            clock=self._clock,
            sending_old=program.sending_old,
            reading_failures=program.reading_failures,
            partitions=self._partitions,
            partition=number,
            outbox=self._outbox,
        )
        self._timestamps = Timestamps(self._clock, self._drops, self._state.memory)
        self._tasks: list[Task] = []
        self._entries: dict[int, Entry] = {}
        self._alone: dict[int, tuple[Enter | Source, Way]] = {}
        """Of those entries that lead to one task, and are no changes: the node, and the way into the task."""
        self._flushes: list[Callable[[], None]] = []
        self._matched: dict[int, str] = {}
        """The topics of patterns whose records came in this batch."""

    def begin(self, batch: int, now_ms: int, steady_ms: int) -> bytes:
        """A batch begins: make the calls that the time of day asks for."""
        self._clock.set(now_ms, steady_ms)
        random.seed(f"{self._program.plan.app}/{self._context.partition}/{batch}")
        self._outbox.cause = NOBODY
        self._matched.clear()
        if not self._entries:
            self._start()
        else:
            for task in self._tasks:
                task.tick()
        return self._answer().take()

    def take(self, chunk: Reader) -> bytes:
        """Take a chunk of records, and give the records that it leads to."""
        refused, count = chunk.text(), chunk.int32()
        tags, rows = chunk.int32s(count), RecordColumns.read(chunk, count, self._topic)
        for _ in range(chunk.int32()):
            self._state.cells(chunk.text()).came_along(chunk.data(), chunk.part())
        if self._program.lookups:
            self._look_ahead(tags, rows)
        if refused or not self._take_together(tags, rows):
            self._take_singly(tags, rows, refused)
        self._outbox.cause = NOBODY
        self._state.spill()
        return self._answer().take()

    def _take_together(self, tags: array[int], rows: RecordColumns) -> bool:
        """Take records that all come in at one node; False if they do not, or cannot all be read."""
        alone = self._alone.get(tags[0])
        if alone is None or tags.count(tags[0]) < len(tags):
            return False
        node, way = alone
        if isinstance(node, Source) and any(rows.olds):
            return False
        records, outbox = rows.all_at_once(node), self._outbox
        for number, record in enumerate(records or ()):
            outbox.cause = number
            way(record)
        return records is not None

    def _take_singly(self, tags: array[int], rows: RecordColumns, refused: str) -> None:
        entries, outbox = self._entries, self._outbox
        for number, (tag, row) in enumerate(zip(tags, rows.one_by_one(), strict=True)):
            outbox.cause = number
            if refused:
                self._refuse(tag, row, refused)
            else:
                entries[tag](*row)

    def _look_ahead(self, tags: Sequence[int], rows: RecordColumns) -> None:
        """Ask at once for what the keys of all records have in stores that know them by other bytes."""
        for tag, lookups in self._program.lookups.items():
            found = {key for at, key in zip(tags, rows.keys, strict=True) if at == tag}
            read = self._program.entries[tag].key.decode  # type: ignore[union-attr]
            with suppress(ValueError):  # what does not fit is told when its turn comes
                values = [read(key) for key in sorted(key for key in found if key is not None)]
                for one in lookups:
                    self._state.cells(one.cells).fetch([one.key.write(value) for value in values])

    def end(self) -> bytes:
        """The batch is over: what was held back, what has to be written, what was dropped, and when to come again."""
        self._outbox.cause = NOBODY
        with self._stores.settling():
            for flush in self._flushes:
                flush()
        message = self._answer()
        write_changes(message, self._state.changes())
        drops = {place: count - self._counted.get(place, 0) for place, count in self._drops.counts().items()}
        self._counted = self._drops.counts()
        fresh = {place: count for place, count in drops.items() if count}
        message.int32(len(fresh))
        for (node, reason), count in fresh.items():
            message.text(node).text(reason).int64(count)
        message.int64(min((task.due_ms() for task in self._tasks), default=NEVER))
        return message.take()

    def close(self) -> None:
        """Close: no batch comes any more."""
        for task in self._tasks:
            task.close()

    def _start(self) -> None:
        program = self._program
        self._tasks = [Task(part, program.plan, self._context, LANE_OPERATORS) for part in program.parts]
        for task in self._tasks:
            task.tick()
        flushes = (task.flush_of(node) for node in program.plan.nodes for task in self._tasks)
        self._flushes = [flush for flush in flushes if flush is not None]
        self._entries = {tag: self._entry(tag, node) for tag, node in program.entries.items()}

    def _entry(self, tag: int, node: Node | None) -> Entry:
        if node is None:
            return lambda *_: None
        if node in self._program.stamped:
            assert isinstance(node, Source)
            return self._stamping(tag, node)
        read, ways = self._reading(node), [task.way_in(node) for task in self._tasks if task.reads(node)]
        if len(ways) == 1 and (isinstance(node, Source) or (isinstance(node, Enter) and not node.changes)):
            self._alone[tag] = node, ways[0]

        def enter(raw: RawRecord, old: bytes | None, latest: bool) -> None:
            record = read(raw, old, latest)
            for way in ways:
                way(record)

        return enter

    def _reading(self, node: Node) -> Reading:
        """Readers of the records that come in at a node."""
        if isinstance(node, Enter):
            return entering(node)
        assert isinstance(node, Source)
        decode = decoding(node, failures_read=node in self._program.reading_failures)

        def read(raw: RawRecord, untimed: bytes | None, _: bool) -> Record:
            if untimed is None:
                return decode(raw)
            error, message = unpacked_parts(untimed)
            return unread(raw, (error or b"").decode(), (message or b"").decode())

        return read

    def _stamping(self, tag: int, source: Source) -> Entry:
        read = self._timestamps.reading(source, failures_read=source in self._program.reading_failures)

        def stamp(raw: RawRecord, _old: bytes | None, _latest: bool) -> None:
            _, _, key, value, headers, origin = raw
            record = read(str(origin).rpartition("@")[0], raw)
            if record is not None:
                failed, untimed = record.value, None
                if isinstance(failed, Unread):
                    untimed = packed_parts([failed.error.encode(), failed.message.encode()])
                self._outbox.add(tag, record.ts, key, value, untimed, headers, None, True)

        return stamp

    def _refuse(self, tag: int, row: tuple[RawRecord, bytes | None, bool], reason: str) -> None:
        """A worker did not survive this record: it fails at the first node whose failures are read, or at the first."""
        node = self._program.entries[tag]
        if node is None:
            return
        first = next(operator for task in self._tasks for operator in task.readers_of(node))
        read = (one for one in _behind(first) if one.node in self._program.reading_failures)
        operator = next((one for one in read if not isinstance(one.node, Source)), first)
        _, ts, key, value, headers, origin = row[0]
        if isinstance(operator.node, Source):  # its failures are in bytes
            record = Record.made(key, value, ts, headers, origin)
        else:
            record = self._reading(node)(*row)
        operator.fail(record, operator.failed(record, f"a Python worker did not survive it: {reason}"))

    def _answer(self) -> Writer:
        message = Writer()
        message.part(self._shown.take())
        self._outbox.write(message)
        return message

    def _send(self, node: Repartition, record: Record, partition: int | None) -> None:
        exit_ = self._program.exits[node.name]
        assert exit_.key is not None
        assert exit_.value is not None
        value, old, latest = record.value, None, True
        if type(value) is Change:
            value, old, latest = value
        chosen = None if partition is None else partition.to_bytes(_PART, "big")
        self._outbox.add(
            exit_.tag,
            record.ts,
            exit_.key.encode(record.key),
            exit_.value.encode(value),
            exit_.value.encode(old) if exit_.changes else chosen,
            record.headers,
            None,
            latest,
        )

    def _write(self, node: To, raw: RawRecord, partition: int | None) -> None:
        topic, ts, key, value, headers, _ = raw
        chosen = None if partition is None else partition.to_bytes(_PART, "big")
        self._outbox.add(self._program.exits[node.name].tag, ts, key, value, chosen, headers, topic.encode(), True)

    def _topic(self, source: int) -> str:
        """The topic of a number that says where a record was read; which of a pattern's topics it is, is asked for."""
        name = self._program.topics.get(source >> PLACE, "?")
        if not name.startswith("/"):
            return name
        number = source >> TOPIC
        if number not in self._matched:
            asked = Writer().text(name[1:-1]).int64(source).take()
            self._matched[number] = self._channel.ask("T", asked).text()
        return self._matched[number]

    def _partitions(self, topic: str) -> int:
        if topic not in self._program.partitions:
            return self._channel.ask("N", Writer().text(topic).take()).int32()
        return self._program.partitions[topic]


def _called(plan: Plan, cells: str) -> str:
    """Name of cells, in words."""
    owner = cells.removeprefix("store.").partition("/")[0] if cells.startswith("store.") else cells.rpartition("/")[0]
    for node in plan.nodes:
        if cells.startswith("store.") and owner in (*node.kept_stores, *(one.store.name for one in node.connections)):
            return f"what store {owner!r} ({node.origin}) has"
        if node.name == owner:
            return f"what {node.name} ({node.origin}) keeps"
    return f"what store {owner!r} has"


def _behind(operator: Operator[Node]) -> Iterator[Operator[Node]]:
    yield operator
    for reader in operator.next:
        yield from _behind(reader)
