"""Processors: the user's own code between streams, with stores and timers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any, TypeVar

from headrace.errors import ForwardRefused, ProcessorFailed
from headrace.model.change import Change
from headrace.model.record import Record
from headrace.plan.nodes import GlobalStore, Merge, Node, Process, ProcessValues, TableTransformValues
from headrace.plan.schema import Schema
from headrace.plan.stores import StoreConnection
from headrace.processor.context import Scheduled
from headrace.processor.records import FixedKeyRecord
from headrace.state.keyvalue import Stored
from headrace.task.context import Context
from headrace.task.operators.base import Operator, Way
from headrace.task.operators.table_values import RowByRow
from headrace.task.processing import TaskContext, fixed, own_fault

N = TypeVar("N", bound=Node)

_UNKNOWN_TIME = -1


class Hosted:
    """A processor of one operator: what it raises names the node, and the record if there is one."""

    def __init__(
        self,
        operator: Operator[Any],
        make: Callable[[], Any],
        takes: Schema,
        stores: tuple[StoreConnection, ...],
        send: Callable[[Record, str | None], None],
    ) -> None:
        self._operator, self.processor = operator, make()
        self.context = TaskContext(operator.node, operator.task, takes, stores, send, self.call)

    def start(self) -> None:
        """Start the processor with its task."""
        self.call("init", lambda: self.processor.init(self.context))

    def close(self) -> None:
        """Close the processor with its task."""
        self.call("close", self.processor.close)

    def call(self, step: str, function: Callable[[], object]) -> None:
        """Run a step for which there is no record."""
        try:
            function()
        except Exception as exc:
            reason = own_fault(exc)
            if reason is None:
                raise
            node = self._operator.node
            raise ProcessorFailed(f"{node.name} ({node.origin})", step, reason) from exc

    def handle(self, record: Record, function: Callable[..., Any], *given: Any) -> Any:
        """Let the processor handle a record."""
        before, self.context.record = self.context.record, record
        try:
            return function(*given)
        except Exception as exc:
            reason = own_fault(exc)
            if reason is None:
                raise
            raise self._operator.failed(record, reason) from exc
        finally:
            self.context.record = before


class Whole(Hosted):
    """A processor whose failures are read: what it does with a record counts as a whole, or not at all.

    If it fails, its stores are as they were before, what it has sent on goes nowhere, and timers that it has set are
    not there. So what it sends on goes on only when it is done with the record.
    """

    _sent: list[Callable[[], None]] | None = None

    def handle(self, record: Record, function: Callable[..., Any], *given: Any) -> Any:
        state = self._operator.task.state
        sent: list[Callable[[], None]] = []
        timers: list[Scheduled] = []
        self._sent, self.context.scheduled = sent, timers
        state.begin()
        try:
            result = super().handle(record, function, *given)
        except BaseException:
            state.undo()
            for timer in timers:
                timer.cancel()
            raise
        finally:
            self._sent, self.context.scheduled = None, None
        state.keep()
        for send in sent:
            send()
        return result

    @property
    def is_busy(self) -> bool:
        """Whether there is a record at hand."""
        return self._sent is not None

    def when_done(self, send: Callable[[], None]) -> None:
        """Send something on with all else that comes of the record at hand."""
        assert self._sent is not None
        self._sent.append(send)


def hosting(operator: Operator[Any]) -> type[Hosted]:
    """Host of an operator's processor."""
    return Whole if operator.node in operator.task.reading_failures else Hosted


def undoable_stores(reading_failures: Iterable[Node]) -> set[str]:
    """The stores whose changes have to be undone when a processor fails."""
    processors = (node for node in reading_failures if isinstance(node, Process | TableTransformValues))
    return {store for node in processors for store in node.shared_stores}


class ProcessOperator(Operator[Process]):
    """Hands every record to the processor, and sends on what comes of it to all or to one who reads from here."""

    def __init__(self, node: Process, task: Context) -> None:
        super().__init__(node, task)
        takes = node.parents[0].output()
        self._hosted = hosting(self)(self, node.make, takes, node.connections, self._send)
        self._ways_to: dict[str, tuple[Way, ...]] = {}
        self._fixed = isinstance(node, ProcessValues)

    def connect(
        self, upstream: tuple[Operator[Any] | None, ...], readers: tuple[tuple[Operator[Any], int], ...]
    ) -> None:
        super().connect(upstream, readers)
        following = [(reader, position) for reader, position in readers if reader.node.facts.side_output is None]
        self._children = tuple((reader, reader.entry(position)) for reader, position in following)

    def start(self) -> None:
        self._hosted.start()

    def close(self) -> None:
        self._hosted.close()

    def on_record(self, record: Record) -> None:
        given = FixedKeyRecord.of(record) if self._fixed else record
        self._hosted.handle(record, self._hosted.processor.process, given)

    def _send(self, record: Record, to: str | None) -> None:
        record = fixed(record) if self._fixed else record
        if to is not None and to not in self._ways_to:
            self._ways_to[to] = self._found(to)
        if isinstance(self._hosted, Whole) and self._hosted.is_busy:
            # What it does with a value afterwards must not be seen in what it has sent on.
            kept = record.with_pair(deepcopy(record.key), deepcopy(record.value))
            self._hosted.when_done(lambda: self._sent_on(kept, to))
        else:
            self._sent_on(record, to)

    def _sent_on(self, record: Record, to: str | None) -> None:
        if to is None:
            return self.forward(record)
        for way in self._ways_to[to]:
            way(record)
        return None

    def _found(self, to: str) -> tuple[Way, ...]:
        ways = tuple(way for child, way in self._children if to in _names(child))
        if not ways:
            there = ", ".join(child.node.name for child, _ in self._children) or "nobody"
            raise ForwardRefused(f"nobody called {to!r} reads from {self.node.name!r}", fix=f"there is {there}")
        return ways


class GlobalStoreOperator(Operator[GlobalStore]):
    """Hands every record of the topic to the processor, which keeps what it likes in the store; nothing is sent on."""

    def __init__(self, node: GlobalStore, task: Context) -> None:
        super().__init__(node, task)
        self._hosted = Hosted(
            self, node.make, node.output(), (StoreConnection(node.definition),), _nowhere("a global store")
        )

    def start(self) -> None:
        self._hosted.start()

    def close(self) -> None:
        self._hosted.close()

    def on_record(self, record: Record) -> None:
        self._hosted.handle(record, self._hosted.processor.process, record)


class TableTransformValuesOperator(RowByRow[TableTransformValues]):
    """Gives every row the value that the transformer makes of it; a deletion is handed to it as None."""

    def __init__(self, node: TableTransformValues, task: Context) -> None:
        super().__init__(node, task)
        takes = node.upstream.output()
        self._hosted = hosting(self)(self, node.make, takes, node.connections, _nowhere("transform_values"))

    def start(self) -> None:
        self._hosted.start()

    def close(self) -> None:
        self._hosted.close()

    def row(self, record: Record, value: Any) -> Any:
        return self._hosted.handle(record, self._hosted.processor.transform, record.key, value)

    def on_record(self, record: Record) -> None:
        change = record.value
        new = self.attempted(record, lambda: self.row(record, change.new))
        if self._rows is not None:
            before = self._rows.get(record.key)
            self._rows.put(record, new, record.ts, before and before.value, change.is_latest)
        else:
            old = self._row_again(record, change.old) if self.sends_old else None
            self.send_change(record, Change(new, old, change.is_latest), record.ts)

    def _row_of(self, key: Any, upstream: Stored | None) -> Stored | None:
        found = upstream or Stored(None, _UNKNOWN_TIME)
        value = self._row_again(Record(key=key, ts=found.ts), found.value)
        return None if value is None else Stored(value, found.ts)


def _names(child: Operator[Any]) -> set[str]:
    """Names of a child: behind a merge, which only gathers, it is whoever comes next."""
    behind = {name for one in child.next for name in _names(one)} if isinstance(child.node, Merge) else set()
    return {child.node.name} | behind


def _nowhere(place: str) -> Callable[[Record, str | None], None]:
    def send(record: Record, to: str | None) -> None:  # noqa: ARG001
        raise ForwardRefused(f"nothing can be sent on from {place}", fix="use process(...) on a stream")

    return send
