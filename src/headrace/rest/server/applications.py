"""The applications that one server answers for, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from headrace.errors import AppNotServed
from headrace.query.catalogue import StoreKind
from headrace.rest.key_value_text import StoreForm
from headrace.rest.server.request_metrics import Counts
from headrace.rest.server.service import Service
from headrace.rest.watch.registry import Watchers

_PREFIX = b"/apps/"


class Applications:
    """Each with its stores, its watchers and its counts; `secured` if it is asked who asks.

    Applications come and go while requests are answered: what is known of them is replaced, not changed.
    """

    def __init__(self, all_: Iterable[Watchers], *, secured: bool) -> None:
        self.secured = secured
        self._put({one.service.app: one for one in all_})

    def add(self, one: Watchers) -> None:
        """Answer for one more."""
        self._put({**self._by_name, one.service.app: one})

    def remove(self, name: str) -> Watchers:
        """Answer for that one no more."""
        left = dict(self._by_name)
        gone = left.pop(name)
        self._put(left)
        return gone

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

    def table(self, app: bytes, store: bytes) -> tuple[Service, StoreForm] | None:
        """A store with one value for each key, by the names in a path."""
        return self._tables.get((app, store))

    @property
    def services(self) -> list[Service]:
        """Services of all applications."""
        return [one.service for one in self]

    def __iter__(self) -> Iterator[Watchers]:
        return iter(self._by_name.values())

    def _put(self, by_name: Mapping[str, Watchers]) -> None:
        self._by_name, self.names = by_name, tuple(by_name)
        self._counts = {name.encode(): one.service.counts for name, one in by_name.items()}
        self._first = next(iter(self._counts.values()), Counts())
        self._tables = {
            (service.app.encode(), name.encode()): (service, store)
            for service in self.services
            for name, store in service.stores.items()
            if store.kind is StoreKind.TABLE
        }
