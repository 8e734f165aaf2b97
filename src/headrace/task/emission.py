"""Which changes of a table are sent on, and when."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headrace.model.change import Change
from headrace.model.record import Record
from headrace.plan.nodes import Emit
from headrace.state.keyvalue import Stored


class Emission:
    """Sends on every change of a table as it happens, or at the end of a batch the last one of each key.

    Changes come in with their old values, and leave with them if `old` says that somebody needs them. A key that was
    made and deleted in one batch was never there for those who read settled changes: it leaves nothing.
    """

    def __init__(self, emit: Emit, forward: Callable[[Record], None], *, old: bool) -> None:
        self._every, self._forward, self._old = emit is Emit.EVERY, forward, old
        self._held: dict[bytes, Record] = {}
        self._before: dict[bytes, tuple[Stored | None, Any]] = {}
        """Of the keys that changed in this batch: what was stored before, and the old value of the first change."""

    def changed(self, key: bytes, record: Record, before: Stored | None) -> None:
        """A key has a new value; the value of the record is its `Change`, and `before` what was stored until now."""
        if self._every:
            return self._send(record)
        if key in self._before:
            del self._held[key]  # put back at the end: keys leave in the order of their last changes
            if not record.value.is_latest:
                record = record.with_value(Change(record.value.new))
        else:
            self._before[key] = before, record.value.old
        self._held[key] = record
        return None

    def sent(self, key: bytes, stored: Stored | None) -> Stored | None:
        """What those who read the changes know of a key, while this is stored."""
        return self._before[key][0] if key in self._before else stored

    def flush(self) -> None:
        """The batch is over."""
        held, before, self._held, self._before = self._held, self._before, {}, {}
        for key, record in held.items():
            change = Change(record.value.new, before[key][1], record.value.is_latest)
            if change.new is not None or change.old is not None:
                self._send(record.with_value(change))

    def _send(self, record: Record) -> None:
        change = record.value
        if not self._old and change.old is not None:
            record = record.with_value(Change(change.new, None, change.is_latest))
        self._forward(record)
