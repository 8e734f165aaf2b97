"""Joins of two streams."""

from __future__ import annotations

from typing import Any

from headrace.errors import RecordFailed
from headrace.model.record import Record
from headrace.plan.nodes import StreamJoin
from headrace.state.unmatched import Unmatched
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.operators.base import Operator, Way
from headrace.task.stream_time import StreamTime

LEFT, RIGHT = 0, 1


class StreamJoinOperator(Operator[StreamJoin]):
    """One task's share of a join. Both sides share stream time, which is the latest of all records seen."""

    def __init__(self, node: StreamJoin, task: Context) -> None:
        super().__init__(node, task)
        windows = node.windows
        self._joiner = self.computed(node.joiner, "key", "left", "right")
        self._key = node.output().key.default_serde(node.origin)
        self._stores = [
            task.stores.window_store(store, windows.retention_ms, duplicates=True) for store in node.side_stores
        ]
        self._unmatched = Unmatched(task.state, node.name)
        # How far a partner may lie before and after a record, by the side of the record.
        self._before = (windows.before_ms, windows.after_ms)
        self._after = (windows.after_ms, windows.before_ms)
        self._keeps = tuple(node.keeps_unmatched(side) for side in (LEFT, RIGHT))
        self._keeps_any = any(self._keeps)
        self._time = StreamTime(task, node.name, windows.idle_ms, self._idle)
        self._joined_left = False
        """Whether the record at hand is in a result by the way of the left side, when both sides are one stream."""

    def way(self, position: int) -> Way:
        return self.on_right if position == RIGHT else self.on_record

    def on_record(self, record: Record) -> None:
        self._on(LEFT, record)

    def on_right(self, record: Record) -> None:
        """Handle one record of the right side."""
        self._on(RIGHT, record)

    def _on(self, side: int, record: Record) -> None:
        row_key, value, at, _, _ = record
        self._time.see(at)
        if value is None:
            return self.drop(Reason.NO_VALUE, record)
        if row_key is None:
            if self._keeps[side]:
                return self._send(side, record, row_key, value, None, at)
            return self.drop(Reason.NO_KEY, record)
        stream_time = self._time.ms
        if self._keeps_any and at == stream_time:
            self._send_expired(side, record)
        key = self._key.write(row_key)
        first, last = max(0, at - self._before[side]), max(0, at + self._after[side])
        matched = False
        # With one store, a record is put there once: after the way of the left side, before that of the right.
        if self.node.one_store and side == RIGHT:
            self._stores[side].put(key, at, value, ts=at)
        for ts, other in self._stores[1 - side].fetch(key, first, last):
            matched = True
            if self._keeps[1 - side]:
                self._unmatched.remove(ts, 1 - side, key)
            self._send(side, record, row_key, value, other.value, max(at, ts))
        if not matched and self._keeps[side]:
            if last < stream_time:
                self._send(side, record, row_key, value, None, at)
            else:
                self._unmatched.add(at, side, key, value)
        elif not matched and at + self._after[side] + self.node.windows.grace_ms < stream_time:
            self._drop_late(side, record)
        self._joined_left = side == LEFT and (matched or self._keeps[side])
        # Afterwards: a record does not meet itself on the way of the left side when both sides are one stream.
        if not self.node.one_store:
            self._stores[side].put(key, at, value, ts=at)
        return None

    def _drop_late(self, side: int, record: Record) -> None:
        """Drop a record that has no partner; when both sides are one stream, once it has none by either way."""
        if self.node.left is not self.node.right or (side == RIGHT and not self._joined_left):
            self.drop(Reason.LATE, record)

    def on_time(self, ms: int) -> None:
        """Ignore stream time of operators upstream: a join goes by its own records and its own silence."""

    def _idle(self) -> None:
        if self._keeps_any:
            for side in (LEFT, RIGHT):
                self._send_expired(side, Record(ts=self._time.ms))
        super().on_time(self._time.ms)

    def _send_expired(self, side: int, record: Record) -> None:
        """Send on the records that stayed without a partner and can find none any more; `record` moved time on."""
        grace = self.node.windows.grace_ms
        if self._unmatched.earliest + self._after[side] + grace >= self._time.ms:
            return
        for ts, of, key, value in self._unmatched.expired(self._after, grace, self._time.ms):
            self._send(of, record, self._key.read(key), value, None, ts)

    def _send(self, side: int, record: Record, key: Any, value: Any, other: Any, ts: int) -> None:
        left, right = (value, other) if side == LEFT else (other, value)
        try:
            joined = self._joiner(record, key, left, right)
        except RecordFailed as exc:  # this pair only: the record may have other partners
            return self.fail(record.with_row(key, value, ts if other is None else record.ts), exc)
        return self.forward(record.with_row(key, joined, ts))
