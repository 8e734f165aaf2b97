"""What Spark says when a query fails, in words a user can act on."""

from __future__ import annotations

import re

from headrace.errors import BrokerUnreachable, CheckpointUnwritable, HeadraceError, QueryFailed
from headrace.runtime.checkpoint import Checkpoint
from headrace.runtime.faults import find_fault

_DISK = re.compile(r"No space left on device|Read-only file system|Disk quota exceeded|Permission denied|AccessDenied")
_BROKER = re.compile(r"org\.apache\.kafka\.common\.errors\.(Timeout|Disconnect|Network)Exception: ([^\n]*)")
_BROKER_PATIENCE_S = 60


def failure_of(text: str, app: str, checkpoint: Checkpoint, address: str) -> HeadraceError:
    """The error for a failed query; `text` holds the causes, the outermost first, each on its own lines."""
    fault = find_fault(text)
    if fault is not None:
        return fault
    disk = _DISK.search(text)
    if disk:
        return CheckpointUnwritable(str(checkpoint.directory), disk.group(0))
    broker = _BROKER.search(text)
    if broker:
        return BrokerUnreachable(address, _BROKER_PATIENCE_S, broker.group(2))
    innermost = text.strip().splitlines()[-1] if text.strip() else "no reason was given"
    return QueryFailed(app, innermost, str(checkpoint.log))
