"""Registry of the watchers of an application at a server."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection

from headrace.errors import NobodyAnswers, TooManyRequests, WatcherUnknown
from headrace.query.service.ports import Changed, Watched
from headrace.rest.client.peers import PeerWatches
from headrace.rest.key_value_text import StoreForm
from headrace.rest.server.service import Service
from headrace.rest.server.settings import Limits
from headrace.rest.server.turns import Turns
from headrace.rest.server.users import User
from headrace.rest.watch.change_buffer import Budget
from headrace.rest.watch.watcher import Watcher

_SHOWN = 8_192


class Room:
    """Room that the watchers of all applications of a server share."""

    def __init__(self, limits: Limits) -> None:
        self.budget, self.turns = Budget(limits.all_watch_bytes), Turns()
        self.numbers = itertools.count(1)
        self.left = limits.watchers
        """How many more there may be."""


class Watchers:
    """Watchers of one application."""

    def __init__(self, service: Service, peers: PeerWatches, may_read: Callable[[User, str], bool], room: Room) -> None:
        self.service, self.peers = service, peers
        self.budget, self.turns = room.budget, room.turns
        self._room, self._may_read = room, may_read
        self._there: dict[int, Watcher] = {}
        self._ended = False
        self._shown: dict[tuple[str, str, int, int], str] = {}

    def begin(self, store: StoreForm, watched: Watched, user: User, only: Collection[int] | None = None) -> Watcher:
        """A new one; with `only` of partitions that are held here, for another instance."""
        if self._ended:
            raise NobodyAnswers(store.name, only or (), "the server ends")
        if self._room.left <= 0:
            raise TooManyRequests("watchers", retry_s=5.0)
        watcher = Watcher(self, next(self._room.numbers), store, watched, user, only)
        watcher.check()
        self._there[watcher.number] = watcher
        self._room.left -= 1
        self.service.counts.watchers = len(self._there)
        return watcher

    def may_read(self, user: User) -> bool:
        """Whether somebody who was let in may still watch."""
        return self._may_read(user, self.service.app)

    def left(self, watcher: Watcher) -> None:
        """Remove a watcher that has left."""
        if self._there.pop(watcher.number, None) is not None:
            self._room.left += 1
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
        """Watchers that are there."""
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
