"""The applications that one server answers for, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from headrace.errors import AppNotServed
from headrace.rest.server.request_metrics import Counts
from headrace.rest.server.service import Service
from headrace.rest.watch.registry import Watchers

_PREFIX = b"/apps/"


class Applications:
    """Each with its stores, its watchers and its counts; `secured` if it is asked who asks."""

    def __init__(self, all_: Iterable[Watchers], *, secured: bool) -> None:
        self._by_name = {one.service.app: one for one in all_}
        self._counts = {name.encode(): one.service.counts for name, one in self._by_name.items()}
        self._first = next(iter(self._counts.values()))
        self.names, self.secured = tuple(self._by_name), secured

    def find(self, name: str) -> Watchers:
        """The one of that name; AppNotServed if there is none."""
        found = self._by_name.get(name)
        if found is None:
            raise AppNotServed(", ".join(self.names))
        return found

    def counts(self, raw_path: bytes) -> Counts:
        """Metrics that count a request: those of the application that its path names, else of the first one."""
        name = raw_path[len(_PREFIX) :].partition(b"/")[0] if raw_path.startswith(_PREFIX) else b""
        return self._counts.get(name, self._first)

    @property
    def services(self) -> list[Service]:
        """Services of all applications."""
        return [one.service for one in self]

    def __iter__(self) -> Iterator[Watchers]:
        return iter(self._by_name.values())
