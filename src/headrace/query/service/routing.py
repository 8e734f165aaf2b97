"""Routing: scatters a query to one owner of each partition, and merges the replies."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import replace
from functools import reduce

from headrace.errors import NobodyAnswers, PeerFailed, PeerUnreachable, PositionGone, QueryError
from headrace.log.partitioner import partition_of
from headrace.query.position import Position
from headrace.query.replica.reader import Followed
from headrace.query.replica.scan import checked, key_of, page
from headrace.query.replica.snapshots import Snapshots
from headrace.query.requests import Question, Reply, Scan
from headrace.query.service.assignment import ranked
from headrace.query.service.local import Local
from headrace.query.service.ports import Member, Peers

_OTHERS = 4
"""How many others are asked for one question; where there are more, some wait for their turn."""

_LOOK_AGAIN_S = 0.05
_CLOSED = "this instance is closed"


class Routing:
    """Asks here what is held here, and others for the rest; if one does not answer, the next."""

    def __init__(
        self,
        local: Local,
        me: str,
        up: Callable[[], tuple[Member, ...]],
        peers: Peers | None,
        refused: Callable[[str], None],
        requests: int,
    ) -> None:
        self._local, self._me, self._up, self._peers, self._refused = local, me, up, peers, refused
        self._pool = ThreadPoolExecutor(requests * _OTHERS, thread_name_prefix="headrace asking")
        self._closed = threading.Event()

    def close(self) -> None:
        """Ask no more; who waits for an answer gets none."""
        self._closed.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def partitions(self, question: Question) -> list[int]:
        """Partitions that the answer is in."""
        followed = self._local.followed(question.store)
        if isinstance(question, Scan):
            checked(followed.store, followed.layout, question)
        key = key_of(followed.store, followed.layout, question)
        if followed.changelog is None:
            raise NobodyAnswers(question.store, [], f"its changelog {followed.store.topic} is not there")
        count = followed.changelog.partitions
        return list(range(count)) if key is None else [partition_of(key, count)]

    def holders(self, store: str, partition: int) -> list[Member]:
        """Instances that answer for a partition, in the order in which they are asked."""
        up = {member.name: member for member in self._up()}
        order = ranked((name for name, one in up.items() if _shows(one, store, partition, ready=True)), partition)
        order.sort(key=lambda name: name != self._me)
        return [up[name] for name in order]

    def answer(self, question: Question) -> Reply:
        """The answer, put together."""
        partitions = self.partitions(question)
        reply = self._gather(question, partitions)
        if isinstance(question, Scan) and question.paged and question.as_of is None and reply.more:
            # Only now is it known that there are more pages: this one is asked for again, of a snapshot that is kept.
            reply = self._gather(replace(question, as_of=Position(snapshot=Snapshots.name())), partitions)
        return reply

    def _gather(self, question: Question, partitions: list[int]) -> Reply:
        """Ask until every partition has been answered for."""
        deadline = time.monotonic() + question.timeout_ms / 1000
        replies: list[Reply] = []
        left, failed = set(partitions), dict[str, QueryError]()
        while left:
            if self._closed.is_set():
                raise NobodyAnswers(question.store, left, _CLOSED)
            shared = self._shared_out(question, left, failed, waits=time.monotonic() < deadline)
            for member, some, outcome in self._ask_all(question, shared):
                if isinstance(outcome, Reply):
                    replies.append(outcome)
                    left -= some
                else:
                    failed[member.name] = outcome
        return _together(replies, question, self._local.followed(question.store))

    def _shared_out(
        self, question: Question, partitions: set[int], failed: Mapping[str, QueryError], *, waits: bool
    ) -> list[tuple[Member, set[int]]]:
        """Partitions by the instance that is asked for them, among those that have not failed."""
        shared: dict[str, tuple[Member, set[int]]] = {}
        for partition in sorted(partitions):
            member = next((one for one in self._candidates(question, partition) if one.name not in failed), None)
            if member is not None:
                shared.setdefault(member.name, (member, set()))[1].add(partition)
            elif question.at_least is None or not waits:
                raise self._nobody(question, partition, failed)
        if not shared:
            self._closed.wait(_LOOK_AGAIN_S)
        return list(shared.values())

    def _candidates(self, question: Question, partition: int) -> list[Member]:
        store = question.store
        found = [one for one in self.holders(store, partition) if self._can_ask(one, store, partition, stale=False)]
        if not found and question.stale:
            found = [one for one in self._up() if self._can_ask(one, store, partition, stale=True)]
        return found

    def _can_ask(self, member: Member, store: str, partition: int, *, stale: bool) -> bool:
        if member.name == self._me:
            return self._local.holding(store, partition, stale=stale) is not None
        return self._peers is not None and bool(member.url) and _shows(member, store, partition, ready=not stale)

    def _ask_all(
        self, question: Question, shared: list[tuple[Member, set[int]]]
    ) -> list[tuple[Member, set[int], Reply | QueryError]]:
        """Others at the same time, this one meanwhile."""
        try:
            asked = [(one, some, self._pool.submit(self._ask, one, question, some)) for one, some in shared[1:]]
            first = [(one, some, self._ask(one, question, some)) for one, some in shared[:1]]
            return first + [(one, some, future.result()) for one, some, future in asked]
        except (CancelledError, RuntimeError) as exc:
            if self._closed.is_set():
                raise NobodyAnswers(question.store, set().union(*(some for _, some in shared)), _CLOSED) from exc
            raise

    def _ask(self, member: Member, question: Question, partitions: set[int]) -> Reply | QueryError:
        """Ask one instance: its reply, or its error if another one may be asked."""
        try:
            if member.name == self._me:
                return self._local.answer(question, partitions)
            assert self._peers is not None
            reply = self._peers.ask(member.url, self._local.no_less(question, partitions), partitions)
        except PeerUnreachable as error:
            self._refused(member.name)
            return error
        except (NobodyAnswers, PeerFailed, PositionGone) as error:
            return error
        self._local.reached(partitions, reply.position)
        return reply

    def _nobody(self, question: Question, partition: int, failed: Mapping[str, QueryError]) -> QueryError:
        for error in failed.values():
            if isinstance(error, PositionGone):
                return error
        store, others = question.store, [one for one in self._up() if one.name != self._me]
        building = [one.name for one in others if one.name not in failed and _shows(one, store, partition, ready=False)]
        reason = f"it is being built at {', '.join(building)}" if building else self._local.why_not(store, partition)
        told = [error.reason if isinstance(error, NobodyAnswers) else error.what for error in failed.values()]
        return NobodyAnswers(store, [partition], "; ".join(dict.fromkeys([reason, *told])))


def _shows(member: Member, store: str, partition: int, *, ready: bool) -> bool:
    """Whether a member says that it holds a partition of a store, and answers for it if that is asked."""
    return any(
        share.partition == partition and share.store == store and (share.ready or not ready) for share in member.shares
    )


def _together(replies: list[Reply], question: Question, followed: Followed) -> Reply:
    first, *others = replies
    if not others:
        return first
    position = reduce(Position.common, (reply.position for reply in replies))
    together = Reply(
        position=position,
        count=sum(reply.count for reply in replies),
        stale=any(reply.stale for reply in replies),
        instances=tuple(dict.fromkeys(name for reply in replies for name in reply.instances)),
    )
    if not isinstance(question, Scan):
        return together
    entries, more = page(followed.layout, question, ((reply.entries, reply.more) for reply in replies))
    snapshot = question.as_of.snapshot if question.as_of is not None else ""
    return replace(together, entries=entries, more=more, position=replace(position, snapshot=snapshot))
