"""Position tracker: the thread that finds out which offsets replicas reflect.

The application says after every batch how far it has come: to the consumer group of its name, and to the instance in
its own process. Everything that it had written until then lies before the ends that the changelogs have afterwards.
Once a replica has read up to such an end, it reflects what the application had said. The ends are those of all records:
that a transaction is committed is known to the application a little earlier than to those who read only committed ones.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from headrace.errors import HeadraceError
from headrace.log.groups import Standing
from headrace.log.topics import Topics
from headrace.query.catalogue import Queryable
from headrace.query.position import Position
from headrace.query.progress import BuildProgress
from headrace.query.replica.reader import ChangelogReader

_IDLE_S = 1.0
_URGENT_S = 0.025
_IDENTITY_S = 2.0
_PATIENCE_S = 10.0
_EARLIER_S = 5.0
_END_S = 2.0


class Tracker:
    """Asks for positions and ends: seldom, and often while somebody waits for an answer that reflects enough."""

    def __init__(
        self,
        topics: Topics,
        group: Standing,
        reader: ChangelogReader,
        stores: list[Queryable],
        renewed: Callable[[], None],
        say: Callable[[str], None],
    ) -> None:
        self._topics, self._group, self._reader, self._say = topics, group, reader, say
        self._stores, self._renewed, self._progress = stores, renewed, BuildProgress(say)
        self._noted: Position | None = None
        self.told = Position()
        """How far the application has come, as far as is known."""

        self._current = time.monotonic()
        """When all that has been answered was last known to be of this life of the application."""

        self._waiting, self._looked = 0, time.monotonic()
        self.patient_until, self._trouble = time.monotonic() + _PATIENCE_S, ""
        """When answers are stale if the broker is not heard of before."""

        self._wake, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="headrace positions", daemon=True)

    def start(self) -> None:
        """Begin to ask."""
        self._thread.start()

    def close(self) -> None:
        """Ask no more."""
        self._ending.set()
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join(_END_S)
        if not self._thread.is_alive():
            self._group.close()

    def note(self, position: Position) -> None:
        """The application says how far it has come: nobody has to ask for that any more."""
        self._noted = position
        self._wake.set()

    @property
    def in_touch(self) -> bool:
        """Whether the broker has answered lately."""
        return time.monotonic() < self.patient_until

    @property
    def trouble(self) -> str:
        """Error of the broker, or of reaching it."""
        return self._trouble

    @contextmanager
    def urgently(self) -> Iterator[None]:
        """Ask often, as long as somebody waits."""
        with self._reader.turned:
            self._waiting += 1
        self._wake.set()
        try:
            yield
        finally:
            with self._reader.turned:
                self._waiting -= 1

    def _run(self) -> None:
        while not self._ending.is_set():
            self._wake.clear()
            try:
                if self._look():
                    self.patient_until, self._trouble = time.monotonic() + _PATIENCE_S, ""
                    self._reader.in_touch = time.time()
                self._progress.look(self._reader.holdings.values())
            except HeadraceError as error:
                self._troubled(error.what)
            except Exception as exc:
                # It must not end: after a while nothing would be answered any more, and nobody would know why.
                self._troubled(f"positions could not be found out: {type(exc).__name__}: {exc}")
            unmarked = any(not holding.ready for holding in self._reader.holdings.values())
            self._wake.wait(_URGENT_S if self._waiting or unmarked else _IDLE_S)

    def _troubled(self, what: str) -> None:
        if what != self._trouble:
            self._trouble = what
            self._say(f"queries: {what}")

    def _look(self) -> bool:
        """Find out the offsets that are lacking; whether the broker had to be asked."""
        looking = time.monotonic() - self._looked > _IDENTITY_S
        if looking:
            self._look_at_changelogs()
        # In this order: what was written before the position was said is before the end that is asked for now.
        position = self._noted if self._noted is not None else Position(self._group.positions())
        self.told = position
        self._forget_earlier_lives(position)
        lacking = [holding for holding in self._reader.holdings.values() if holding.lacks(position)]
        read = {held.place: held.replica.next for holding in lacking for held in holding.held.values()}
        ends = self._topics.ends(read)
        shorter = [place for place, end in ends.items() if end < read[place]]
        if shorter:
            self._look_at_changelogs()
            self._reader.distrust(shorter, "its changelog was cut off")
        for holding in lacking:
            if not any(held.place in shorter for held in holding.held.values()):
                holding.mark(position, ends)
        return looking or bool(lacking) or self._noted is None

    def _forget_earlier_lives(self, position: Position) -> None:
        """An application that begins anew has positions that go back. Else what was answered is soon behind it."""
        answered = self._reader.reached
        if all(position.covers(one) for one in list(answered.values())):
            self._current = time.monotonic()
        elif time.monotonic() - self._current > _EARLIER_S:
            answered.clear()

    def _look_at_changelogs(self) -> None:
        found = self._topics.identities(store.topic for store in self._stores)
        self._reader.renew({store.name: found[store.topic] for store in self._stores})
        self._renewed()
        self._looked = time.monotonic()
