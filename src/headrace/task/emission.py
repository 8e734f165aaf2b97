"""Which changes of a table are sent on, and when."""

from __future__ import annotations

from typing import Any

from headrace.model.change import Change
from headrace.model.record import Record
from headrace.plan.nodes import Emit
from headrace.state.keyvalue import Found, Stored, stored_of
from headrace.task.operators.base import Operator

_Held = tuple[Record, Any, Any, int, bool]
"""The record that made a change, its key, the new value, its time, and whether it is the latest."""


class Emission:
    """Sends on every change of a table as it happens, or at the end of a batch the last one of each key.

    Changes come in with their old values, and leave with them if `old` says that somebody needs them. A key that was
    made and deleted in one batch was never there for those who read settled changes: it leaves nothing.
    """

    def __init__(self, emit: Emit, table: Operator[Any], *, old: bool) -> None:
        self._every, self._table, self._old = emit is Emit.EVERY, table, old
        self._held: dict[bytes, _Held] = {}
        self._before: dict[bytes, tuple[Found | None, Any]] = {}
        """Of the places that changed in this batch: what was stored before, and the old value of the first change."""

    def changed(
        self,
        place: bytes,
        before: Found | None,
        record: Record,
        key: Any,
        new: Any,
        old: Any,
        ts: int,
        is_latest: bool = True,
    ) -> None:
        """A record has given a key a new value; `place` is where it lies, and `before` what lay there until now."""
        if self._every:
            return self._send(record, key, new, old, ts, is_latest)
        if place in self._before:
            del self._held[place]  # put back at the end: keys leave in the order of their last changes
            is_latest = True
        else:
            self._before[place] = before, old
        self._held[place] = record, key, new, ts, is_latest
        return None

    def sent(self, place: bytes, stored: Stored | None) -> Stored | None:
        """What those who read the changes know of a place, while this is stored."""
        if place not in self._before:
            return stored
        before = self._before[place][0]
        return None if before is None else stored_of(before)

    def flush(self) -> None:
        """The batch is over."""
        held, before, self._held, self._before = self._held, self._before, {}, {}
        for place, (record, key, new, ts, is_latest) in held.items():
            old = before[place][1]
            if new is not None or old is not None:
                self._send(record, key, new, old, ts, is_latest)

    def _send(self, record: Record, key: Any, new: Any, old: Any, ts: int, is_latest: bool) -> None:
        change = Change(new, old if self._old else None, is_latest)
        self._table.forward(record.with_row(key, change, ts))
