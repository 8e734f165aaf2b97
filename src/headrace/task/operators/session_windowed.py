"""Aggregations over sessions."""

from __future__ import annotations

from typing import Any

from headrace.model.record import Record
from headrace.model.windows import Window
from headrace.plan.nodes import SessionWindowed
from headrace.state.keyvalue import Stored
from headrace.state.window import Forgotten
from headrace.task.context import Context
from headrace.task.drops import Reason
from headrace.task.operators.windowed import WindowedOperator


class SessionWindowedOperator(WindowedOperator[SessionWindowed]):
    """One task's share of an aggregation over sessions."""

    def __init__(self, node: SessionWindowed, task: Context) -> None:
        super().__init__(node, task)
        self._store = task.stores.session_store(node.store, node.kept_ms)
        self._store.lingering = {}

    def on_record(self, record: Record) -> None:
        if record.key is None:
            return self.drop(Reason.NO_KEY, record)
        self.advance(record)
        key, gap = self.key.write(record.key), self.node.windows.gap_ms
        session, aggregate = Window(record.ts, record.ts), self.fold.initial()
        absorbed = self._store.find(key, record.ts - gap, record.ts + gap)
        for other, stored in absorbed:
            aggregate = self.fold.merge(record, aggregate, stored.value)
            session = Window(min(session.start, other.start), max(session.end, other.end))
        if not self.node.windows.open(session, self.stream_time) or not self._store.keeps(session.end):
            return self.drop(Reason.LATE, record)
        folded = self.fold.add(record, aggregate)  # before anything is stored: it may fail
        if session != (record.ts, record.ts):
            for other, stored in absorbed:
                self._store.remove(key, other)
                self.changed(record, key, other, None, stored.value, other.end, stored)
        self.replace(record, key, session, folded, None, session.end, self.stored(key, session))
        return None

    def stored(self, key: bytes, window: Window) -> Stored | None:
        return self._store.get(key, window)

    def lingering(self, key: bytes, window: Window) -> Stored | None:
        return (self._store.lingering or {}).get((key, window))

    def keep(self, key: bytes, window: Window, value: Any, ts: int) -> None:
        self._store.put(key, window, value, ts=ts)

    def forgotten(self) -> list[Forgotten]:
        return self._store.watched()

    def send_closed(self, record: Record, first: int, last: int) -> None:
        for key, session, stored in list(self._store.ended(first, last)):
            self.send_final(record, key, session, stored.value, stored.ts)
