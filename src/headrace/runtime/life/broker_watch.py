"""A look at the broker and at the topics that an application writes, every few seconds while its query runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager

from headrace.errors import BrokerError, BrokerUnreachable, ChangelogDamaged, HeadraceError, TopicGone
from headrace.log.topics import Identity, Topics

_EVERY_S = 2.0
_ANSWER_S = 3.0


class BrokerWatch:
    """Sees what a client of Kafka would wait for in silence: a topic that somebody has deleted, a broker that is away.

    `written` are the topics that have to be there, `changelogs` the ids of those that have to be whole too. `lost` says
    why a broker that does not answer never will at this address, if that is known.
    """

    def __init__(
        self,
        topics: Topics,
        written: Collection[str],
        changelogs: Mapping[str, str],
        lost: Callable[[], HeadraceError | None],
        say: Callable[[str], None],
    ) -> None:
        self.written = frozenset(written)
        self._topics, self._changelogs, self._lost, self._say = topics, changelogs, lost, say
        self._suspected: HeadraceError | None = None
        self._away_since: float | None = None
        self._over = threading.Event()
        self.failure: HeadraceError | None = None
        """What the query has to be ended for."""

    @property
    def away(self) -> bool:
        """Whether the broker did not answer when it was last asked."""
        return self._away_since is not None

    @contextmanager
    def while_running(self, end: Callable[[], None]) -> Iterator[None]:
        """Look again and again while inside; `end` is called once there is a failure."""
        thread = threading.Thread(target=self._run, args=(end,), name="headrace watch", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._over.set()

    def look(self) -> HeadraceError | None:
        """Look at the broker: an error is told once it was seen twice, for brokers may be behind."""
        try:
            found = self._problem()
        except BrokerUnreachable as silent:
            return self._note_silence(silent)
        except BrokerError:  # as when nobody may see the topics: then nothing is known of them
            found = None
        self._note_answer()
        before, self._suspected = self._suspected, found
        return found if found is not None and before is not None and found.what == before.what else None

    def _run(self, end: Callable[[], None]) -> None:
        while not self._over.wait(_EVERY_S):
            self.failure = self.look()
            if self.failure is not None:
                end()
                return

    def _problem(self) -> HeadraceError | None:
        self._topics.answer(_ANSWER_S)
        there = self._topics.identities([*self.written, *self._changelogs])
        gone = sorted(topic for topic in self.written if there[topic] is None)
        if gone:
            return TopicGone(gone, self._topics.address)
        for topic, known in self._changelogs.items():
            if damage := self._damage(topic, known, there[topic]):
                return ChangelogDamaged(topic, damage)
        return None

    def _damage(self, topic: str, known: str, now: Identity | None) -> str:
        if now is None:
            return "was deleted"
        if now.id != known:
            return "was deleted and made again"
        return "was emptied: records were deleted" if self._topics.begins_late(topic, now.partitions) else ""

    def _note_silence(self, silent: BrokerUnreachable) -> HeadraceError | None:
        if self._away_since is None:
            self._away_since = time.monotonic()
            self._say(f"{silent.what}; waiting for it ...")
        return self._lost()

    def _note_answer(self) -> None:
        if self._away_since is not None:
            self._say(f"the Kafka broker answers again, after {time.monotonic() - self._away_since:.0f} s")
            self._away_since = None
