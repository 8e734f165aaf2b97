"""Kinds of faults that the kernel reports."""

from __future__ import annotations

from enum import StrEnum


class FaultKind(StrEnum):
    """Kind of a fault: what happened to a record, or to a task."""

    UNDECODABLE = "undecodable"
    FAILED = "failed"
    TIMESTAMP_INVALID = "timestamp-invalid"
    UNWRITABLE = "unwritable"
    TOPIC_MISSING = "topic-missing"
    TOPIC_REPLACED = "topic-replaced"
    NOT_ALLOWED = "not-allowed"
    PARTITIONS_CHANGED = "partitions-changed"
    RECORDS_GONE = "records-gone"
    BATCH_BEHIND = "batch-behind"
    BATCH_TOO_LONG = "batch-too-long"
    BUFFER_FULL = "buffer-full"
    PYTHON = "python"
    """An error that a Python process raised."""
    WORKER_LOST = "worker-lost"
    KERNEL_MISMATCH = "kernel-mismatch"
    """The kernel does not understand the spec of a stage."""
