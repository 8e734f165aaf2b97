"""Holding back the changes of a table."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from headrace.errors import BufferFull
from headrace.model.change import Change
from headrace.model.record import Record
from headrace.plan.nodes import Emit, Suppress
from headrace.state.keyvalue import Stored
from headrace.task.context import Context
from headrace.task.operators.tables import TableOperator

_UNKNOWN_TIME = -1


@dataclass
class _Held:
    record: Record
    prior: Any
    """The value of the key that was sent on last."""


class SuppressOperator(TableOperator[Suppress]):
    """One task's share of a suppression."""

    def __init__(self, node: Suppress, task: Context) -> None:
        super().__init__(node, task)
        self._key = node.output().key.default_serde(node.origin)
        self._stream_time = -1
        self._held: dict[bytes, _Held] = {}
        self._turns: list[tuple[int, bytes]] = []
        """When each key leaves, a heap: by time, then by the bytes of the key."""

    def on_record(self, record: Record) -> None:
        self._stream_time = max(self._stream_time, record.ts)
        key = self._key.write(record.key)
        held = self._held.get(key)
        if held is not None:
            held.record = record  # its turn stays that of the first change
        else:
            self._held[key] = _Held(record, record.value.old)
            heappush(self._turns, (record.key.end if self.node.final else record.ts, key))
        while self._turns and self._turns[0][0] <= self._stream_time - self.node.wait_ms:
            self._release()
        if self.node.max_records is not None and len(self._held) > self.node.max_records:
            self._make_room(record, self.node.max_records)

    def get(self, key: Any) -> Stored | None:
        held = self._held.get(self._key.write(key))
        if held is None:
            return self.table(0).get(key)
        return None if held.prior is None else Stored(held.prior, _UNKNOWN_TIME)

    def _make_room(self, record: Record, most: int) -> None:
        if self.node.fail_when_full:
            raise BufferFull(f"{self.node.name} ({self.node.origin})", most, record.origin)
        while len(self._held) > most:
            self._release()

    def _release(self) -> None:
        _, key = heappop(self._turns)
        held = self._held.pop(key)
        record = held.record
        if self.node.emit is Emit.SETTLED:
            record = record.with_value(Change(record.value.new, held.prior))
        if record.value.new is not None or not self.node.final:
            self.forward(record)
