"""Instance of an application: its own replicas, and the way to all other instances."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Mapping
from contextlib import ExitStack
from pathlib import Path

from headrace.errors import NobodyAnswers, ReplicasInUse, ReplicasUnwritable
from headrace.log.bulletin import Bulletin
from headrace.log.files import make_private, write_whole
from headrace.log.follow import Follower
from headrace.log.groups import Standing
from headrace.log.locks import FileLock
from headrace.log.topics import Topics
from headrace.query.catalogue import Queryable, servers_topic
from headrace.query.position import Position
from headrace.query.replica.held_partition import Held
from headrace.query.replica.key_order import Layout
from headrace.query.replica.reader import ChangelogReader, Followed
from headrace.query.replica.snapshots import Snapshots
from headrace.query.replica.tracker import Tracker
from headrace.query.replica.watched import LocalWatch
from headrace.query.requests import Get, Question, Reply
from headrace.query.service.assignment import wanted
from headrace.query.service.local import Local
from headrace.query.service.members import Members
from headrace.query.service.ports import Changed, Member, Peers, Watched
from headrace.query.service.proof import Proof
from headrace.query.service.routing import Routing


class Instance:
    """Replicas of the stores of one application, kept in a directory of its own.

    With a `url` at which others can ask it, the partitions are shared out among all instances that have one, each with
    as many further copies as there are to be `standbys`; `peers` is the way to them, and `proof` what all of them sign
    with: if not said, that of this user on this machine. Without a `url` it holds everything. `requests` is how many
    questions are asked at the same time at the most, by those who serve it.
    """

    def __init__(
        self,
        app: str,
        stores: Mapping[str, Queryable],
        address: str,
        kafka: Mapping[str, str] | None,
        directory: Path,
        *,
        url: str = "",
        peers: Peers | None = None,
        proof: Proof | None = None,
        standbys: int = 0,
        requests: int = 64,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.app, self.stores, self.url = app, stores, url
        self._standbys, self._say, self._said_empty = standbys, say, False
        self._held = ExitStack()
        try:
            self.name = self._take(directory)
            topics = Topics(address, kafka)
            found = topics.identities(store.topic for store in stores.values())
            followed = {name: Followed(one, Layout.of(one.key), found[one.topic]) for name, one in stores.items()}
            self._snapshots = Snapshots()
            self._held.callback(self._snapshots.clear)
            self._reader = ChangelogReader(Follower(address, kafka), directory, followed, self._snapshots, say)
            self._held.callback(self._reader.close)
            group = Standing(app, address, kafka)
            self._tracker = Tracker(topics, group, self._reader, list(stores.values()), self._share_out, say)
            self._held.callback(self._tracker.close)
            self._local = Local(app, self.name, self._reader, self._tracker, self._snapshots)
            self._members: Members | None = None
            if url:
                bulletin = Bulletin(servers_topic(app), address, kafka)
                self._members = Members(bulletin, self.name, proof or Proof.of(None), self.me, self._share_out, say)
                self._held.callback(self._members.close)
            self._routing = Routing(self._local, self.name, self.members, peers, self._refused, requests)
            self._held.callback(self._routing.close)
        except BaseException:
            self._held.close()
            raise

    def start(self) -> None:
        """Begin to build, or go on from what is there; returns at once."""
        self._reader.start()
        self._tracker.start()
        if self._members is not None:
            self._members.start()
        self._share_out()

    def close(self) -> None:
        """Tell the others, and leave the replicas for the next start."""
        self._held.close()

    def note(self, position: Position) -> None:
        """Note how far the application has come, which says so itself in its own process."""
        self._tracker.note(position)

    @property
    def ready(self) -> bool:
        """Whether all that it is to hold can be asked."""
        return self._reader.ready

    @property
    def foreign(self) -> int:
        """How many records of changelogs were left out because their keys are none of their store's."""
        return self._reader.foreign

    # -- answering

    def at_once(self, question: Get) -> Reply | None:
        """The answer if it is here and needs no waiting; takes microseconds. Else None: `answer` may have it."""
        return self._local.at_once(question)

    def answer(self, question: Question) -> Reply:
        """The answer, from here or from whoever has it; may wait, so it is for a thread that can."""
        return self._routing.answer(question)

    def local(self, question: Question, partitions: Collection[int]) -> Reply:
        """Answer another instance from partitions that are held here."""
        return self._local.answer(question, partitions)

    def watch(
        self,
        watched: Watched,
        tell: Callable[[list[Changed]], None],
        partitions: Collection[int],
        gone: Callable[[int], None],
    ) -> LocalWatch:
        """See `Answering.watch`."""
        store = watched.store

        def held(partition: int) -> Held:
            holding = self._local.holding(store, partition)
            if holding is None:
                raise NobodyAnswers(store, [partition], self._local.why_not(store, partition))
            return holding.held[store]

        return LocalWatch(watched, self._local.followed(store).layout, tell, partitions, gone, held)

    # -- who is there

    def me(self) -> Member:
        """This instance, as others know it."""
        holdings = self._reader.holdings.values()
        return Member(self.name, self.url, tuple(share for holding in holdings for share in holding.shares))

    def members(self) -> tuple[Member, ...]:
        """Instances that are up, with this one among them."""
        return (self.me(),) if self._members is None else self._members.up()

    def holders(self, store: str, key: bytes) -> tuple[Member, ...]:
        """The instances that answer for a key, the one that is asked first in front."""
        return tuple(self._routing.holders(store, self.partition(store, key)))

    def partition(self, store: str, key: bytes) -> int:
        """The partition of a key."""
        (partition,) = self._routing.partitions(Get(store=store, key=key))
        return partition

    def _share_out(self) -> None:
        """Hold this instance's partitions, by the members that are up and the changelogs that there are."""
        self._snapshots.forget()
        count = self._reader.partitions
        if not count and not self._said_empty:
            self._said_empty = True
            self._say(f"queries: {self.app} has no changelogs yet: they are made when it starts")
        if self._members is None:
            self._reader.want(frozenset(range(count)), count)
        elif self._members.settled:
            ready = {one.name: {share.partition for share in one.shares if share.ready} for one in self.members()}
            self._reader.want(wanted(self.name, ready, count, self._reader.holdings, self._standbys), count)

    def _refused(self, name: str) -> None:
        if self._members is not None:
            self._members.refused(name)

    def _take(self, directory: Path) -> str:
        """The directory is this one's alone; the name that is in it, which stays: it holds the same again next time."""
        path, lock = directory / "name", FileLock(directory / "lock")
        try:
            make_private(directory)
            if not lock.take():
                raise ReplicasInUse(str(directory))
            self._held.callback(lock.release)
            if not path.exists():
                write_whole(path, uuid.uuid4().hex[:12])
            return path.read_text().strip()
        except OSError as exc:
            raise ReplicasUnwritable(str(directory), exc.strerror or str(exc)) from exc
