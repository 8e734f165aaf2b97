"""Master of Spark: this machine, a cluster, or a session that is there."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass

from headrace.errors import ClusterUnreachable

_LOCAL = re.compile(r"local(\[[^\]]+\])?")
_PROCESSES = re.compile(r"local-cluster\[[^\]]+\]")
_CLUSTER = re.compile(r"spark://.+:\d+|yarn|k8s://.+")
_LOOPBACK = re.compile(r"localhost|127\.[\d.]+|\[?::1\]?")
_ANSWER_S = 10.0
_TRIES = 4

EXAMPLES = '"local[2]", "spark://host:7077", "yarn" or "k8s://https://host:6443"'


@dataclass(frozen=True)
class Master:
    """A Spark master."""

    url: str = "local[*]"

    @property
    def known(self) -> bool:
        """Whether Spark has masters of this form."""
        return any(form.fullmatch(self.url) for form in (_LOCAL, _PROCESSES, _CLUSTER))

    @property
    def inside(self) -> bool:
        """Whether all of Spark is one process."""
        return _LOCAL.fullmatch(self.url) is not None

    @property
    def patient(self) -> str:
        """Its address, such that a task is tried again whose Python process is lost: alone, Spark would not."""
        if not self.inside or "," in self.url:
            return self.url
        return f"local[{self.url.removeprefix('local').strip('[]') or 1},{_TRIES}]"

    @property
    def here(self) -> bool:
        """Whether all of Spark is on this machine: a cluster whose master listens to nobody else is."""
        hosts = [host for host, _ in self._addresses()]
        one_machine = bool(hosts) and all(_LOOPBACK.fullmatch(host) for host in hosts)
        return self.inside or one_machine or _PROCESSES.fullmatch(self.url) is not None

    def check(self) -> None:
        """Make sure that somebody listens there; Spark would try for a minute."""
        reason = ""
        for host, port in self._addresses():
            try:
                socket.create_connection((host.strip("[]"), port), _ANSWER_S).close()
                return
            except OSError as error:
                reason = error.strerror or str(error)
        if reason:
            raise ClusterUnreachable(self.url, reason)

    def _addresses(self) -> Iterator[tuple[str, int]]:
        """Host and port of a standalone master, and of those that stand by for it."""
        if self.url.startswith("spark://"):
            for address in self.url.removeprefix("spark://").split(","):
                host, _, port = address.rpartition(":")
                yield host, int(port)

    def __str__(self) -> str:
        return self.url
