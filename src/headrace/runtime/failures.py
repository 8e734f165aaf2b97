"""What Spark says when a query fails, in words a user can act on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from headrace.errors import BrokerLost, CheckpointUnwritable, HeadraceError, QueryFailed, TakenOver
from headrace.runtime.checkpoint import Checkpoint
from headrace.runtime.faults import find_fault

_DISK = re.compile(r"No space left on device|Read-only file system|Disk quota exceeded|Permission denied|AccessDenied")
_OTHER = re.compile(r"ProducerFencedException|InvalidProducerEpochException|CONCURRENT_STREAM_LOG_UPDATE")
_BROKER = re.compile(r"org\.apache\.kafka\.common\.errors\.(Timeout|Disconnect|Network)Exception: ([^\n]*)")


def failure_of(causes: Sequence[str], app: str, checkpoint: Checkpoint, address: str, log: Path | str) -> HeadraceError:
    """The error for a failed query; `causes` are the texts of its exceptions, the innermost last."""
    text = "\n".join(causes)
    fault = find_fault(text)
    if fault is not None:
        return fault
    if _OTHER.search(text):
        return TakenOver(app, checkpoint.place)
    disk = _DISK.search(text)
    if disk:
        return CheckpointUnwritable(checkpoint.place, disk.group(0))
    broker = _BROKER.search(text)
    if broker:
        return BrokerLost(address, broker.group(2))
    return QueryFailed(app, causes[-1].splitlines()[0], str(log))
