"""Faults of records: what the kernel wrote into an exception, read back as an error of headrace's."""

from __future__ import annotations

import json

from headrace.errors import (
    HeadraceError,
    PartitionsChanged,
    RecordFailed,
    RecordRefused,
    RecordUndecodable,
    TopicMissing,
)

_MARKER = "headrace-fault:"


def find_fault(text: str) -> HeadraceError | None:
    """The error that a fault of the kernel's means, found anywhere in the text of an exception; None without one."""
    at = text.find(_MARKER)
    while at >= 0:
        error = _read(text, at + len(_MARKER))
        if error is not None:
            return error
        at = text.find(_MARKER, at + 1)
    return None


def _read(text: str, at: int) -> HeadraceError | None:
    try:
        fault, _ = json.JSONDecoder().raw_decode(text, at)
        kind, subject, reason, where = (str(fault[name]) for name in ("kind", "subject", "reason", "where"))
    except (ValueError, KeyError, TypeError):  # cut off by a log: the same fault may stand whole further on
        return None
    if kind == "undecodable":
        part, _, serde = subject.partition(" ")
        return RecordUndecodable(part, serde, reason, where)
    if kind == "unwritable":
        return RecordRefused(subject, reason)
    if kind == "partitions-changed":
        return PartitionsChanged(subject, int(reason), where)
    if kind == "topic-missing":
        return TopicMissing([subject], reason)
    return RecordFailed(subject, reason, where or None)
