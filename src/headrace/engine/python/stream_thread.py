"""Stream thread: polls, processes and commits, all tasks of an application in one loop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence

from headrace.engine.changelogs import state_topic
from headrace.engine.layout import CheckpointLayout
from headrace.engine.port import EngineSpec
from headrace.engine.python.changelog import layout_record
from headrace.engine.python.head_order import HeadOrder, by_names
from headrace.engine.python.state import LoggedState
from headrace.engine.python.written import Writing
from headrace.engine.topics import topics_of
from headrace.log.groups import Group
from headrace.log.input import Fetched, Input, Place
from headrace.log.output import Output
from headrace.log.partitioner import partition_of
from headrace.log.topics import Topics
from headrace.model.batches import Batch, StageWork
from headrace.model.record import RawRecord
from headrace.plan.graph import Plan
from headrace.plan.nodes import Source, Start
from headrace.task.drops import Drops
from headrace.task.loop import Loop

_IDLE_S = 0.1
_LOOK_S = 5.0
"""So often is looked for new topics of patterns."""


class StreamThread:
    """Runs a plan from its positions on, commit after commit.

    What fails ends it: what was not committed never was, and the next one begins from the last commit.
    """

    def __init__(
        self,
        spec: EngineSpec,
        plan: Plan,
        layout: CheckpointLayout,
        states: Sequence[LoggedState],
        topics: Topics,
        input_: Input,
        output: Output,
        tell: Callable[[Batch], None],
    ) -> None:
        self._spec, self._plan, self._layout, self._states = spec, plan, layout, states
        self._topics, self._input, self._output, self._tell = topics, input_, output, tell
        self._writing = Writing(topics, output, create=spec.embedded)
        self._drops = Drops()
        self._loop = Loop(plan, spec.clock, states=states, drops=self._drops, partitions_of=self._writing.partitions_of)
        ranks = {topic: number for number, topic in enumerate(t for one in plan.of(Source) for t in one.topics)}
        self._order = HeadOrder(by_names(ranks), input_.lag)
        self._sources: dict[str, Source] = {}
        self._done: dict[Place, int] = {}
        """The offset behind the last record of each partition that was processed."""
        self._ends: dict[Place, int] | None = None
        self._first: list[Place] = []
        """Partitions of global tables that are read before all others."""
        self._finishing, self._stopping = threading.Event(), threading.Event()
        self._commit_s = spec.commit_ms / 1000
        self._group = input_.group
        """Asked for once: it does not change, for nobody joins the group."""
        self._number, self._read, self._counted = 0, 0, dict[tuple[str, str], int]()
        self._told_layout = False
        self._dirty = False
        """Whether anything was processed since the last commit."""
        self.committing_since: float | None = None
        """When the commit began that is not done yet."""
        self._due_ms = 0
        """When the time of day matters next: at the start it does."""

    def begin(self, *, until_latest: bool) -> None:
        """Find where to begin, and begin to fetch from there."""
        self._add(self._plan.of(Source))
        if until_latest:
            ends = {topic: self._topics.end_offsets(topic, committed=True) for topic in self._sources}
            self._ends = {(topic, number): end for topic, there in ends.items() for number, end in there.items()}

    def finish(self) -> None:
        """Commit what was processed, and end."""
        self._finishing.set()

    def stop(self) -> None:
        """End without a commit."""
        self._stopping.set()

    def run(self) -> None:
        """Poll, process and commit until it is to end."""
        try:
            self._process([])
            self._load_global_tables()
            self._loop_on()
        except BaseException:
            self._stopping.set()
            raise
        finally:
            self._loop.close()
            if self._stopping.is_set():
                self._output.abort()
            self._input.close()

    # -- the loop

    def _loop_on(self) -> None:
        commit_at = began = time.monotonic()
        look_at = began + _LOOK_S
        while not self._stopping.is_set():
            now = time.monotonic()
            ended = self._finishing.is_set() or self._at_the_end()
            if ended or (self._dirty and now >= commit_at):
                self._commit(began)
                began = time.monotonic()
                commit_at = began + self._commit_s
                if ended:
                    return
            if now >= look_at:
                self._look_for_topics()
                look_at = now + _LOOK_S
            self._poll(max(0.0, commit_at - now) if self._dirty else _IDLE_S)
            self._process(self._order.take(time.monotonic()))

    def _poll(self, seconds: float) -> None:
        self._output.check()
        if self._order.full:
            return
        due_s = (self._due_ms - self._spec.clock.steady_ms()) / 1000
        for record in self._input.fetch(min(seconds, _IDLE_S, max(due_s, 0.0))):
            end = self._ends.get(record.place) if self._ends is not None else None
            if end is None or record.offset < end:
                self._order.put(record)

    def _process(self, records: Sequence[Fetched]) -> None:
        """Process records, or only the time of day if that matters by now."""
        if not records and self._due_ms > self._spec.clock.steady_ms():
            return
        self._dirty = True
        written = self._loop.feed(map(_raw, records), map(self._task_of, records))
        self._writing.write(written, self._loop.chosen)
        self._due_ms = self._loop.due_ms()
        self._read += len(records)
        for record in records:
            self._done[record.place] = record.offset + 1

    def _commit(self, began: float) -> None:
        began_commit = self.committing_since = time.monotonic()
        self._writing.write(self._loop.settle(), self._loop.chosen)
        topic, logged = state_topic(self._plan.app), 0
        for number, state in enumerate(self._states):
            for key, data in state.changes():
                self._output.log(topic, key, data, number)
                logged += 1
        if not self._told_layout:
            self._output.log(topic, *layout_record(self._layout), 0)
            self._told_layout = True
        self._output.commit(self._done, self._group)
        self._dirty, self.committing_since = False, None
        self._report(began, began_commit, logged)

    def _report(self, began: float, began_commit: float, logged: int) -> None:
        now, counts = time.monotonic(), self._drops.counts()
        out, rows, letters = self._writing.counted()
        commit_ms = int((now - began_commit) * 1000)
        self._tell(
            Batch(
                number=self._number,
                records_in=self._read,
                records_out=out,
                rows_logged=rows + logged,
                dead_letters=letters,
                duration_ms=int((now - began) * 1000),
                parts_ms={"commit": commit_ms},
                stages=(
                    StageWork(
                        number=1,
                        records_in=self._read,
                        records_out=out,
                        state_rows=sum(state.rows() for state in self._states),
                        state_bytes=0,
                        commit_ms=commit_ms,
                    ),
                ),
                drops={place: count - self._counted.get(place, 0) for place, count in counts.items()},
                positions=dict(self._done),
                lag={place: self._input.lag(place) for place in self._done},
            )
        )
        self._number, self._read, self._counted = self._number + 1, 0, counts

    # -- partitions

    def _add(self, sources: Iterable[Source]) -> None:
        """Fetch the topics of sources, from the positions of the group or from where the source begins."""
        starts: dict[Place, int] = {}
        for source in sources:
            for topic in topics_of([source], self._topics):
                if topic not in self._sources:
                    self._sources[topic] = source
                    starts |= self._starts(topic, source)
        for place in starts:
            self._order.add(place)
        self._done |= starts
        self._input.add(starts)
        self._dirty = self._dirty or bool(starts)

    def _starts(self, topic: str, source: Source) -> dict[Place, int]:
        begins = self._topics.begin_offsets(topic)
        known = Group(self._spec.app, self._topics.address, self._spec.kafka).among((topic, one) for one in begins)
        latest = source.start is Start.LATEST and len(known) < len(begins)
        first = self._topics.end_offsets(topic, committed=True) if latest else begins
        return {(topic, one): known.get((topic, one), first[one]) for one in begins}

    def _look_for_topics(self) -> None:
        self._add(source for source in self._plan.of(Source) if source.pattern)

    def _load_global_tables(self) -> None:
        """Read global tables up to their ends before any record that looks something up there."""
        tables = {topic for topic, source in self._sources.items() if source.facts.everywhere}
        others = [place for place in self._done if place[0] not in tables]
        if not tables or not others:
            return
        ends = {topic: self._topics.end_offsets(topic, committed=True) for topic in tables}
        left = {(topic, number): end for topic, there in ends.items() for number, end in there.items()}
        self._input.pause(others)
        while left and not (self._stopping.is_set() or self._finishing.is_set()):
            records = list(self._input.fetch(_IDLE_S))
            self._process([record for record in records if record.place[0] in tables])
            for record in records:
                if record.place[0] not in tables:
                    self._order.put(record)
            left = {place: end for place, end in left.items() if self._input.passed(place) < end}
        self._input.resume(others)

    def _at_the_end(self) -> bool:
        """Whether all is processed that was there at the start, if that is the end."""
        if self._ends is None or len(self._order):
            return False
        return all(self._input.passed(place) >= end for place, end in self._ends.items())

    def _task_of(self, record: Fetched) -> int:
        """The task of a record: that of its partition, or of its key where topics differ in their partitions."""
        (topic, number), tasks = record.place, len(self._states)
        source = self._sources[topic]
        if record.key is not None and self._layout.sources.get(source.name, {}) is None:
            try:
                key = source.output().key.store_serde().write(source.key.read(record.key))
            except ValueError:  # told when it is read
                key = record.key
            return partition_of(key, tasks)
        return number % tasks


def _raw(record: Fetched) -> RawRecord:
    (topic, number), offset, ts, key, value, headers = record
    return RawRecord.made(topic, ts, key, value, headers, f"{topic}-{number}@{offset}")
