"""What Kafka Streams 4.3.1 loses and headrace does not, rule by rule: see docs/reference/differences.md.

For a comparison headrace is made to lose the same. What it then writes has to be exactly what Kafka Streams wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from headrace.model.windows import JoinWindows, Window
from headrace.plan.nodes.windowed import SessionWindowed, WindowedAggregation
from headrace.state import stores
from headrace.state.session import SessionStore
from headrace.state.state import State
from headrace.state.window import WindowStore
from headrace.task.operators.foreign_key_join import ForeignKeyMatchOperator
from headrace.task.operators.session_windowed import SessionWindowedOperator
from headrace.task.operators.sliding_windowed import SlidingWindowedOperator
from headrace.task.operators.windowed import TimeWindowedOperator, WindowedOperator

Rule = Callable[[pytest.MonkeyPatch], None]


class Expired:
    """Counts what was put into a store too late to be kept: Kafka Streams has it among its dropped records."""

    def __init__(self) -> None:
        self.puts = 0
        self.of_both_sides: list[WindowStore] = []
        """The stores of self-joins: Kafka Streams, not asked to optimise, keeps one for each side, and counts twice."""


@contextmanager
def losing(rules: list[Rule]) -> Iterator[Expired]:
    """Lose what the rules say, and count what stores refuse."""
    expired = Expired()
    with pytest.MonkeyPatch.context() as patch:
        count_expired(patch, expired)
        for rule in rules:
            rule(patch)
        yield expired


def bound_of_a_join(patch: pytest.MonkeyPatch) -> None:
    """A record of a stream join is gone once its own side is before + after + grace further, and on that very bound."""
    patch.setattr(JoinWindows, "retention_ms", property(lambda self: self.before_ms + self.after_ms + self.grace_ms))


def short_retention(patch: pytest.MonkeyPatch) -> None:
    """Windows are gone the retention behind the newest, even if records that are not late look back at them.

    A cogroup lets such a window begin anew. What is sent on close is read when the record that closed it was written,
    from a store that keeps windows for one more millisecond, and sessions as long as their segment lives.
    """
    patch.setattr(WindowedAggregation, "kept_ms", property(lambda self: self.retention_ms + _by_time(self)))
    patch.setattr(WindowStore, "keeps", lambda _, __: True)
    patch.setattr(stores, "SessionStore", Sessions)
    advance = WindowedOperator.advance

    def time_alone(self: Any, record: Any) -> None:
        self.time.see(record.ts)
        self.moved = True

    def late(on_record: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
        def handle(self: Any, record: Any) -> None:
            self.moved = False
            on_record(self, record)
            if self.moved:
                advance(self, record)

        return handle

    patch.setattr(WindowedOperator, "advance", time_alone)
    for kind in (TimeWindowedOperator, SlidingWindowedOperator, SessionWindowedOperator):
        patch.setattr(kind, "on_record", late(kind.on_record))


def _by_time(node: WindowedAggregation) -> bool:
    return node.final and not isinstance(node, SessionWindowed)


class Sessions(SessionStore):
    """Finds sessions by the millisecond, but those that are over by the segment."""

    def __init__(self, state: State, name: str, retention_ms: int) -> None:
        super().__init__(state, name, _FOREVER)
        self.kafka_ms = retention_ms

    def find(self, key: bytes, earliest_end: int, latest_start: int) -> list[Any]:
        earliest = (
            earliest_end if self._kept.newest is None else max(earliest_end, self._kept.newest - self.kafka_ms + 1)
        )
        return super().find(key, earliest, latest_start)

    def ended(self, first: int, last: int) -> Iterator[Any]:
        for one in super().ended(first, last):
            if _lives(one[1].end, self._kept.newest, self.kafka_ms):
                yield one


def empty_rows(patch: pytest.MonkeyPatch) -> None:
    """An empty text on the right of a foreign key join has no bytes on its way, and is taken for no row."""
    kept = ForeignKeyMatchOperator._answer

    def lossy(self: Any, record: Any, subscription: Any, row: Any, ts: int) -> None:
        kept(self, record, subscription, None if row == "" else row, ts)

    patch.setattr(ForeignKeyMatchOperator, "_answer", lossy)


RULES: list[Rule] = [bound_of_a_join, short_retention, empty_rows]


def count_expired(patch: pytest.MonkeyPatch, expired: Expired) -> None:
    """Count what is put into a store behind the segments that live."""
    put_window, put_session = WindowStore.put, SessionStore.put

    def window(self: WindowStore, key: bytes, time: int, value: Any, *, ts: int) -> None:
        put_window(self, key, time, value, ts=ts)
        if not _lives(time, self._kept.newest, self._retention_ms):
            expired.puts += 2 if self in expired.of_both_sides else 1

    def session(self: SessionStore, key: bytes, session: Window, value: Any, *, ts: int) -> None:
        put_session(self, key, session, value, ts=ts)
        kept = self.kafka_ms if isinstance(self, Sessions) else self._retention_ms
        expired.puts += not _lives(session.end, self._kept.newest, kept)

    patch.setattr(WindowStore, "put", window)
    patch.setattr(SessionStore, "put", session)


def _lives(time: int, newest: int | None, retention_ms: int) -> bool:
    """Whether Kafka's store still has the segment that a time lies in: half the retention long, at least a minute."""
    segment = max(retention_ms // 2, 60_000)
    return newest is None or time // segment >= (newest - retention_ms) // segment


_FOREVER = 2**62
