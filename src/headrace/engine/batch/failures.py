"""Failures of Spark's queries, in words a user can act on."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from headrace.errors import (
    BrokerLost,
    BrokerNotTrusted,
    CheckpointUnwritable,
    HeadraceError,
    LoginRefused,
    NotAllowed,
    QueryFailed,
    TakenOver,
    TemporaryUnusable,
)
from headrace.spark.faults import find_fault

_DISK = re.compile(r"No space left on device|Read-only file system|Disk quota exceeded|Permission denied|AccessDenied")
_FULL = 1 << 20
_OTHER = re.compile(r"ProducerFencedException|InvalidProducerEpochException|CONCURRENT_STREAM_LOG_UPDATE")
_LOGIN = re.compile(r"SaslAuthenticationException: ([^\n]*)")
_TRUST = re.compile(r"Ssl(?:Authentication|Handshake)Exception: ([^\n]*)")
_DENIED = re.compile(r"(Topic|Group|TransactionalId|Cluster)AuthorizationException: ([^\n]*)")
_DENIED_NAMES = re.compile(r"Not authorized to access (topic|group)s?: \[?([^\]\n]*)")
_BROKER = re.compile(r"org\.apache\.kafka\.common\.errors\.(Timeout|Disconnect|Network)Exception: ([^\n]*)")


def failure_of(causes: Sequence[str], app: str, place: str, address: str, log: Path | str) -> HeadraceError:
    """The error for a failed query; `causes` are the texts of its exceptions, the innermost last."""
    text = "\n".join(causes)
    fault = find_fault(text)
    if fault is not None:
        return fault
    denied = _DENIED.search(text)
    if denied:
        return NotAllowed(_named(denied.group(2)))
    for refused, kind in ((_LOGIN, LoginRefused), (_TRUST, BrokerNotTrusted)):
        if found := refused.search(text):
            return kind(address, found.group(1))
    if _OTHER.search(text):
        return TakenOver(app, place)
    disk = _DISK.search(text)
    if disk:
        temporary = Path(tempfile.gettempdir())
        if shutil.disk_usage(temporary).free < _FULL:
            return TemporaryUnusable(str(temporary), disk.group(0))
        return CheckpointUnwritable(place, disk.group(0))
    broker = _BROKER.search(text)
    if broker:
        return BrokerLost(address, broker.group(2))
    return QueryFailed(app, causes[-1].splitlines()[0], str(log))


def _named(told: str) -> list[str]:
    """Denied operation and its resource; Spark itself only reads topics and groups."""
    found = _DENIED_NAMES.match(told)
    return [f"Read on {found[1]} {name.strip()!r}" for name in found[2].split(",")] if found else [f"it: {told}"]
