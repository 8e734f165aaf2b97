"""Watcher: gets a snapshot first, then every change, from whichever instance has it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from headrace.errors import HeadraceError, NobodyAnswers, PeerUnreachable
from headrace.query.service.ports import Changed, Watch, Watched
from headrace.rest.client.peers import Began
from headrace.rest.key_value_text import StoreForm
from headrace.rest.server.users import User
from headrace.rest.watch.change_buffer import NobodyTakes, Pending, TakenChanges

if TYPE_CHECKING:
    from headrace.rest.watch.registry import Watchers

_HEARTBEAT_S = 15.0
_PEERS_HEARTBEAT_S = 3.0
_AGAIN_S = 0.5
_WAITED_S = 30.0
HERE = ""


@dataclass(frozen=True)
class Anew:
    """Reset of a watch: what was told before is to be forgotten, everything is told again."""


@dataclass(frozen=True)
class Heartbeat:
    """Nothing has changed."""


Told = TakenChanges | Anew | Heartbeat


class Watcher:
    """Watcher of a store. It follows partitions here, or at instances that hold them; if one goes, at the next."""

    def __init__(
        self,
        among: Watchers,
        number: int,
        store: StoreForm,
        watched: Watched,
        user: User,
        only: Collection[int] | None,
    ) -> None:
        self.number, self.store, self.user, self.began = number, store, user, time.time()
        self.told = 0
        self._among, self._watched, self._only = among, watched, only
        limits, self._loop = among.service.limits, asyncio.get_running_loop()
        self.pending = Pending(self._loop, limits.watch_bytes, among.budget)
        self.ended = asyncio.Event()
        """Set when somebody has ended it."""

        self.life: str | None = None
        """Of the changelog that is followed; None until one is."""

        self.whole: set[int] = set()
        """The partitions of which everything was told, and not only what was missed."""

        self._heartbeat_s = _HEARTBEAT_S if only is None else _PEERS_HEARTBEAT_S
        self._here: dict[int, _Here] = {}
        self._streams: set[asyncio.Task[None]] = set()
        self._seen: set[int] = set()
        self._followed: set[int] = set()
        self._turned = asyncio.Event()
        self._anew, self._current, self._joining = False, False, False
        self._following: asyncio.Task[None] | None = None
        self.failure: BaseException | None = None

    def check(self) -> None:
        """Whether all that it watches is to be had somewhere; NobodyAnswers if not."""
        self._places(self._partitions())

    def shown(self, taken: TakenChanges) -> Iterator[str]:
        """The changes as JSON."""
        life = self.life
        return (self._among.shown(self.store, change, life) for change in taken.changes)

    async def tell(self) -> AsyncIterator[Told]:
        """Events to send, whenever there are some.

        It ends when the watcher is too slow, was ended, or belongs to somebody who may not watch any more.
        """
        self._following = asyncio.create_task(self._follow())
        if not self._watched.since:
            yield Anew()
        looked = self._loop.time()
        while not (self.pending.too_slow.is_set() or self.ended.is_set()):
            with suppress(TimeoutError):
                async with asyncio.timeout(self._heartbeat_s):  # wait_for may lose that it is to end
                    await self.pending.event.wait()
            if self.failure is not None:
                raise self.failure
            if self._loop.time() - looked >= self._heartbeat_s:
                looked = self._loop.time()
                if not self._among.may_read(self.user):
                    return
            if self._anew:
                self._anew = False
                yield Anew()
            taken = self.pending.take()
            self.told += len(taken.changes)
            self._among.service.counts.changes += len(taken.changes)
            yield taken if taken.changes or taken.current else Heartbeat()
            self.pending.sent()

    def pieces(self, parts: Iterable[bytes]) -> AsyncIterator[list[bytes]]:
        """Events to send, made in turns with the other watchers."""
        return self._among.turns.pieces(parts)

    def end(self) -> None:
        """Tell it no more."""
        self.ended.set()
        self.pending.event.set()

    async def __aenter__(self) -> Watcher:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Give everything back."""
        self.pending.close()
        self._joins(False)
        self._among.left(self)
        tasks = [task for task in (self._following, *self._streams) if task is not None]
        for task in tasks:
            task.cancel()
        self._close_here()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._following = None

    # -- where its changes come from

    async def _follow(self) -> None:
        self._joins(True)
        try:
            since = self._watched.since
            while True:
                self._turned.clear()
                await self._follow_missing(since)
                if not self._current:
                    self._current = True
                    self._joins(False)
                    self.pending.is_current()
                since = {}
                with suppress(TimeoutError):
                    async with asyncio.timeout(_WAITED_S):
                        await self._turned.wait()
                if self._only is not None and self._followed != set(self._only):
                    raise NobodyAnswers(self.store.name, self._only, "they are not held here any more")
        except (NobodyTakes, asyncio.CancelledError):
            return  # it is too slow, or has left; kept as its end, the error would hold all that it was told
        except Exception as error:
            self.failure = error
            self.pending.event.set()

    async def _follow_missing(self, since: Mapping[int, int]) -> None:
        """Follow every partition that is not followed; returns when all have told what is there."""
        deadline, anew = self._loop.time() + _WAITED_S, False
        while missing := set(self._partitions()) - self._followed:
            since = {**since, **self.pending.since}
            try:
                for place, partitions in self._places(missing).items():
                    await self._begin(place, partitions, {one: since[one] for one in partitions if one in since})
            except _NotRemembered:
                await self._begin_anew()
                if anew:  # not all who hold it know yet that its changelog was made again
                    await asyncio.sleep(_AGAIN_S)
                since, anew = {}, True
            except HeadraceError:
                if self._loop.time() > deadline or self._only is not None:
                    raise
                await asyncio.sleep(_AGAIN_S)

    async def _begin(self, place: str, partitions: list[int], since: Mapping[int, int]) -> None:
        watched = replace(self._watched, since=since, life=self._watched.life if self.life is None else self.life)
        if place == HERE:
            await self._begin_here(watched, partitions)
            return
        ready: asyncio.Future[None] = self._loop.create_future()
        stream = asyncio.create_task(self._stream(place, watched, partitions, ready))
        self._streams.add(stream)
        stream.add_done_callback(self._streams.discard)
        await ready

    async def _begin_here(self, watched: Watched, partitions: list[int]) -> None:
        here = _Here()

        def gone(partition: int) -> None:
            with suppress(RuntimeError):  # the server has ended, and its loop
                self._loop.call_soon_threadsafe(self._leave, here, partition)

        turn = self.pending.turn
        watch = here.watch = self._among.service.answering.watch(watched, self.pending.tell, partitions, gone)
        try:
            await self.pending.room(turn)
            while (part := await self._among.turns.call(next, watch.first, None)) is not None:
                self._tell_first(part, watched.since, turn)
                await self.pending.room(turn)
            self._check_goes_on(watched, watch)
        except BaseException:
            here.close()
            raise
        there = set(partitions) - here.left
        self._here |= dict.fromkeys(there, here)
        self.whole |= set(watch.whole)
        self.pending.go_on(watch.since)
        self._followed |= there

    async def _stream(self, url: str, watched: Watched, partitions: list[int], ready: asyncio.Future[None]) -> None:
        """Follow partitions at another instance, until it goes or does not hold them any more."""
        turn = self.pending.turn
        try:
            async for told in self._among.peers.watch(url, watched, partitions):
                if isinstance(told, Began):
                    self._check_goes_on(watched, told)
                    self.pending.go_on(told.since)
                    self._followed |= set(partitions)
                    ready.set_result(None)
                elif ready.done():
                    self.pending.tell(told)
                else:
                    await self.pending.room(turn)
                    self._tell_first(told, watched.since, turn)
            raise PeerUnreachable(url, "it has ended the watch")
        except Exception as error:
            if not ready.done():
                ready.set_exception(error)
        finally:
            self._followed -= set(partitions)
            self._turned.set()

    def _tell_first(self, changes: list[Changed], since: Mapping[int, int], turn: int) -> None:
        """Tell the snapshot. It ends where entries of a partition come that were to be resumed."""
        if any(one.offset < 0 and one.partition in since for one in changes):
            raise _NotRemembered
        self.pending.tell_first(changes, turn)

    def _check_goes_on(self, watched: Watched, begun: Watch | Began) -> None:
        """NotRemembered if it was told anything that does not go together with what it has been told before."""
        if watched.since.keys() & set(begun.whole) or self.life not in (None, begun.life):
            raise _NotRemembered
        self.life = begun.life

    def _leave(self, here: _Here, partition: int) -> None:
        """Stop following a partition that is not held here any more."""
        here.left.add(partition)
        if self._here.get(partition) is here:
            del self._here[partition]
            self._followed.discard(partition)
        self._turned.set()

    def _close_here(self) -> None:
        for here in set(self._here.values()):
            here.close()
        self._here = {}

    async def _begin_anew(self) -> None:
        self._close_here()
        streams = list(self._streams)
        for task in streams:
            task.cancel()
        await asyncio.gather(*streams, return_exceptions=True)
        self._followed, self.life = set(), None
        self.pending.forget()
        self._anew, self._current = True, False
        self._joins(True)
        self.pending.event.set()

    def _joins(self, joining: bool) -> None:
        """Whether it is being told what is there, of which each who is has an equal share."""
        if joining != self._joining:
            self._joining = joining
            self._among.budget.joining += 1 if joining else -1

    def _partitions(self) -> Collection[int]:
        """Partitions that are watched."""
        if self._only is not None:
            return self._only
        answering, key = self._among.service.answering, self._watched.key
        if key is not None:
            return [answering.partition(self.store.name, self.store.placed(key))]
        shares = (share for member in answering.members() for share in member.shares)
        # Those that nobody holds at the moment are there all the same: somebody takes over.
        self._seen |= {share.partition for share in shares if share.store == self.store.name}
        if not self._seen:
            raise NobodyAnswers(self.store.name, [], "nobody holds any of it yet")
        return self._seen

    def _places(self, partitions: Collection[int]) -> dict[str, list[int]]:
        """Partitions by the instance that tells of them: this one where it can, else one that is ready."""
        answering, places = self._among.service.answering, dict[str, list[int]]()
        if self._only is not None:
            return {HERE: sorted(partitions)}
        ready: dict[int, list[str]] = {}
        for member in answering.members():
            for share in member.shares:
                if share.store == self.store.name and share.ready and share.partition in partitions:
                    here = member.name == answering.name
                    ready.setdefault(share.partition, []).insert(0 if here else 1, HERE if here else member.url)
        for partition in sorted(partitions):
            if not ready.get(partition):
                raise NobodyAnswers(self.store.name, [partition], "it is being built")
            places.setdefault(ready[partition][0], []).append(partition)
        return places


@dataclass(eq=False)
class _Here:
    """Local part of a watch: the partitions that are followed here together."""

    watch: Watch | None = None
    left: set[int] = field(default_factory=set)
    """Partitions that are not held here any more, perhaps since before all was told."""

    def close(self) -> None:
        """End it. It lets go of the watch, which knows whom to tell: else both would wait for a collection."""
        if self.watch is not None:
            self.watch.close()
            self.watch = None


class _NotRemembered(Exception):
    """The changes since a resume token are not remembered any more."""
