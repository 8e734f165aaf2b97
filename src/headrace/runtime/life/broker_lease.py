"""Broker of an application: the one it names, or the embedded one, which is held while the application runs."""

from __future__ import annotations

from collections.abc import Callable

from headrace.errors import BrokerLost, HeadraceError
from headrace.log.broker import EmbeddedBroker, Lease


class BrokerLease:
    """The address of the broker, and the lease of it if it is the embedded one."""

    def __init__(self, named: str | None, say: Callable[[str], None]) -> None:
        self._named, self._say = named, say
        self._lease: Lease | None = None

    def join(self) -> str:
        """The address; an embedded broker that was lost is started again."""
        if self._named is not None:
            return self._named
        lease = EmbeddedBroker().join(say=self._say)
        self.leave()
        self._lease = lease
        return lease.address

    def lost(self) -> HeadraceError | None:
        """Why the broker will never answer at its address: the embedded one may have ended, or have moved."""
        if self._lease is None:
            return None
        now = EmbeddedBroker().status()
        if not now.running:
            return BrokerLost(self._lease.address, "the embedded broker has ended")
        moved = now.address != self._lease.address
        return BrokerLost(self._lease.address, f"it runs at {now.address} now") if moved else None

    def leave(self) -> None:
        """Give back the embedded broker."""
        if self._lease is not None:
            self._lease.close()
        self._lease = None
