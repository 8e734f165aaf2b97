"""Faults of records: what the kernel wrote into an exception, read back as an error of headrace's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from headrace.errors import (
    BatchTooLong,
    BufferFull,
    CheckpointBehind,
    HeadraceError,
    NotAllowed,
    PartitionsChanged,
    RecordFailed,
    RecordRefused,
    RecordsGone,
    RecordUndecodable,
    TimestampInvalid,
    TopicMissing,
    TopicReplaced,
    WorkerLost,
)

_MARKER = "headrace-fault:"


def find_fault(text: str) -> HeadraceError | None:
    """The error that a fault of the kernel's means, found anywhere in the text of an exception; None without one.

    In quotes it is part of a query that Spark shows beside an error of its own.
    """
    for found in re.finditer(rf"(?<!['\"]){_MARKER}", text):
        error = _read(text, found.end())
        if error is not None:
            return error
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
    if kind == "timestamp-invalid":
        return TimestampInvalid(int(subject), reason, where)
    if kind == "topic-missing":
        return TopicMissing([subject], reason)
    if kind == "not-allowed":
        return NotAllowed([f"{reason} on {subject}"])
    if kind == "records-gone":
        return RecordsGone(subject, int(reason))
    if kind == "batch-behind":
        return CheckpointBehind(subject, int(reason), int(where))
    if kind == "topic-replaced":
        return TopicReplaced(subject)
    if kind == "python":
        return _from_python(subject, reason, where, str(fault["trace"]))
    if kind == "worker-lost":
        return _noted(WorkerLost(reason, where or None), str(fault["trace"]))
    if kind == "batch-too-long":
        return BatchTooLong(int(subject), int(reason))
    if kind == "buffer-full":
        return BufferFull(subject, reason, where or None)
    return RecordFailed(subject, reason, where or None)


def _from_python(code: str, what: str, where: str, more: str) -> HeadraceError:
    """The error that a Python process raised, as it was there, with the lines of the user's code that it came from."""
    told = json.loads(more)
    cls = next((one for one in _all(HeadraceError) if one.code == code), HeadraceError)
    error = cls.__new__(cls)
    HeadraceError.__init__(error, what, where=where or None, fix=told["fix"] or None)
    return _noted(error, told["lines"])


def _noted(error: HeadraceError, lines: str) -> HeadraceError:
    if lines:
        error.add_note(lines)
    return error


def _all(cls: type[HeadraceError]) -> Iterator[type[HeadraceError]]:
    for one in cls.__subclasses__():
        yield one
        yield from _all(one)
