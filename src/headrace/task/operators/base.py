"""Base of all operators."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from types import MappingProxyType, TracebackType
from typing import Any, Generic, TypeVar

from headrace.errors import HeadraceError, RecordFailed
from headrace.expr import Bound
from headrace.model.change import Change
from headrace.model.failure import Failure
from headrace.model.record import Record
from headrace.plan.nodes import Node, SideOutput
from headrace.serde import Serde
from headrace.task.context import Context
from headrace.task.drops import Reason

N = TypeVar("N", bound=Node)

Way = Callable[[Record], None]


class Operator(ABC, Generic[N]):
    """One task's share of a node."""

    next: tuple[Operator[Any], ...] = ()
    """Who reads from it, in the order they were declared; twice if it reads twice."""

    upstream: tuple[Operator[Any] | None, ...] = ()
    """Whom it reads from, in the order of its inputs; None for one in another task."""

    _ways: tuple[Way, ...] = ()
    _side_outputs: Mapping[SideOutput, tuple[Way, ...]] = MappingProxyType({})

    def __init__(self, node: N, task: Context) -> None:
        self.node, self.task = node, task

    def connect(
        self, upstream: tuple[Operator[Any] | None, ...], readers: tuple[tuple[Operator[Any], int], ...]
    ) -> None:
        """Say whom it reads from, and who reads from it by which of their inputs."""
        following = [(reader, position) for reader, position in readers if reader.node.facts.side_output is None]
        self.upstream, self.next = upstream, tuple(reader for reader, _ in following)
        self.lead(tuple(reader.entry(position) for reader, position in following))
        self._side_outputs = {
            kind: tuple(reader.entry(position) for reader, position in readers if reader.node.facts.side_output is kind)
            for kind in SideOutput
        }

    def lead(self, ways: tuple[Way, ...]) -> None:
        """Say where records go on; by a single way they go without a detour."""
        self._ways = ways
        self.forward = ways[0] if len(ways) == 1 else self._forward  # type: ignore[assignment, method-assign]

    def way(self, position: int) -> Way:  # noqa: ARG002
        """Entry of the records of an input; an operator with several inputs has several."""
        return self.on_record

    def entry(self, position: int) -> Way:
        """The way of an input, on which a record that fails here is sent to where failures are read, if they are."""
        way = self.way(position)
        return self.guarded(way) if self.node in self.task.reading_failures else way

    def start(self) -> None:
        """Start: all operators are connected, and no record has come yet."""
        return

    def close(self) -> None:
        """Close: no record comes any more."""
        return

    @abstractmethod
    def on_record(self, record: Record) -> None:
        """Handle one record, and send on what comes of it."""

    def on_time(self, ms: int) -> None:
        """The stream time of an operator in front has followed the clock: those that go by it here follow, too."""
        for reader in self.next:
            reader.on_time(ms)

    def flush(self) -> None:
        """The batch is over: send on what was held back, which most operators never do."""
        return

    def forward(self, record: Record) -> None:
        """Send a record to everyone who reads from this node."""
        self._forward(record)

    def _forward(self, record: Record) -> None:
        for way in self._ways:
            way(record)

    def drop(self, reason: Reason, record: Record) -> None:
        """Leave a record out, and count it; one that is late goes to where late ones are read."""
        self.task.drops.add(self.node.name, reason)
        if reason is Reason.LATE:
            self.send_to_side_output(SideOutput.LATE, record)

    def send_to_side_output(self, kind: SideOutput, record: Record) -> None:
        """Send a record to the side outputs of a kind."""
        for way in self._side_outputs.get(kind, ()):
            way(_plain(record))

    def has_side_output(self, kind: SideOutput) -> bool:
        """Whether there is a side output of a kind."""
        return bool(self._side_outputs.get(kind))

    def guarded(self, way: Way) -> Way:
        """Entry from which a record that fails at this node goes to its side output of failures."""

        def call(record: Record) -> None:
            try:
                way(record)
            except RecordFailed as exc:
                self.fail(record, exc)
            except HeadraceError:
                raise
            except Exception as exc:
                self.fail(record, failure(exc, record))

        return call

    def attempted(self, record: Record, compute: Callable[[], Any], *, again: bool = False) -> Any:
        """Result of a function for a row; None if it fails, as if there were no row, where failures are read.

        `again` is for a row that it was asked for before: whoever reads failures has been told then.
        """
        try:
            return compute()
        except RecordFailed as exc:
            if not again or not self._handles(exc):
                self.fail(record, exc)
            return None

    def fail(self, record: Record, exc: RecordFailed) -> None:
        """Send a failed record to the side output of failures; raise the fault of another node, or without one."""
        if not self._handles(exc):
            raise exc
        self.send_failure(_plain(record), error_of(exc), exc.reason)

    def send_failure(self, record: Record, error: str, message: str) -> None:
        """Send a record to the side output of failures, and count it."""
        self.task.drops.add(self.node.name, Reason.FAILED)
        failure = Failure(record.value, self.node.name, error, message, record.origin)
        self.send_to_side_output(SideOutput.FAILED, record.with_value(failure))

    def function(self, bound: Bound, never_none: str | None = None) -> Callable[[Record], Any]:
        """The user's expression as a function of a record; what it raises names the node and the record.

        `never_none` says in words what the result has to be where None is not possible.
        """
        compute = bound.called_with("key", "value", "timestamp")

        def call(record: Record) -> Any:
            key, value, ts, _, _ = record
            try:
                result = compute(key, value, ts)
            except Exception as exc:
                raise self.failed(record, str(exc)) from exc
            if result is None and never_none is not None:
                raise self.failed(record, f"None is not {never_none}")
            return result

        return call

    def computed(self, bound: Bound, *names: str) -> Callable[..., Any]:
        """The user's expression as a function of the record at hand and the values of these symbols."""
        compute = bound.called_with(*names)

        def call(record: Record, *values: Any) -> Any:
            try:
                return compute(*values)
            except Exception as exc:
                raise self.failed(record, str(exc)) from exc

        return call

    def written(self, record: Record, serde: Serde[Any], value: Any) -> bytes:
        """The bytes of a value that the user's functions have made of a record."""
        try:
            return serde.write(value)
        except ValueError as exc:
            raise self.failed(record, str(exc)) from exc

    def failed(self, record: Record, reason: str) -> RecordFailed:
        """The error for a record that this node cannot handle."""
        return RecordFailed(self._label, reason, record.origin)

    def _handles(self, exc: RecordFailed) -> bool:
        return exc.node == self._label and self.node in self.task.reading_failures

    @property
    def _label(self) -> str:
        return f"{self.node.name} ({self.node.origin})"


def error_of(exc: HeadraceError) -> str:
    """The class of the exception that an error comes of."""
    return type(exc.__cause__ or exc).__name__


def failure(exc: Exception, record: Record | None) -> RecordFailed:
    """The error for what no operator has put into words, with the node whose code was last on the way to it."""
    node = _innermost(exc.__traceback__)
    reason = str(exc) or type(exc).__name__
    where = None if record is None else record.origin
    failed = RecordFailed("an operator" if node is None else node._label, reason, where)
    failed.__cause__ = exc
    return failed


def _innermost(traceback: TracebackType | None) -> Operator[Any] | None:
    found = None
    while traceback is not None:
        holder = traceback.tb_frame.f_locals.get("self")
        if isinstance(holder, Operator):
            found = holder
        traceback = traceback.tb_next
    return found


def _plain(record: Record) -> Record:
    """A record as users see it: of the change of a table, the new value, or the old one of a deletion."""
    if not isinstance(record.value, Change):
        return record
    return record.with_value(record.value.old if record.value.new is None else record.value.new)
