"""Failures that no operator has put into words."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from headrace.errors import RecordFailed
from headrace.model.record import Record
from headrace.task.operators import Operator


def failure(exc: Exception, record: Record | None) -> RecordFailed:
    """The error for what an operator raised, with the node whose code was last on the way to it."""
    node = _innermost(exc.__traceback__)
    reason = str(exc) or type(exc).__name__
    where = None if record is None else record.origin
    return RecordFailed("an operator" if node is None else f"{node.node.name} ({node.node.origin})", reason, where)


def _innermost(traceback: TracebackType | None) -> Operator[Any] | None:
    found = None
    while traceback is not None:
        holder = traceback.tb_frame.f_locals.get("self")
        if isinstance(holder, Operator):
            found = holder
        traceback = traceback.tb_next
    return found
