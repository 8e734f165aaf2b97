"""Changelog reader: the thread that follows changelogs, and writes their records into replicas."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from headrace.errors import HeadraceError
from headrace.log.follow import BEGINNING, Chunk, Follower, Place
from headrace.log.topics import Identity
from headrace.query.catalogue import Queryable
from headrace.query.position import Position
from headrace.query.replica.held_partition import Held, Holding
from headrace.query.replica.key_order import Layout
from headrace.query.replica.replica import Origin, Replica, ReplicaMemory
from headrace.query.replica.snapshots import Snapshots
from headrace.query.replica.watched import ChangeChannel

_AT_ONCE = 10_000
_WAIT_S = 0.05
_FLUSH_S = 30.0
_AGAIN_S = 5.0
_END_S = 20.0


@dataclass(frozen=True)
class Followed:
    """A store, how its keys are laid out, and the changelog that there is now."""

    store: Queryable
    layout: Layout
    changelog: Identity | None
    """None while there is none."""


class ChangelogReader:
    """Opens and closes replicas as it is told, and keeps them up to date. Only its thread writes them."""

    def __init__(
        self,
        follower: Follower,
        directory: Path,
        followed: Mapping[str, Followed],
        snapshots: Snapshots,
        say: Callable[[str], None],
    ) -> None:
        self._follower, self._directory, self._snapshots, self._say = follower, directory, snapshots, say
        self._memory = ReplicaMemory()
        self.followed, self.wanted = dict(followed), frozenset[int]()
        self.shared_of = 0
        """How many partitions there were when it was told which of them to hold; 0 before."""

        self._by_place: dict[Place, tuple[Holding, Held]] = {}
        self._distrusted: dict[Place, str] = {}
        self._again: dict[int, float] = {}
        """Partitions that failed, and when they are tried again."""

        self._told: dict[int | None, set[str]] = {}
        """What was said of partitions that failed, and of all."""

        self._flushed = time.monotonic()
        self._due, self._ending = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="headrace changelogs", daemon=True)
        self.turned = threading.Condition()
        """Told when a partition reflects more than before."""

        self.holdings: Mapping[int, Holding] = {}
        """By partition. It is never changed, but another one put in its place."""

        self.in_touch = 0.0
        """When the broker was last known to answer, by the clock of the machine."""

        self.reached: dict[int, Position] = {}
        """What was answered for partitions when they were not held here: from now on no less is."""

    def start(self) -> None:
        """Begin to read what is wanted."""
        self._thread.start()

    def close(self) -> None:
        """Stop reading, and leave the replicas so that the next one goes on from them."""
        self._ending.set()
        if self._thread.is_alive():
            self._thread.join(_END_S)
        self._follower.close()

    def want(self, partitions: frozenset[int], count: int) -> None:
        """Hold these, of so many that there are, and no others."""
        if (partitions, count) != (self.wanted, self.shared_of):
            self.wanted, self.shared_of = partitions, count
            self._due.set()

    @property
    def partitions(self) -> int:
        """How many there are, by the changelogs that there are."""
        return max((one.changelog.partitions for one in self.followed.values() if one.changelog), default=0)

    @property
    def ready(self) -> bool:
        """Whether all that it is to hold can be asked; not before there are changelogs."""
        wanted, there, count = self.wanted, self.holdings, self.partitions
        return count > 0 and self.shared_of == count and all(one in there and there[one].ready for one in wanted)

    def renew(self, changelogs: Mapping[str, Identity | None]) -> None:
        """Replace the changelogs that are followed, by store. Copies of others are thrown away."""
        for name, changelog in changelogs.items():
            known = self.followed[name]
            if known.changelog != changelog:
                self.followed[name] = Followed(known.store, known.layout, changelog)
                self.reached.clear()  # the application begins anew: positions of before mean nothing
                self._due.set()

    def reach(self, partition: int, position: Position) -> None:
        """Note a position that an answer has reflected."""
        self.reached[partition] = self.reached.get(partition, Position()).joined(position)

    def distrust(self, places: Iterable[Place], reason: str) -> None:
        """Build the replicas of these partitions anew."""
        self._distrusted |= dict.fromkeys(places, reason)
        self._due.set()

    @property
    def foreign(self) -> int:
        """How many records were left out because their keys are none of their store's."""
        return sum(held.replica.foreign for _, held in list(self._by_place.values()))

    # -- in its thread

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                self._step()
            except HeadraceError as error:
                self._say_once(error.what)
                self._ending.wait(1.0)
            except Exception as exc:
                # It must not end: nothing would be answered any more, and nobody would know why.
                self._say_once(f"reading changelogs failed, and is tried again: {type(exc).__name__}: {exc}")
                self._ending.wait(1.0)
        for holding in self.holdings.values():
            self._drop(holding)

    def _step(self) -> None:
        now = time.monotonic()
        if self._due.is_set() or any(at <= now for at in self._again.values()):
            self._due.clear()
            self._adjust(now)
        for place, chunk in self._follower.read(_AT_ONCE, _WAIT_S).items():
            there = self._by_place.get(place)
            if there is not None:
                self._take(*there, chunk)
        self._keep_house()

    def _take(self, holding: Holding, held: Held, chunk: Chunk) -> None:
        replica, channel = held.replica, held.channel
        try:
            with channel.lock:
                before = replica.next
                if chunk.records:
                    replica.write(chunk.records, chunk.next)
                else:
                    replica.next = max(replica.next, chunk.next)
                channel.publish(chunk.records, before, remember=holding.ready)
        except Exception as exc:
            self._fail(holding.partition, exc)
            return
        if chunk.failed is not None:
            self._fail(holding.partition, chunk.failed)
        elif chunk.lost:
            self.distrust([held.place], "its changelog does not have what comes next")
        else:
            holding.settle()

    def _adjust(self, now: float) -> None:
        """Hold the wanted partitions, of the changelogs that there are."""
        for partition, holding in dict(self.holdings).items():
            lost = [held.replica for held in holding.held.values() if held.place in self._distrusted]
            for replica in lost:
                place = replica.origin.topic, partition
                self._say(f"partition {partition} of {replica.store.name} is built anew: {self._distrusted[place]}")
            current = self._current(holding)
            if lost or partition not in self.wanted or not current:
                self._drop(holding, lost)
            if not current:
                self.reached.pop(partition, None)  # as above
        self._distrusted.clear()
        for partition in sorted(self.wanted - self.holdings.keys()):
            if self._again.get(partition, 0) <= now:
                self._again.pop(partition, None)
                try:
                    self._hold(partition)
                except Exception as exc:
                    self._fail(partition, exc)

    def _current(self, holding: Holding) -> bool:
        there = {name: held.replica.origin for name, held in holding.held.items()}
        return there == self._origins(holding.partition)

    def _origins(self, partition: int) -> dict[str, Origin]:
        return {
            name: Origin(one.store.topic, one.changelog.id, partition, one.layout.serde.name)
            for name, one in self.followed.items()
            if one.changelog is not None and partition < one.changelog.partitions
        }

    def _hold(self, partition: int) -> None:
        held: list[Held] = []
        try:
            for name, origin in self._origins(partition).items():
                one = self.followed[name]
                directory = self._directory / name / str(partition)
                replica = Replica(directory, one.store, one.layout, origin, self._memory)
                held.append(Held(replica, ChangeChannel(partition, one.layout)))
                if replica.anew:
                    self._say(f"partition {partition} of {name} is built anew: {replica.anew}")
        except Exception:
            for opened in held:
                opened.replica.close()
            raise
        holding = Holding(partition, held, self.turned, self.reached)
        self._by_place |= {one.place: (holding, one) for one in held}
        self._follower.follow({one.place: one.replica.next or BEGINNING for one in held})
        self.holdings = {**self.holdings, partition: holding}

    def _drop(self, holding: Holding, lost: Collection[Replica] = ()) -> None:
        self.holdings = {number: one for number, one in self.holdings.items() if one is not holding}
        self._follower.leave(held.place for held in holding.held.values())
        if holding.position is not None:
            self.reach(holding.partition, holding.position)
        holding.close()
        self._snapshots.let_go(holding.partition)  # while somebody reads a replica, it cannot be opened again
        for held in holding.held.values():
            self._by_place.pop(held.place, None)
            if held.replica in lost:
                held.replica.destroy()
            else:
                held.replica.close(self.in_touch)
            held.channel.end()  # behind it: whoever comes now finds a closed replica
        if holding.partition not in self.wanted:
            for name in holding.held:
                shutil.rmtree(self._directory / name / str(holding.partition), ignore_errors=True)

    def _fail(self, partition: int, why: Exception) -> None:
        """Give up a replica for now, as when the disk is full. Nobody is answered from it."""
        reason = why.what if isinstance(why, HeadraceError) else str(why)
        self._say_once(f"partition {partition} is not kept up to date, and tried again: {reason}", partition)
        holding = self.holdings.get(partition)
        if holding is not None:
            self._drop(holding)
        self._again[partition] = time.monotonic() + _AGAIN_S

    def _keep_house(self) -> None:
        now = time.monotonic()
        if self._told:
            for partition, holding in self.holdings.items():
                if holding.ready:
                    self._told.pop(partition, None)
        if now - self._flushed > _FLUSH_S:
            self._flushed = now
            for holding, held in list(self._by_place.values()):
                try:
                    held.replica.flush(self.in_touch)
                except Exception as exc:
                    self._fail(holding.partition, exc)

    def _say_once(self, what: str, partition: int | None = None) -> None:
        """Say a failure once; of a partition again when it has been queried in between."""
        told = self._told.setdefault(partition, set())
        if what not in told:
            told.add(what)
            self._say(what)
