"""All who watch stores at a server."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection

from headrace.errors import NobodyAnswers, TooManyRequests, WatcherUnknown
from headrace.query.answering import Changed, Watched
from headrace.rest.forms import StoreForm
from headrace.rest.peers import PeerWatches
from headrace.rest.push import Budget
from headrace.rest.service import Service
from headrace.rest.turns import Turns
from headrace.rest.users import User
from headrace.rest.watcher import Watcher

_SHOWN = 8_192


class Watchers:
    """All watchers of a server."""

    def __init__(self, service: Service, peers: PeerWatches, may_read: Callable[[User], bool]) -> None:
        self.service, self.peers, self.may_read = service, peers, may_read
        self.budget, self.turns = Budget(service.limits.all_watch_bytes), Turns()
        self._numbers = itertools.count(1)
        self._there: dict[int, Watcher] = {}
        self._ended = False
        self._shown: dict[tuple[str, str, int, int], str] = {}

    def begin(self, store: StoreForm, watched: Watched, user: User, only: Collection[int] | None = None) -> Watcher:
        """A new one; with `only` of partitions that are held here, for another instance."""
        if self._ended:
            raise NobodyAnswers(store.name, only or (), "the server ends")
        if len(self._there) >= self.service.limits.watchers:
            raise TooManyRequests("watchers", retry_s=5.0)
        watcher = Watcher(self, next(self._numbers), store, watched, user, only)
        watcher.check()
        self._there[watcher.number] = watcher
        self.service.counts.watchers = len(self._there)
        return watcher

    def left(self, watcher: Watcher) -> None:
        """It is gone."""
        self._there.pop(watcher.number, None)
        counts = self.service.counts
        counts.watchers = len(self._there)
        counts.conflated += watcher.pending.conflated
        counts.cut_off += watcher.pending.too_slow.is_set()

    def end(self) -> None:
        """Tell nobody any more, for good."""
        self._ended = True
        for watcher in self.all():
            watcher.end()

    def find(self, number: int) -> Watcher:
        """The one of this number."""
        found = self._there.get(number)
        if found is None:
            raise WatcherUnknown
        return found

    def all(self) -> list[Watcher]:
        """Those that are there."""
        return list(self._there.values())

    def shown(self, store: StoreForm, change: Changed, life: str | None) -> str:
        """A change as JSON, made once for all who watch it in one life of the changelog; None if that is not known."""
        place = (store.name, life or "", change.partition, change.offset)
        text = self._shown.get(place) if life is not None else None
        if text is None:
            text = store.change(change.key, change.entry)
            if change.offset >= 0 and life is not None:
                if len(self._shown) >= _SHOWN:
                    self._shown.pop(next(iter(self._shown)))
                self._shown[place] = text
        return text
