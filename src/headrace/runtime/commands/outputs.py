"""Outputs of an application, read back while it runs."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING

from headrace.errors import NothingToCount
from headrace.log.follow import BEGINNING, Follower
from headrace.log.topics import Topics
from headrace.model.rows import Row, Rows
from headrace.plan.graph import Plan
from headrace.plan.nodes import Changelog, DeadLetters, To
from headrace.runtime.life.console import lines_on_console
from headrace.runtime.life.foreground import Foreground
from headrace.runtime.viewing import broker_of

if TYPE_CHECKING:
    from headrace.runtime.app import App

_WAIT_S = 0.2
_AT_ONCE = 1_000


def rows_of_run(app: App, plan: Plan, count: int | None, limit_ms: int | None) -> Rows:
    """Run an application until so many records were written, or for so long, and give these records back."""
    wanted = math.inf if count is None else count
    limit_s = math.inf if limit_ms is None else limit_ms / 1000
    started = math.nan

    def enough() -> bool:
        nonlocal started
        started = time.monotonic() if math.isnan(started) else started
        outputs.look()
        return len(outputs.rows) >= wanted or time.monotonic() - started >= limit_s

    with lines_on_console(), broker_of(app) as address, closing(Outputs(plan, address, app.kafka)) as outputs:
        Foreground([app], enough).run(None)
        while len(outputs.rows) < wanted and outputs.look():
            pass  # what the last batch has written
        return Rows(outputs.rows[:count], note="" if outputs.rows else "nothing was written")


class Outputs:
    """The records that come to the topics of an application's sinks from now on; changelogs are none of them."""

    def __init__(self, plan: Plan, address: str, kafka: Mapping[str, str]) -> None:
        sinks = [to for to in plan.of(To) if not isinstance(to, Changelog | DeadLetters)]
        self._sinks = {to.topic: to for to in sinks if isinstance(to.topic, str)}
        if not self._sinks:
            raise NothingToCount(plan.app)
        self._topics, self._follower = Topics(address, kafka), Follower(address, kafka)
        self._starts = {
            (topic, partition): offset
            for topic, count in self._topics.partitions(self._sinks).items()
            if count is not None
            for partition, offset in self._topics.end_offsets(topic).items()
        }
        self._follower.follow(self._starts)
        self.rows: list[Row] = []

    def look(self) -> bool:
        """Read what has come; whether anything has."""
        self._follow_new_topics()
        before = len(self.rows)
        for (topic, _), chunk in self._follower.read(_AT_ONCE, _WAIT_S).items():
            if chunk.failed is not None:
                raise chunk.failed
            key, value = self._sinks[topic].read_with()
            self.rows += [Row(key.decode(k), value.decode(v), ts, topic) for _, ts, k, v in chunk.records]
        return len(self.rows) > before

    def _follow_new_topics(self) -> None:
        """Topics that were made meanwhile are read from their beginnings."""
        missing = self._sinks.keys() - {topic for topic, _ in self._starts}
        if missing:
            counts = self._topics.partitions(missing)
            made = {(topic, one): BEGINNING for topic, count in counts.items() for one in range(count or 0)}
            self._starts |= made
            self._follower.follow(made)

    def close(self) -> None:
        """Let go of the broker."""
        self._follower.close()
