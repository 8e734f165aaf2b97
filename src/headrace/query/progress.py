"""Progress of replicas that are being built, in words."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

from headrace.query.replica.held_partition import Holding

_SILENT_S = 2.0
_AGAIN_S = 5.0


class BuildProgress:
    """Says how far the building is, now and then while it takes long, and when it is done."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._began: float | None = None
        self._next = 0.0

    def look(self, holdings: Collection[Holding]) -> None:
        """Look at the progress of all replicas, and say it if it is time to."""
        now = time.monotonic()
        building = [share for holding in holdings if not holding.ready for share in holding.shares]
        if not building:
            if self._next:
                self._say("queries: everything is built")
            self._began, self._next = None, 0.0
            return
        if self._began is None:
            self._began = now
        if now >= max(self._next, self._began + _SILENT_S):
            self._next = now + _AGAIN_S
            read, end = sum(share.offset for share in building), sum(share.end for share in building)
            self._say(f"queries: {read:,} of {end:,} offsets of changelogs are read")
