"""File descriptors of the process: how many connections and watchers of a server fit in them."""

from __future__ import annotations

import resource
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from headrace.rest.server.settings import Limits

HEALTH_CONNECTIONS = 16
"""Connections beyond the limit, on which only /health and /ready are answered."""

_KEPT = 512
"""Descriptors for the files of replicas and for connections to the broker, to Spark and to other instances."""

_FEWEST = 8


@dataclass(frozen=True)
class Descriptors:
    """File descriptors of a process: how many are in use, the limit, and how far it can be raised."""

    used: int
    soft: int
    hard: int

    @staticmethod
    def now() -> Descriptors:
        """Descriptors of this process."""
        soft, hard = (_number(one) for one in resource.getrlimit(resource.RLIMIT_NOFILE))
        try:
            used = sum(1 for _ in Path("/dev/fd").iterdir())
        except OSError:  # not every container has it
            used = 64
        return Descriptors(used, soft, hard)

    def raised(self, limits: Limits) -> Descriptors:
        """Descriptors with a soft limit that is enough for these limits, or as high as it may be."""
        needed = self.used + _KEPT + HEALTH_CONNECTIONS + _most(limits)
        return self if needed <= self.soft else replace(self, soft=min(needed, self.hard))

    def fitted(self, limits: Limits) -> Limits:
        """The limits, with no more connections and watchers than there are descriptors for, in the same ratio."""
        spare = self.soft - self.used - min(_KEPT, self.soft // 3) - HEALTH_CONNECTIONS
        most = _most(limits)
        if spare >= most:
            return limits
        connections, watchers = (max(_FEWEST, spare * one // most) for one in (limits.connections, limits.watchers))
        return replace(
            limits, connections=min(limits.connections, connections), watchers=min(limits.watchers, watchers)
        )


def fitted(limits: Limits) -> Limits:
    """The limits that this process can hold, once it may have open as many descriptors as it can be allowed."""
    now = Descriptors.now()
    raised = now.raised(limits)
    if raised.soft > now.soft:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        with suppress(OSError, ValueError):  # some systems have a lower limit than the one they tell
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised.soft, hard))
    return Descriptors.now().fitted(limits)


def told(wanted: Limits, got: Limits) -> str | None:
    """What the start says where a server holds less than it was to; None where it holds all."""
    if got == wanted:
        return None
    needed = _KEPT + HEALTH_CONNECTIONS + _most(wanted) + Descriptors.now().used
    return (
        f"queries: {got.connections} connections and {got.watchers} watchers at the most, not {wanted.connections} and"
        f" {wanted.watchers}: this process may have {Descriptors.now().soft} files open;"
        f" raise that with: ulimit -n {needed}"
    )


def _most(limits: Limits) -> int:
    """Descriptors that connections take, and what watchers are told by other instances."""
    return limits.connections + limits.watchers


def _number(limit: int) -> int:
    return 1 << 30 if limit == resource.RLIM_INFINITY else limit
