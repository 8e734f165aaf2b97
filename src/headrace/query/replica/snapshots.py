"""Snapshots of replicas, kept while somebody pages through them."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Collection

from headrace.query.replica.replica import View

_KEPT_S = 60.0
_MOST = 64

Views = dict[int, View]
"""By partition."""


class Snapshots:
    """Snapshots of all replicas, each kept for a minute after its last use.

    What is kept holds up RocksDB: it cannot forget what was overwritten since.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], tuple[float, Views]] = {}
        self._lock = threading.Lock()

    @staticmethod
    def name() -> str:
        """Name of a new snapshot."""
        return uuid.uuid4().hex[:12]

    def keep(self, name: str, store: str, views: Views) -> None:
        """Keep views of partitions in a snapshot; where there are too many, the least recently used one goes."""
        with self._lock:
            _, kept = self._kept.pop((name, store), (0.0, {}))
            self._kept[name, store] = time.monotonic() + _KEPT_S, {**kept, **views}
            while len(self._kept) > _MOST:
                del self._kept[next(iter(self._kept))]

    def find(self, name: str, store: str, partitions: Collection[int]) -> Views | None:
        """Views of these partitions in a snapshot, kept for another minute; None unless it has all of them."""
        with self._lock:
            _, kept = self._kept.get((name, store), (0.0, {}))
            if not all(one in kept for one in partitions):
                return None
            self._kept.pop((name, store), None)
            self._kept[name, store] = time.monotonic() + _KEPT_S, kept
            return {one: kept[one] for one in partitions}

    def let_go(self, partition: int) -> None:
        """Forget a partition in all snapshots: it is not held here any more."""
        with self._lock:
            self._kept = {
                key: (until, {one: view for one, view in kept.items() if one != partition})
                for key, (until, kept) in self._kept.items()
            }

    def forget(self) -> None:
        """Forget the snapshots whose time is over."""
        now = time.monotonic()
        with self._lock:
            for key in [key for key, (until, _) in self._kept.items() if until < now]:
                del self._kept[key]

    def clear(self) -> None:
        """Forget all snapshots."""
        with self._lock:
            self._kept.clear()
