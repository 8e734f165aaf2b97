"""Holding back the changes of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from headrace.errors import BufferFull
from headrace.model.change import Change
from headrace.model.record import Record
from headrace.plan.nodes import Emit, Suppress
from headrace.serde import Serde
from headrace.state.cells import LATEST, bytes_time, time_bytes
from headrace.state.keyvalue import Stored
from headrace.state.merging import MergeRule, remembered
from headrace.task.context import Context
from headrace.task.operators.tables import TableOperator
from headrace.task.stream_time import StreamTime

_UNKNOWN_TIME = -1

_Held = tuple[tuple[Any, ...], tuple[Any, ...], Any, int]
"""A change that is held back: the parts of its record and of the change in it, the value of the key that was sent on
last, and the bytes of key and value, where they are counted."""


@dataclass(slots=True)
class Buffer:
    """Buffer of a suppression: what is known of all changes that it holds back."""

    count: int = remembered(0, MergeRule.COUNTED)
    size: int = remembered(0, MergeRule.COUNTED)
    first: int = remembered(LATEST, MergeRule.EARLIEST)
    """Nobody's turn is before this time."""


class SuppressOperator(TableOperator[Suppress]):
    """One task's share of a suppression."""

    def __init__(self, node: Suppress, task: Context) -> None:
        super().__init__(node, task)
        self._key = node.output().key.default_serde(node.origin)
        self._value = None if node.max_bytes is None else node.output().value.default_serde(node.origin)
        self._time = StreamTime(task, node.name, node.idle_ms, self._idle)
        self._buffer = task.memory.of(node.name, "held back", Buffer)
        self._held = task.state.cells(f"{node.name}/held back")
        """By the bytes of the keys."""
        self._turns = task.state.cells(f"{node.name}/turns")
        """When each key leaves: by time, then by the bytes of the key."""

    def on_record(self, record: Record) -> None:
        self._time.see(record.ts)
        key = self._key.write(record.key)
        held: _Held | None = self._held.get(key)
        if held is not None:
            prior, before = held[2:]  # its turn stays that of the first change
        else:
            prior, before = record.value.old, 0
            self._add_turn(key, record.key.end if self.node.final else record.ts)
        parts, change = tuple(record.with_value(None)), tuple(record.value)
        self._held.put(key, (parts, change, prior, before))
        if self._value is not None:
            size = self._size(record, key, self._value)
            self._held.put(key, (parts, change, prior, size))
            self._buffer.size += size - before
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
    def _prior(held: _Held) -> Stored | None:
        return None if held[2] is None else Stored(held[2], _UNKNOWN_TIME)

    def _add_turn(self, key: bytes, turn: int) -> None:
        self._turns.put(time_bytes(turn) + key, b"")
        self._buffer.count += 1
        self._buffer.first = min(self._buffer.first, turn)

    def _size(self, record: Record, key: bytes, serde: Serde[Any]) -> int:
        value = record.value.new
        return len(key) + (0 if value is None else len(self.written(record, serde, value)))

    def _make_room(self, record: Record) -> None:
        if self._exceeded() is not None:
            for place, _ in self._turns.between(time_bytes(self._buffer.first), None):
                most = self._exceeded()
                if most is None:
                    self._buffer.first = bytes_time(place[:8])
                    return
                if self.node.fail_when_full:
                    raise BufferFull(f"{self.node.name} ({self.node.origin})", most, record.origin)
                self._release(place)
            self._buffer.first = LATEST

    def _exceeded(self) -> str | None:
        """The bound that is exceeded, in words."""
        records, size = self.node.max_records, self.node.max_bytes
        if records is not None and self._buffer.count > records:
            return f"{records} results"
        return f"{size} bytes of results" if size is not None and self._buffer.size > size else None

    def _release_due(self) -> None:
        due = self._time.ms - self.node.wait_ms
        if self._buffer.first <= due:
            for place, _ in self._turns.between(time_bytes(self._buffer.first), None):
                if bytes_time(place[:8]) > due:
                    self._buffer.first = bytes_time(place[:8])
                    return
                self._release(place)
            self._buffer.first = LATEST

    def _release(self, turn: bytes) -> None:
        key = turn[8:]
        parts, changed, prior, size = self._held.get(key)
        self._turns.remove(turn)
        self._held.remove(key)
        self._buffer.count -= 1
        self._buffer.size -= size
        change = Change(*changed)
        if self.node.emit is Emit.SETTLED:
            change = Change(change.new, prior)
        if change.new is not None or not self.node.final:
            self.forward(Record._make(parts).with_value(change))
