"""Faults of records: written by the kernel into an exception, read back as an error of headrace's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from headrace.errors import (
    BatchTooLong,
    BufferFull,
    CheckpointBehind,
    HeadraceError,
    KernelMismatch,
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
from headrace.model.fault_kinds import FaultKind

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
    match kind:
        case FaultKind.FAILED:
            return RecordFailed(subject, reason, where or None)
        case FaultKind.UNDECODABLE:
            part, _, serde = subject.partition(" ")
            return RecordUndecodable(part, serde, reason, where)
        case FaultKind.TIMESTAMP_INVALID:
            return TimestampInvalid(int(subject), reason, where)
        case FaultKind.UNWRITABLE:
            return RecordRefused(subject, reason)
        case FaultKind.TOPIC_MISSING:
            return TopicMissing([subject], reason)
        case FaultKind.TOPIC_REPLACED:
            return TopicReplaced(subject)
        case FaultKind.NOT_ALLOWED:
            return NotAllowed([f"{reason} on {subject}"])
        case FaultKind.PARTITIONS_CHANGED:
            return PartitionsChanged(subject, int(reason), where)
        case FaultKind.RECORDS_GONE:
            return RecordsGone(subject, int(reason))
        case FaultKind.BATCH_BEHIND:
            return CheckpointBehind(subject, int(reason), int(where))
        case FaultKind.BATCH_TOO_LONG:
            return BatchTooLong(int(subject), int(reason))
        case FaultKind.BUFFER_FULL:
            return BufferFull(subject, reason, where or None)
        case FaultKind.PYTHON:
            return _from_python(subject, reason, where, str(fault["trace"]))
        case FaultKind.WORKER_LOST:
            return _noted(WorkerLost(reason, where or None), str(fault["trace"]))
        case FaultKind.KERNEL_MISMATCH:
            return KernelMismatch(reason)
    return KernelMismatch(f"the kernel told of {kind!r}, which is no fault that headrace knows: {reason}")


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
