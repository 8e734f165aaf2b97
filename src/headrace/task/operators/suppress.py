"""Holding back the changes of a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

from headrace.errors import BufferFull
from headrace.model.change import Change
from headrace.model.record import Record
from headrace.plan.nodes import Emit, Suppress
from headrace.serde import Serde
from headrace.state.keyvalue import Stored
from headrace.task.context import Context
from headrace.task.operators.tables import TableOperator
from headrace.task.stream_time import StreamTime

_UNKNOWN_TIME = -1


@dataclass(slots=True)
class Held:
    """A change that is held back."""

    record: Record
    prior: Any
    """The value of the key that was sent on last."""
    size: int = 0
    """The bytes of key and value, where they are counted."""


@dataclass(slots=True)
class Buffer:
    """All that a suppression holds back, by the bytes of the keys."""

    held: dict[bytes, Held] = field(default_factory=dict)
    turns: list[tuple[int, bytes]] = field(default_factory=list)
    """When each key leaves, a heap: by time, then by the bytes of the key."""
    size: int = 0


class SuppressOperator(TableOperator[Suppress]):
    """One task's share of a suppression."""

    def __init__(self, node: Suppress, task: Context) -> None:
        super().__init__(node, task)
        self._key = node.output().key.default_serde(node.origin)
        self._value = None if node.max_bytes is None else node.output().value.default_serde(node.origin)
        self._time = StreamTime(task, node.name, node.idle_ms, self._idle)
        self._buffer = task.memory.of(node.name, "held back", Buffer)
        self._held, self._turns = self._buffer.held, self._buffer.turns

    def on_record(self, record: Record) -> None:
        self._time.see(record.ts)
        key = self._key.write(record.key)
        held = self._held.get(key)
        if held is not None:
            held.record = record  # its turn stays that of the first change
        else:
            held = self._held[key] = Held(record, record.value.old)
            heappush(self._turns, (record.key.end if self.node.final else record.ts, key))
        if self._value is not None:
            self._measure(held, key, self._value)
        self._release_due()
        self._make_room(record)

    def on_time(self, ms: int) -> None:
        self._time.reach(ms)

    def _idle(self) -> None:
        self._release_due()
        super().on_time(self._time.ms)

    def get(self, key: Any) -> Stored | None:
        held = self._held.get(self._key.write(key))
        return self.table(0).get(key) if held is None else self._prior(held)

    def sent(self, key: Any) -> Stored | None:
        held = self._held.get(self._key.write(key))
        return self.table(0).sent(key) if held is None else self._prior(held)

    @staticmethod
    def _prior(held: Held) -> Stored | None:
        return None if held.prior is None else Stored(held.prior, _UNKNOWN_TIME)

    def _measure(self, held: Held, key: bytes, serde: Serde[Any]) -> None:
        value = held.record.value.new
        size = len(key) + (0 if value is None else len(self.written(held.record, serde, value)))
        self._buffer.size += size - held.size
        held.size = size

    def _make_room(self, record: Record) -> None:
        while (most := self._exceeded()) is not None:
            if self.node.fail_when_full:
                raise BufferFull(f"{self.node.name} ({self.node.origin})", most, record.origin)
            self._release()

    def _exceeded(self) -> str | None:
        """The bound that is exceeded, in words."""
        records, size = self.node.max_records, self.node.max_bytes
        if records is not None and len(self._held) > records:
            return f"{records} results"
        return f"{size} bytes of results" if size is not None and self._buffer.size > size else None

    def _release_due(self) -> None:
        while self._turns and self._turns[0][0] <= self._time.ms - self.node.wait_ms:
            self._release()

    def _release(self) -> None:
        _, key = heappop(self._turns)
        held = self._held.pop(key)
        record = held.record
        if self.node.emit is Emit.SETTLED:
            record = record.with_value(Change(record.value.new, held.prior))
        self._buffer.size -= held.size
        if record.value.new is not None or not self.node.final:
            self.forward(record)
