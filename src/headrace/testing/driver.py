"""Topology test driver: runs a topology record by record, in this process."""

from __future__ import annotations

import gc
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from headrace.build.serdes import bound_serde
from headrace.dsl.builder import Builder
from headrace.errors import CannotRestart, DriverClosed, DriverFailed, HeadraceError, NotInTopology, OptionInvalid
from headrace.log.partitioner import partition_of
from headrace.model.classes import Classes
from headrace.model.clock import SetClock
from headrace.model.durations import Duration, duration_ms
from headrace.model.moments import Moment
from headrace.model.record import Header, RawRecord
from headrace.passes.pipeline import rewrite
from headrace.plan.nodes import Changelog, Source, To
from headrace.plan.origin import origin
from headrace.serde import Serde, Side
from headrace.state.codec import StateCodec
from headrace.state.faults import StateFault
from headrace.state.pickles import PickledState, Pickles
from headrace.state.state import MemoryState
from headrace.task.loop import Loop
from headrace.testing.topics import InputTopic, OutputTopic, Written
from headrace.testing.views import StoreView, views

Placed = tuple[RawRecord, int]
"""A record, and the partition of its topic that it is in."""


class TopologyTestDriver:
    """An application without Spark and without a broker.

    Every topic has one partition, or as many as `partitions` says, and so many tasks, each with stores and a stream
    time of its own. Each piped record is a batch of its own, so a table sends on its change at once; records piped
    inside `with driver.batch():` are one batch together, which settles as on Spark. All records go through the serdes
    of the application, in and out, and what is written to a topic that the application also reads comes back as a batch
    of its own. A failure is raised by the `pipe` that caused it, and then the application has stopped: nothing can be
    piped any more. The time of day stands still at `now_ms` until `advance_wall_clock`.

    >>> import headrace as hr
    >>> app = hr.App("shout")
    >>> app.stream("words", value=hr.STRING).map_values(lambda word: word.upper()).to("loud")
    >>> with hr.testing.TopologyTestDriver(app) as driver:
    ...     driver.input("words").pipe("hey")
    ...     driver.output("loud").read()
    (None, 'HEY')
    """

    def __init__(self, app: Builder, *, now_ms: int = 0, partitions: int = 1) -> None:
        if type(partitions) is not int or partitions < 1:
            raise OptionInvalid("partitions", partitions, "how many each topic has, 1 or more", origin())
        self._clock = SetClock(now_ms)
        rule = getattr(app, "pickled_state", PickledState.SIGN)  # of an App, not of a topology by hand
        self._codec = StateCodec(Classes.here(), Pickles(rule, secrets.token_bytes()))
        self._states = [MemoryState() for _ in range(partitions)]
        self._loop = Loop(rewrite(app.plan()), self._clock, states=self._states)
        self._changelogs = {str(node.topic) for node in self._loop.plan.of(Changelog)}
        self._inputs: dict[str, InputTopic] = {}
        self._offsets: dict[tuple[str, int], int] = {}
        self._keyless: dict[str, int] = {}
        """How many records without a key a topic has, which take turns among its partitions."""
        self._reads: dict[str, bool] = {}
        self._batch: list[Placed] | None = None
        self._written: dict[str, Written] = {}
        self._views = self._opened()
        self._closed = False
        self._failure: BaseException | None = None
        self._ended = False
        """Whether it is closed or has failed."""

    def input(
        self,
        topic: str,
        *,
        start: Moment | None = None,
        advance: Duration | None = None,
        key: Serde[Any] | None = None,
        value: Serde[Any] | None = None,
    ) -> InputTopic:
        """A topic that the application reads, to pipe records into.

        It has a time of its own: a record that is piped without one gets the topic's, which then moves on by `advance`.
        Without `start` and `advance` it is where the last use of this topic left it, at first 0 and standing still.
        With a serde of your own you can write what the application cannot read; such an input has a time of its own.
        """
        source = self._loop.source_of(topic)
        own = key is not None or value is not None
        found = None if own else self._inputs.get(topic)
        if found is None:
            keys = source.key if key is None else bound_serde(key, topic, Side.KEY, origin())
            values = source.value if value is None else bound_serde(value, topic, Side.VALUE, origin())
            found = InputTopic(topic, keys, values, self._pipe)
            if not own:
                self._inputs[topic] = found
        found.set_time(start, advance)
        return found

    def output(self, topic: str, *, key: Serde[Any] | None = None, value: Serde[Any] | None = None) -> OutputTopic:
        """A topic that the application writes, to read what came out; with serdes of your own if you give them.

        Changelogs of stores are among them: `driver.output("shop-counts-changelog")`.
        """
        targets = [node.topic for node in self._loop.plan.of(To)]
        named = [target for target in targets if isinstance(target, str)]
        if topic not in named and len(named) == len(targets):  # one that is chosen per record may be any
            listed = [name for name in named if name not in self._changelogs]
            raise NotInTopology(self._loop.plan.app, f"write topic {topic!r}", _there("writes", listed))
        keys = None if key is None else bound_serde(key, topic, Side.KEY, origin())
        values = None if value is None else bound_serde(value, topic, Side.VALUE, origin())
        return OutputTopic(topic, self._written.setdefault(topic, Written()), keys, values)

    def store(self, name: str, *, partition: int | None = None) -> Any:
        """Contents of a store now: a `StoreView`, or a store of processors as they see it themselves.

        With several partitions, that of one, or of a table that of all; a store of processors is always one's.
        """
        if name not in self._views:
            raise NotInTopology(self._loop.plan.app, f"have a store {name!r}", _there("has", self._views))
        count = len(self._loop.partitions)
        if partition is None:
            found = self._views[name]
            if count > 1 and not isinstance(found, StoreView):
                raise OptionInvalid("partition", None, f"one of 0 to {count - 1}: each has a store {name!r}", origin())
            return found
        self._check_partition(partition)
        return {**views(self._loop, partition), **self._loop.partitions[partition].processor_stores()}[name]

    @property
    def stores(self) -> list[str]:
        """The names of all stores that can be looked into."""
        return sorted(self._views)

    @property
    def topics_written(self) -> list[str]:
        """The topics that records were written to, in the order of their first ones; changelogs are left out."""
        return list(self._outputs())

    @property
    def dropped(self) -> dict[tuple[str, str], int]:
        """How many records were dropped, by node and reason: `{("counts", "no key"): 2}`."""
        return self._loop.drops.counts()

    def advance_wall_clock(self, by: Duration) -> None:
        """Let the time of day move on: `"30s"` or a `timedelta`. It stands still otherwise."""
        self._check_open("advancing the clock")
        self._clock.set(self._clock.now_ms() + duration_ms("by", by, origin()))
        self._run([])

    def restart(self) -> None:
        """Close the application and start it again with its state, as it would be in another process.

        Nothing but the state survives: stores, and what operators remember beside them, such as stream time and records
        that wait. Processors are made anew. Topics and the counts of drops stay; ask for a `store` again.
        """
        self._check_open("a restart")
        try:
            states = [state.copied(self._codec) for state in self._states]
        except StateFault as exc:
            raise CannotRestart(self._loop.plan.app, exc.reason, exc.fix) from exc
        before = self._loop
        try:
            before.close()
            self._loop = Loop(before.plan, self._clock, states=states, drops=before.drops)
            self._states = states
        except BaseException as exc:
            self._stop(exc)
            raise
        self._views = self._opened()

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Make one batch of all records that are piped inside; one inside another is a part of it."""
        self._check_open("a batch")
        if self._batch is not None:
            yield
            return
        collected: list[Placed] = []
        self._batch = collected
        try:
            yield
        finally:
            self._batch = None
        self._run(collected)

    def close(self) -> None:
        """End the test: nothing can be piped any more. What was written and stored can still be read."""
        if not self._closed:
            self._closed = self._ended = True
            self._loop.close()

    def __enter__(self) -> TopologyTestDriver:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        """Summary of what went through so far: written and unread records, and drops."""
        plan = self._loop.plan
        read = [source.pattern or ", ".join(source.topics) for source in plan.of(Source)]
        wrote = [
            f"{topic}: {written.count} written, {len(written)} unread" for topic, written in self._outputs().items()
        ]
        drops = [f"{node}: {count} dropped, {reason}" for (node, reason), count in self.dropped.items()]
        state = "closed driver" if self._closed else "failed driver" if self._failure else "driver"
        return "\n  ".join([f"<{state} of {plan.app!r}, reads {', '.join(read)}", *wrote, *drops]) + ">"

    def _outputs(self) -> dict[str, Written]:
        written = self._written.items()
        return {topic: one for topic, one in written if one.count and topic not in self._changelogs}

    def _check_open(self, what: str) -> None:
        if self._closed:
            raise DriverClosed(self._loop.plan.app, what)
        if self._failure is not None:
            raise DriverFailed(self._loop.plan.app, what, _said(self._failure)) from self._failure

    def _stop(self, failure: BaseException) -> None:
        self._failure, self._ended = failure, True

    def _opened(self) -> dict[str, Any]:
        return {**views(self._loop), **self._loop.partitions[0].processor_stores()}

    def _pipe(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        ts: int,
        headers: tuple[Header, ...],
        partition: int | None,
    ) -> None:
        if self._ended:
            self._check_open(f"piping into topic {topic!r}")
        if partition is not None:
            self._check_partition(partition)
        placed = self._placed(RawRecord(topic, ts, key, value, headers), partition)
        if self._batch is None:
            self._run([placed])
        else:
            self._batch.append(placed)

    def _check_partition(self, partition: int) -> None:
        count = len(self._loop.partitions)
        if type(partition) is not int or not 0 <= partition < count:
            raise OptionInvalid("partition", partition, f"one of the {count} there are, from 0 on", origin())

    def _run(self, batch: list[Placed]) -> None:
        with _not_collecting():
            again = self._ran(batch)
            while again:
                again = self._ran(again)

    def _ran(self, batch: list[Placed]) -> list[Placed]:
        """Run a batch, and give what it writes to topics that the application also reads: the next batch."""
        try:
            found = self._loop.run([raw for raw, _ in batch], [partition for _, partition in batch])
        except BaseException as exc:
            self._stop(exc)
            raise
        again = []
        chosen = self._loop.chosen
        for place, one in enumerate(found):
            raw = one[1]
            topic = raw.topic
            try:
                written, read = self._written[topic], self._reads[topic]
            except KeyError:
                written, read = self._first(topic)
            written.add(one)
            if read:
                again.append(self._placed(raw, chosen.get(place)))
        return again

    def _first(self, topic: str) -> tuple[Written, bool]:
        """Queue for the records of a topic, and whether the application reads them."""
        try:
            self._loop.source_of(topic)
        except NotInTopology:
            self._reads[topic] = False
        else:
            self._reads[topic] = True
        return self._written.setdefault(topic, Written()), self._reads[topic]

    def _placed(self, raw: RawRecord, partition: int | None) -> Placed:
        """A record at the end of a partition of its topic: of that one, or of that of its key."""
        topic, count = raw.topic, len(self._loop.partitions)
        if partition is None:
            partition = 0 if count == 1 else self._partition_of(topic, raw.key, count)
        offset = self._offsets.get((topic, partition), 0)
        self._offsets[topic, partition] = offset + 1
        return RawRecord(topic, raw.ts, raw.key, raw.value, raw.headers, f"{topic}-{partition}@{offset}"), partition

    def _partition_of(self, topic: str, key: bytes | None, count: int) -> int:
        if key is not None:
            return partition_of(key, count)
        self._keyless[topic] = self._keyless.get(topic, -1) + 1
        return self._keyless[topic] % count


@contextmanager
def _not_collecting() -> Iterator[None]:
    """Leave the garbage collector out: what a batch makes stays, and would be gone through again and again."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _said(failure: BaseException) -> str:
    """A failure in one line."""
    return failure.what if isinstance(failure, HeadraceError) else f"{type(failure).__name__}: {failure}"


def _there(has: str, names: Iterable[str]) -> str:
    return f"it {has} {', '.join(names) or 'none'}"
