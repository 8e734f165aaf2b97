"""Processing context: what a task gives a processor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.errors import ForwardRefused, HeadraceError, NoSerde, OptionInvalid, ProcessorError, StoreNotConnected
from headrace.model.durations import Duration, duration_ms
from headrace.model.record import Record
from headrace.plan.nodes import Node
from headrace.plan.origin import origin
from headrace.plan.schema import Field, Schema
from headrace.plan.stores import Store, StoreConnection
from headrace.processor.base import checked_record
from headrace.processor.context import By, ProcessorContext, Punctuator, Scheduled, name_of
from headrace.processor.opening import opened
from headrace.processor.records import FixedKeyRecord, RecordMetadata
from headrace.serde import Serde
from headrace.task.context import Context

Send = Callable[[Record, str | None], None]
Call = Callable[[str, Callable[[], object]], None]
"""Makes a step of the processor; what it raises names the node."""


class TaskContext(ProcessorContext):
    """The context of a processor in a running task."""

    def __init__(
        self, node: Node, task: Context, takes: Schema, stores: tuple[StoreConnection, ...], send: Send, call: Call
    ) -> None:
        self._node, self._task, self._takes = node, task, takes
        self._stores = {one.store.name: opened(one, task.stores, task.time.now) for one in stores}
        self._send, self._call = send, call
        self.record: Record | None = None
        """The record at hand."""
        self.scheduled: list[Scheduled] | None = None
        """The timers that were set for the record at hand; None while nobody wants to know."""

    def forward(self, record: Record, to: str | None = None) -> None:
        checked = record if type(record) is Record and record.ts >= 0 else checked_record(record)
        if checked.origin is None and self.record is not None:
            checked = _from(checked, self.record)
        self._send(checked, to)

    def schedule(self, interval: Duration, call: Punctuator, *, by: By = "stream") -> Scheduled:
        here = origin()
        if by not in ("stream", "wall"):
            raise OptionInvalid("by", by, '"stream" or "wall"', here)
        if not callable(call):
            raise OptionInvalid("call", call, "a function of the time that it is by then", here)
        interval_ms = duration_ms("interval", interval, here, least=1)
        time = self._task.time
        timers, first = (time.stream, 0) if by == "stream" else (time.wall, self._task.clock.steady_ms() + interval_ms)
        timer = timers.add(first, interval_ms, lambda now: self._call(f"its {by} punctuator", lambda: call(now)))
        if self.scheduled is not None:
            self.scheduled.append(timer)
        return timer

    def commit(self) -> None:
        """A batch is made safe as a whole when it ends, which is never far: nothing has to be remembered."""

    def store(self, store: Store[Any] | str) -> Any:
        name = name_of(store)
        if name not in self._stores:
            raise StoreNotConnected(name, self._node.name, list(self._stores))
        return self._stores[name]

    @property
    def metadata(self) -> RecordMetadata | None:
        return RecordMetadata.of(self.record)

    @property
    def task_id(self) -> str:
        return self._task.task_id

    @property
    def app_id(self) -> str:
        return self._task.app_id

    @property
    def now_ms(self) -> int:
        return self._task.clock.now_ms()

    @property
    def stream_time_ms(self) -> int:
        return self._task.time.stream_ms

    @property
    def key_serde(self) -> Serde[Any] | None:
        return _serde(self._takes.key)

    @property
    def value_serde(self) -> Serde[Any] | None:
        return _serde(self._takes.value)


def own_fault(exc: Exception) -> str | None:
    """Why a processor failed, in words; None for the failure of a node behind it, which names itself."""
    if isinstance(exc, ProcessorError | OptionInvalid):
        return exc.what
    return None if isinstance(exc, HeadraceError) else f"{type(exc).__name__}: {exc}"


def fixed(record: Record) -> Record:
    """A record of `process_values` that is sent on, as others see it; one made anew could have any key."""
    if not isinstance(record, FixedKeyRecord):
        raise ForwardRefused(
            "a record made anew cannot be sent on in process_values",
            fix="send on the one that came in: record.with_value(...), record.with_ts(...)",
        )
    return record.free()


def _from(record: Record, cause: Record) -> Record:
    """A record made anew, with the place of the one that it was made for."""
    kind = type(record)
    return kind(key=record.key, value=record.value, ts=record.ts, headers=record.headers, origin=cause.origin)


def _serde(field: Field) -> Serde[Any] | None:
    try:
        return field.default_serde()
    except NoSerde:
        return None
