"""Supervision of an application: its engine is started, begun again after failures, reported on, and ended."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

from headrace.engine.port import Engine, EngineSpec, Prepared
from headrace.engine.resumption import Restoring
from headrace.engine.topics import written_topics
from headrace.errors import HeadraceError, NotAllowed, QueryFailed, TopicGone, TopicMissing
from headrace.log.groups import Group
from headrace.log.topics import Topics
from headrace.model.deadline import Deadline
from headrace.observe.history import History
from headrace.observe.metrics import Metrics
from headrace.plan.graph import Plan
from headrace.plan.nodes import Changelog, Source, To
from headrace.runtime.life.broker_lease import BrokerLease
from headrace.runtime.life.broker_watch import BrokerWatch
from headrace.runtime.life.positions import Positions
from headrace.runtime.life.queries import Queries
from headrace.runtime.life.retries import Retries
from headrace.runtime.life.states import State
from headrace.runtime.preflight.preflight import preflight, preflight_here

if TYPE_CHECKING:
    from headrace.runtime.app import App

_LOOK_S = 1.0
_REPLICAS = "replicas"
_LAST_WORDS_S = 10.0
_FOR_THE_BATCH, _FOR_STOPPING = 0.6, 0.8
"""The parts of the time for closing that are over when a batch is broken off, and when the engine is ended."""

_NAMED = 8


class Supervisor:
    """The broker's lease, the engine and the queries of one run of an application.

    An engine that fails of something that may pass is begun again, see `Retries`.
    """

    def __init__(self, app: App, engine: Engine, spec: EngineSpec) -> None:
        self._app, self._engine, self._spec = app, engine, spec
        self._held = ExitStack()
        self._broker = BrokerLease(app.broker, app.say)
        self._metrics, self._counting = Metrics(app=app.id), threading.Lock()
        self._history = History()
        self._untold: deque[Metrics] = deque()
        self._watching: threading.Thread | None = None
        self._retries = Retries(app.retry_ms)
        self._finishing, self._over = threading.Event(), threading.Event()
        self.failure: HeadraceError | None = None
        self.queries: Queries | None = None

    def start(self, plan: Plan, *, until_latest: bool) -> None:
        """Bring everything up."""
        note = preflight_here(plan, self._engine, self._spec)
        self._held.callback(self._broker.leave)
        self._engine.take()
        self._held.callback(self._engine.release)
        if plan.of(Changelog) and not until_latest:
            self.queries = Queries(self._app.id, self._app.serve, self._app.say)
            self._held.callback(self._close_queries)
        begin = partial(self._begin, plan, until_latest=until_latest)
        begin()
        if self._engine.resumption is not None:
            self._app.say(str(self._engine.resumption))
        self._watching = threading.Thread(target=self._see_to_the_end, args=(begin,), daemon=True)
        self._watching.start()
        self._held.callback(self._watching.join, _LAST_WORDS_S)
        self._held.callback(self._stop)
        self._app.say(f"running, {_route(plan)}")
        if note is not None:
            self._app.say(note)
        self._start_queries()

    @property
    def goes_on(self) -> bool:
        """Whether it has gone on from what an earlier run has kept."""
        return self._engine.resumption is not None

    @property
    def calls(self) -> bool:
        """Whether whoever asks was called by it, as listeners are: it goes on, and ends, when they have returned."""
        return threading.current_thread() is self._watching

    def wait(self, timeout: float | None) -> bool:
        """Wait until it is over; False if the time ran out first."""
        return self._over.wait(0 if self.calls else timeout)

    def finish(self, deadline: Deadline) -> None:
        """Let the engine finish what is on its way; what takes too long is broken off."""
        self._finishing.set()
        if self._watching is None:
            return
        self._engine.finish()
        if not self._over.wait(deadline.left(_FOR_THE_BATCH)):
            why = f": no Kafka broker answers at {self._topics.address}" if self._watch.away else ""
            self._app.say(
                f"the batch was not done within {deadline.gone:.0f} s{why}; it is broken off, and the next start goes"
                " on from the last finished one"
            )
            threading.Thread(target=self._stop, daemon=True).start()
            self._over.wait(deadline.left(_FOR_STOPPING))
        if not self._over.is_set():
            self.kill()
            self._over.wait(deadline.left())

    def kill(self) -> None:
        """End at once whatever the engine waits for: whoever waits for it fails then."""
        self._engine.kill()

    def end_by(self, deadline: Deadline) -> None:
        """The process is told to end: the engine has until then to end by itself."""
        self._engine.end_by(deadline)

    def release(self, deadline: Deadline | None = None) -> None:
        """Give everything back, last taken first; the engine has until then."""
        rest = threading.Timer(deadline.left(), self.kill) if deadline is not None else None
        if rest is not None:
            rest.daemon = True
            rest.start()
        try:
            self._held.close()
        finally:
            if rest is not None:
                rest.cancel()

    def metrics(self) -> Metrics:
        """Metrics since the start."""
        with self._counting:
            for batch in self._engine.progress():
                self._metrics = self._metrics.plus(batch)
                self._history.add(batch)
                self._retries.succeed()
                self._untold.append(self._metrics)
        return self._metrics

    # -- one try

    def _begin(self, plan: Plan, *, until_latest: bool) -> None:
        """Start the engine, after all that can refuse it."""
        self._topics = Topics(self._broker.join(), self._app.kafka)
        asked, served = self.queries is not None, self._app.serve is not None
        self._prepared: Prepared = preflight(plan, self._engine, self._spec, self._topics, asked=asked, served=served)
        written = written_topics(plan, self._spec.letters)
        self._watch = BrokerWatch(self._topics, written, self._prepared.changelogs, self._broker.lost, self._app.say)
        self._engine.start(self._prepared, until_latest=until_latest)

    def _see_to_the_end(self, begin: Callable[[], None]) -> None:
        """See the engine through, and each that is begun in its place, until it is over for good."""
        try:
            failure = self._see_through()
            while failure is not None and (pause := self._retries.pause(failure)) is not None:
                if self._finishing.is_set():
                    self._app.say(f"{failure.what}; the next start goes on from the last finished batch")
                    failure = None
                    break
                self._app.turn(State.RETRYING)
                self._history.restarted()
                self._app.say(f"{failure.what}; trying again in {pause:.0f} s")
                failure = None if self._finishing.wait(pause) else self._again(begin)
            self.failure = failure
            self._look()
        except Exception as exc:
            self.failure = QueryFailed(self._app.id, f"{type(exc).__name__}: {exc}", self._engine.log)
        finally:
            self._over.set()

    def _again(self, begin: Callable[[], None]) -> HeadraceError | None:
        """Begin again; what this time it failed of."""
        asked = self._asks()
        try:
            begin()
        except TopicMissing as missing:
            # What was written until now may be made again; what was read is another topic then.
            gone = set(missing.topics) <= self._watch.written
            return TopicGone(missing.topics, self._topics.address) if gone else missing
        except HeadraceError as error:
            return error
        if self._finishing.is_set():
            self._engine.finish()
        self._app.turn(State.RUNNING)
        self._app.say("running again")
        if self.queries is not None and self._asks() != asked:
            self._ask_anew()
        return self._see_through()

    def _see_through(self) -> HeadraceError | None:
        """Wait for the end of the engine, and say how far it has come; what it failed of."""
        with self._watch.while_running(self._engine.stop):
            failure = self._follow()
        return self._watch.failure or failure

    def _follow(self) -> HeadraceError | None:
        engine, before = self._engine, self._metrics.last
        published = None
        if not engine.commits_positions:
            published = Positions(Group(self._app.id, self._topics.address, self._app.kafka), self._app.say)
        restoring = Restoring(self._app.say) if engine.resumption is not None else None
        ended = False
        while not ended:
            ended = engine.wait(0 if self._untold else _LOOK_S)
            last = self._look().last  # often enough: an engine may remember the last hundred batches only
            if restoring is not None and last is not None and last is not before:
                restoring.end(last.duration_ms)
                restoring = None
            elif restoring is not None:
                restoring.look(*engine.restored())
            if last is None:
                continue
            if self.queries is not None:
                self.queries.note(last.positions)
            if published is not None:
                try:
                    published.publish(last)
                except NotAllowed as denied:
                    engine.stop()
                    return denied
        return engine.failure()

    def _look(self) -> Metrics:
        """Metrics since the start, once listeners know of each batch; this thread alone tells them, in order."""
        found = self.metrics()
        while self._untold:
            self._app.tell(self._untold.popleft())
        return found

    def _stop(self) -> None:
        self._finishing.set()
        self._engine.stop()

    # -- queries

    def _asks(self) -> tuple[str, frozenset[str]]:
        """Changelogs of the stores that can be queried."""
        return self._topics.address, frozenset(node.table for node in self._prepared.plan.of(Changelog))

    def _ask_anew(self) -> None:
        """The broker has moved, or a changelog was left out: what is left is asked where it is."""
        self._close_queries()
        if self._prepared.plan.of(Changelog):
            try:
                self.queries = Queries(self._app.id, self._app.serve, self._app.say)
                self._start_queries()
            except HeadraceError as error:
                self._app.say(f"no queries: {error.what}")

    def _start_queries(self) -> None:
        if self.queries is not None:
            directory, plan = self._spec.place.directory / _REPLICAS, self._prepared.plan
            families = lambda: self._metrics.families()  # noqa: E731
            self.queries.start(plan, self._topics.address, self._app.kafka, directory, families, self._history)

    def _close_queries(self) -> None:
        if self.queries is not None:
            self.queries.close()
        self.queries = None


def _route(plan: Plan) -> str:
    read = [name for source in plan.of(Source) for name in (source.topics or (str(source.pattern),))]
    sinks = [to for to in plan.of(To) if not isinstance(to, Changelog)]
    written = [to.topic if isinstance(to.topic, str) else f"topics by {to.topic}" for to in sinks]
    return f"from {_first(read)}" + (f" to {_first(written)}" if written else "")


def _first(names: Sequence[str]) -> str:
    """Some of many names."""
    named = list(dict.fromkeys(names))
    more = len(named) - _NAMED
    return ", ".join(named) if more <= 1 else f"{', '.join(named[:_NAMED])} and {more} more"
