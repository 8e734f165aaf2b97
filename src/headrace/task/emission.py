"""Emission of a table: which changes are sent on, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headrace.model.change import Change
from headrace.model.record import Header, Record
from headrace.plan.nodes import Emit
from headrace.state.keyvalue import Found, Stored, stored_of

if TYPE_CHECKING:
    from headrace.task.operators.tables import TableOperator

_Held = tuple[Found | None, Any, Any, Any, int, tuple[Header, ...], str | None, bool]
"""Of a place that has changed in this batch: what was stored before the first change, the old value of the first, the
key, the new value of the last, its time, the headers and origin of the record that made it, and whether it is the
latest."""


class Emission:
    """Sends on every change of a table as it happens, or at the end of a batch the last one of each key, or none.

    Changes come in with their old values, and leave with them if `old` says that somebody needs them. A key that was
    made and deleted in one batch was never there for those who read settled changes: it leaves nothing. The changelog
    of the table, if it has one, gets the last changes whatever is sent on.
    """

    def __init__(self, emit: Emit | None, table: TableOperator[Any], *, old: bool) -> None:
        self._every, self._settles, self._table, self._old = emit is Emit.EVERY, emit is Emit.SETTLED, table, old
        self._held: dict[bytes, _Held] = {}
        """In the order of the last changes."""
        self._forgotten: dict[bytes, tuple[Any, int]] = {}
        """What the store has forgotten in this batch, which no change tells of, with the times of the values."""

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
        _, _, _, headers, origin = record
        if self._every:
            self._send(key, new, old, ts, headers, origin, is_latest)
        if not self._settles and not self._table.is_logged:
            return
        held = self._held.pop(place, None)
        if held is not None:
            before, old = held[0], held[1]
            is_latest = True
        self._held[place] = before, old, key, new, ts, headers, origin, is_latest

    @property
    def is_logged(self) -> bool:
        """Whether there is a changelog."""
        return self._table.is_logged

    def forget(self, place: bytes, key: Any, ts: int) -> None:
        """The store has forgotten a key: when the batch is over, it is gone from the changelog, too."""
        if self._table.is_logged:
            self._forgotten[place] = key, ts

    def sent(self, place: bytes, stored: Stored | None) -> Stored | None:
        """Value of a place by the changes that were sent on, while `stored` is in the store."""
        held = self._held.get(place) if self._settles else None
        if held is None:
            return stored
        before = held[0]
        return None if before is None else stored_of(before)

    def flush(self) -> None:
        """The batch is over: keys leave in the order of their last changes."""
        held, self._held, forgotten, self._forgotten = self._held, {}, self._forgotten, {}
        for place, change in held.items():
            before, old, key, new, ts, headers, origin, is_latest = change
            if self._settles and (new is not None or old is not None):
                self._send(key, new, old, ts, headers, origin, is_latest)
            if self._table.is_logged and place not in forgotten and (new is not None or before is not None):
                self._table.log(key, new, ts, origin)
        for place, (key, ts) in forgotten.items():
            before = held[place][0] if place in held else (None, ts)
            if before is not None:  # else it never got there
                self._table.log(key, None, before[1], None)

    def _send(
        self, key: Any, new: Any, old: Any, ts: int, headers: tuple[Header, ...], origin: str | None, is_latest: bool
    ) -> None:
        change = Change(new, old if self._old else None, is_latest)
        self._table.forward(Record.made(key, change, ts, headers, origin))
