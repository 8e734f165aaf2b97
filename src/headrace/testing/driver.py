"""Runs a topology record by record, in this process."""

from __future__ import annotations

import gc
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from headrace.dsl.builder import Builder
from headrace.errors import CannotRestart, DriverClosed, DriverFailed, HeadraceError, NotInTopology
from headrace.model.classes import Classes
from headrace.model.clock import SetClock
from headrace.model.durations import Duration, duration_ms
from headrace.model.moments import Moment
from headrace.model.record import Header, RawRecord
from headrace.passes.pipeline import rewrite
from headrace.plan.nodes import Changelog, Source, To
from headrace.plan.origin import origin
from headrace.serde import Serde
from headrace.state.codec import StateCodec
from headrace.state.faults import StateFault
from headrace.state.pickles import PickledState, Pickles
from headrace.task.loop import Loop
from headrace.testing.topics import InputTopic, OutputTopic, Written
from headrace.testing.views import views


class TopologyTestDriver:
    """An application without Spark and without a broker.

    Every topic has one partition. Each piped record is a batch of its own, so a table sends on its change at once;
    records piped inside `with driver.batch():` are one batch together. All records go through the serdes of the
    application, in and out, and what is written to a topic that the application also reads comes back as a batch of
    its own. A failure is raised by the `pipe` that caused it, and then the application has stopped: nothing can be
    piped any more. The time of day stands still at `now_ms` until `advance_wall_clock`.

    >>> import headrace as hr
    >>> app = hr.App("shout")
    >>> app.stream("words", value=hr.STRING).map_values(lambda word: word.upper()).to("loud")
    >>> with hr.testing.TopologyTestDriver(app) as driver:
    ...     driver.input("words").pipe("hey")
    ...     driver.output("loud").read()
    (None, 'HEY')
    """

    def __init__(self, app: Builder, *, now_ms: int = 0) -> None:
        self._clock = SetClock(now_ms)
        self._loop = Loop(rewrite(app.plan()), self._clock)
        self._changelogs = {str(node.topic) for node in self._loop.plan.of(Changelog)}
        self._inputs: dict[str, InputTopic] = {}
        self._offsets: dict[str, int] = {}
        self._reads: dict[str, bool] = {}
        self._batch: list[RawRecord] | None = None
        self._written: dict[str, Written] = {}
        self._views = self._opened()
        self._closed = False
        self._failure: BaseException | None = None
        rule = getattr(app, "pickled_state", PickledState.SIGN)  # of an App, not of a topology by hand
        self._codec = StateCodec(Classes.here(), Pickles(rule, secrets.token_bytes()))
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
            found = InputTopic(topic, key or source.key, value or source.value, self._pipe)
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
        return OutputTopic(topic, self._written.setdefault(topic, Written()), key, value)

    def store(self, name: str) -> Any:
        """What a store holds now: a `StoreView`, or a store of processors as they see it themselves."""
        if name not in self._views:
            raise NotInTopology(self._loop.plan.app, f"have a store {name!r}", _there("has", self._views))
        return self._views[name]

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
            state = self._loop.state.copied(self._codec)
        except StateFault as exc:
            raise CannotRestart(self._loop.plan.app, exc.reason, exc.fix) from exc
        before = self._loop
        try:
            before.close()
            self._loop = Loop(before.plan, self._clock, state=state, drops=before.drops)
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
        collected: list[RawRecord] = []
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
        """What went through so far: written and unread records, and drops."""
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
        return {**views(self._loop), **self._loop.processor_stores()}

    def _pipe(self, topic: str, key: bytes | None, value: bytes | None, ts: int, headers: tuple[Header, ...]) -> None:
        if self._ended:
            self._check_open(f"piping into topic {topic!r}")
        raw = self._placed(topic, key, value, ts, headers)
        if self._batch is None:
            self._run([raw])
        else:
            self._batch.append(raw)

    def _run(self, batch: list[RawRecord]) -> None:
        with _not_collecting():
            again = self._ran(batch)
            while again:
                again = self._ran(again)

    def _ran(self, batch: list[RawRecord]) -> list[RawRecord]:
        """What a batch writes to topics that the application also reads: the next batch."""
        try:
            found = self._loop.run(batch)
        except BaseException as exc:
            self._stop(exc)
            raise
        again = []
        for one in found:
            raw = one[1]
            topic = raw.topic
            try:
                written, read = self._written[topic], self._reads[topic]
            except KeyError:
                written, read = self._first(topic)
            written.add(one)
            if read:
                again.append(self._placed(topic, raw.key, raw.value, raw.ts, raw.headers))
        return again

    def _first(self, topic: str) -> tuple[Written, bool]:
        """Where to put the records of a topic, and whether the application reads them."""
        try:
            self._loop.source_of(topic)
        except NotInTopology:
            self._reads[topic] = False
        else:
            self._reads[topic] = True
        return self._written.setdefault(topic, Written()), self._reads[topic]

    def _placed(
        self, topic: str, key: bytes | None, value: bytes | None, ts: int, headers: tuple[Header, ...]
    ) -> RawRecord:
        """A record at the end of a topic."""
        offset = self._offsets.get(topic, 0)
        self._offsets[topic] = offset + 1
        return RawRecord(topic, ts, key, value, headers, f"{topic}-0@{offset}")


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
