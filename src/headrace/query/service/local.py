"""Local answers, from the replicas that are held here."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial, reduce
from time import monotonic

from headrace.errors import HeadraceError, NobodyAnswers, PositionAhead, PositionGone, PositionNotReached, StoreNotAsked
from headrace.log.partitioner import partition_of
from headrace.query.deadline import ScanDeadline
from headrace.query.position import Position
from headrace.query.replica.held_partition import Holding
from headrace.query.replica.reader import ChangelogReader, Followed
from headrace.query.replica.scan import checked, entries, key_of, page
from headrace.query.replica.snapshots import Snapshots, Views
from headrace.query.replica.tracker import Tracker
from headrace.query.requests import Count, Get, Question, Reply, Scan


class Local:
    """Local answers of this instance, from its own replicas."""

    def __init__(self, app: str, name: str, reader: ChangelogReader, tracker: Tracker, snapshots: Snapshots) -> None:
        self._app, self._instances = app, (name,)
        self._reader, self._tracker, self._snapshots = reader, tracker, snapshots

    def followed(self, store: str) -> Followed:
        """A store that can be asked."""
        found = self._reader.followed.get(store)
        if found is None:
            raise StoreNotAsked(store, self._app, self._reader.followed)
        return found

    def at_once(self, question: Get) -> Reply | None:
        """The answer if it is here and needs no waiting."""
        # Thousands of times a second: no calls that can be spared, and whatever is wrong `answer` meets again.
        key, store, reader = question.key, question.store, self._reader
        try:
            followed = reader.followed[store]
            layout, changelog = followed.layout, followed.changelog
            if changelog is None:
                return None
            placed = layout.place(key)
            holding = reader.holdings[partition_of(layout.bare(key), changelog.partitions)]
            # Before the entry is read: that may reflect more, but not less.
            position, least = holding.position, question.at_least
            if position is None or monotonic() > self._tracker.patient_until:
                return None
            if least is not None and not position.covers(least):
                return None
            entry = holding.replicas[store].get(key, placed)
        except Exception:
            return None
        return Reply(position=position, entries=[] if entry is None else [entry], instances=self._instances)

    def holding(self, store: str, partition: int, *, stale: bool = False) -> Holding | None:
        """A partition of a store, if it can be asked here."""
        found = self._reader.holdings.get(partition)
        if found is None or store not in found.replicas:
            return None
        return found if stale or (found.ready and self._tracker.in_touch) else None

    def why_not(self, store: str, partition: int) -> str:
        """Why this partition of a store cannot be asked here."""
        holding = self._reader.holdings.get(partition)
        if holding is None or store not in holding.replicas:
            return "it is not held here"
        if not holding.ready:
            read, end = sum(share.offset for share in holding.shares), sum(share.end for share in holding.shares)
            return f"it is being built, {read:,} of {end:,} offsets are read"
        return f"the broker does not answer{f': {self._tracker.trouble}' if self._tracker.trouble else ''}"

    def answer(self, question: Question, partitions: Collection[int]) -> Reply:
        """Answer a query from partitions that are held here."""
        followed, deadline = self.followed(question.store), ScanDeadline(question)
        if isinstance(question, Scan):
            checked(followed.store, followed.layout, question)
        key_of(followed.store, followed.layout, question)
        holdings = self._holdings(question, partitions)
        if question.at_least is not None:
            self._wait(question, question.at_least, holdings)
        positions = [holding.position for holding in holdings]
        stale = None in positions or not self._tracker.in_touch
        if stale and not question.stale:
            gone = [one.partition for one, at in zip(holdings, positions, strict=True) if at is None] or partitions
            raise NobodyAnswers(question.store, gone, self.why_not(question.store, next(iter(gone))))
        position = reduce(Position.common, [one or Position() for one in positions])
        try:
            reply = self._found(question, followed, holdings, position, deadline)
        except HeadraceError:
            raise
        except Exception as exc:
            raise self._broken(question.store, holdings, exc) from exc
        return replace(reply, stale=stale, instances=self._instances)

    def _holdings(self, question: Question, partitions: Collection[int]) -> list[Holding]:
        found = {one: self.holding(question.store, one, stale=question.stale) for one in partitions}
        lacking = [one for one, holding in found.items() if holding is None]
        if lacking:
            raise NobodyAnswers(question.store, lacking, self.why_not(question.store, lacking[0]))
        return [holding for holding in found.values() if holding is not None]

    def no_less(self, question: Question, partitions: Collection[int]) -> Question:
        """Asked so that the answer reflects no less than earlier ones, which may have been somebody else's."""
        known = [self._reader.reached.get(one, Position()) for one in partitions]
        least = reduce(Position.common, known).joined(question.at_least or Position())
        return replace(question, at_least=least) if least.offsets and not question.stale else question

    def reached(self, partitions: Collection[int], position: Position) -> None:
        """Note a position that another instance has reflected."""
        for one in partitions:
            self._reader.reach(one, position)

    def _found(
        self,
        question: Question,
        followed: Followed,
        holdings: Sequence[Holding],
        position: Position,
        deadline: ScanDeadline,
    ) -> Reply:
        if isinstance(question, Get):
            placed = followed.layout.place(question.key)
            entry = holdings[0].replicas[question.store].get(question.key, placed)
            return Reply(position=position, entries=[] if entry is None else [entry])
        if isinstance(question, Count):
            views = _now(question.store, holdings)
            count = sum(1 for view in views.values() for _ in deadline.among(view.places()))
            return Reply(position=position, count=count)
        assert isinstance(question, Scan)
        views, position = self._views(question, holdings, position)
        with ExitStack() as alone:
            for _, view in sorted(views.items()):
                alone.enter_context(view.lock)
            found_in = partial(entries, followed.store, followed.layout, question, deadline)
            parts = ((found_in(view), False) for view in views.values())
            found, more = page(followed.layout, question, parts)
        return Reply(position=position, entries=found, more=more)

    def _views(self, scan: Scan, holdings: Sequence[Holding], position: Position) -> tuple[Views, Position]:
        """Views that a page is made from: of its snapshot, which begins with the first page, or of now."""
        if scan.as_of is None:
            return _now(scan.store, holdings), position
        snapshot = scan.as_of.snapshot
        views = self._snapshots.find(snapshot, scan.store, [holding.partition for holding in holdings])
        if views is not None:
            return views, scan.as_of
        if not snapshot or scan.as_of.offsets or scan.after is not None:
            raise PositionGone(str(scan.as_of))
        views = _now(scan.store, holdings)
        self._snapshots.keep(snapshot, scan.store, views)
        return views, replace(position, snapshot=snapshot)

    def _wait(self, question: Question, wanted: Position, holdings: Sequence[Holding]) -> None:
        def gone() -> list[int]:
            return [one.partition for one in holdings if self._reader.holdings.get(one.partition) is not one]

        def reached() -> bool:
            return all(holding.position is not None and holding.position.covers(wanted) for holding in holdings)

        if reached():
            return
        with self._tracker.urgently(), self._reader.turned:
            self._reader.turned.wait_for(lambda: gone() or reached(), question.timeout_ms / 1000)
            if gone():
                raise NobodyAnswers(question.store, gone(), "it is not held here any more")
            if reached():
                return
        there = reduce(Position.common, [holding.position or Position() for holding in holdings])
        lacking = PositionNotReached if self._tracker.told.covers(wanted) else PositionAhead
        raise lacking(str(wanted), str(there), question.timeout_ms)

    def _broken(self, store: str, holdings: Sequence[Holding], why: Exception) -> NobodyAnswers:
        """A replica was closed while it was asked, or its files cannot be read: then it is built anew."""
        current = [one for one in holdings if self._reader.holdings.get(one.partition) is one]
        self._reader.distrust([one.held[store].place for one in current], f"it cannot be read: {why}")
        return NobodyAnswers(store, [one.partition for one in holdings], "it was closed here")


def _now(store: str, holdings: Sequence[Holding]) -> Views:
    return {holding.partition: holding.replicas[store].now() for holding in holdings}
