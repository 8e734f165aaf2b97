"""Which changes of a table are sent on, and when."""

from __future__ import annotations

from collections.abc import Callable

from headrace.model.record import Record
from headrace.plan.nodes import Emit


class Emission:
    """Sends on every change of a table as it happens, or at the end of a batch the last one of each key."""

    def __init__(self, emit: Emit, forward: Callable[[Record], None]) -> None:
        self._every, self._forward = emit is Emit.EVERY, forward
        self._held: dict[bytes, Record] = {}

    def changed(self, key: bytes, record: Record) -> None:
        """A key has a new value."""
        if self._every:
            self._forward(record)
        else:
            self._held.pop(key, None)  # put back at the end: keys leave in the order of their last changes
            self._held[key] = record

    def flush(self) -> None:
        """The batch is over."""
        held, self._held = self._held, {}
        for record in held.values():
            self._forward(record)
