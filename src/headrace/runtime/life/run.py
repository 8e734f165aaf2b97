"""One run of an application on Spark: everything that is started, and given back."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING

from headrace.errors import (
    BatchHalfDone,
    BrokerLost,
    BrokerNotShared,
    CheckpointBehind,
    CheckpointNotShared,
    HeadraceError,
    NotAllowed,
    PositionsRefused,
    QueryFailed,
    SparkLost,
    TakenOver,
    TopicGone,
    TopicMissing,
)
from headrace.log.acls import Rights
from headrace.log.broker import EmbeddedBroker, Lease
from headrace.log.groups import Group
from headrace.log.properties import for_java, refuse_ours
from headrace.log.secrets import hide, secrets_of
from headrace.log.topics import Topics
from headrace.model.deadline import Deadline
from headrace.observe.history import History
from headrace.observe.metrics import Metrics
from headrace.plan.graph import Plan
from headrace.plan.handlers import DEAD_LETTER
from headrace.plan.nodes import Changelog, Source, To
from headrace.plan.nodes.to import changelog_topic
from headrace.plan.task_assignment import Sharing
from headrace.runtime.checkpoint.directory import Checkpoint, Layout, Starts
from headrace.runtime.checkpoint.inventory import kept
from headrace.runtime.checkpoint.resumption import Restoring, Resumption
from headrace.runtime.checkpoint.state_key import pickles_of
from headrace.runtime.life.broker_watch import Watch
from headrace.runtime.life.failures import failure_of
from headrace.runtime.life.machine import refuse_few_descriptors
from headrace.runtime.life.queries import Queries
from headrace.runtime.life.retries import Retries
from headrace.runtime.life.states import State
from headrace.runtime.preflight.acls import acls_of
from headrace.runtime.preflight.changelogs import complete_changelogs, ensure_changelogs, with_changelogs
from headrace.runtime.preflight.first_start import refuse_lost_checkpoint
from headrace.runtime.preflight.start_offsets import all_starts, ends
from headrace.runtime.preflight.topics import ensure_topics, refuse_overlaps, share, topics_of, written_topics
from headrace.spark.compile.sink import sink_options
from headrace.spark.layout.lanes import told_of_python
from headrace.spark.layout.placement import Placement
from headrace.spark.query import Query, dataframe, plain_errors
from headrace.spark.session import spark as spark
from headrace.spark.session.executor_dependencies import workers_of
from headrace.spark.session.shared_files import SharedFiles
from headrace.spark.session.workers import Workers
from headrace.state.pickles import PickledState, Pickles

if TYPE_CHECKING:
    from headrace.runtime.app import App

_LOOK_S = 1.0
_REPLICAS = "replicas"
_LAST_WORDS_S = 10.0
_FOR_THE_BATCH, _FOR_STOPPING = 0.6, 0.8
"""The parts of the time for closing that are over when a batch is broken off, and when Spark is ended."""

_NAMED = 8
_OPEN = "PLAINTEXT"
_REPEAT_S = 24 * 3_600.0
"""After so long positions are said again: a broker forgets those of groups that it has not heard of for a week."""


class Run:
    """The checkpoint's lock, the broker's lease, the Spark session and the query of one application.

    A query that fails of something that may pass is begun again, see `Retries`.
    """

    def __init__(self, app: App) -> None:
        self._app = app
        place = app.checkpoint
        files = SharedFiles(self._session, place.address) if place.address else None
        self._checkpoint = Checkpoint(app.id, place.directory, place.address, files)
        self._held = ExitStack()
        self._lease: Lease | None = None
        self._joined: spark.Session | None = None
        self._query: Query | None = None
        self._resumption: Resumption | None = None
        self._metrics, self._counting = Metrics(app=app.id), threading.Lock()
        self._history = History()
        self._untold: deque[Metrics] = deque()
        self._watching: threading.Thread | None = None
        self._address, self._log = "", spark.log_of(app.spark, self._checkpoint.log)
        self._retries = Retries(app.retry_ms)
        self._finishing, self._over = threading.Event(), threading.Event()
        self.failure: HeadraceError | None = None
        self.queries: Queries | None = None

    def start(self, plan: Plan, *, until_latest: bool) -> None:
        """Bring everything up."""
        refuse_ours(self._app.kafka)
        refuse_few_descriptors()
        self._refuse_what_a_cluster_cannot_reach()
        self._checkpoint.take()
        self._held.callback(self._checkpoint.release)
        self._held.callback(self._leave_broker)
        self._held.callback(self._leave_session)
        if plan.of(Changelog) and not until_latest:
            self.queries = Queries(self._app.serve, self._app.say)
            self._held.callback(self._close_queries)
        begin = partial(self._begin, plan, until_latest=until_latest)
        self._query = begin()
        if self._resumption is not None:
            self._app.say(str(self._resumption))
        self._watching = threading.Thread(target=self._see_to_the_end, args=(begin,), daemon=True)
        self._watching.start()
        self._held.callback(self._watching.join, _LAST_WORDS_S)
        self._held.callback(self._stop)
        self._app.say(f"running, {_route(plan)}")
        in_python = told_of_python(plan)
        if in_python is not None:
            self._app.say(in_python)
        self._start_queries()

    @property
    def goes_on(self) -> bool:
        """Whether it has gone on from what an earlier run has kept."""
        return self._resumption is not None

    @property
    def calls(self) -> bool:
        """Whether whoever asks was called by it, as listeners are: it goes on, and ends, when they have returned."""
        return threading.current_thread() is self._watching

    def wait(self, timeout: float | None) -> bool:
        """Wait until it is over; False if the time ran out first."""
        return self._over.wait(0 if self.calls else timeout)

    def finish(self, deadline: Deadline) -> None:
        """Let the batch end, then the query; what takes too long is broken off."""
        self._finishing.set()
        if self._query is None:
            return
        with suppress(SparkLost):  # whoever watches it will see
            self._query.finish()
        if not self._over.wait(deadline.left(_FOR_THE_BATCH)):
            why = f": no Kafka broker answers at {self._address}" if self._watch.away else ""
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
        """End the JVM at once, if it is there for this application alone: whoever waits for it fails then."""
        if self._joined is not None and not spark.kill(self._joined):
            self._app.say("Spark does not end what runs there, and has other applications: it is left to itself")

    def release(self, deadline: Deadline | None = None) -> None:
        """Give everything back, last taken first; Spark has until then."""
        rest = threading.Timer(deadline.left(), self.kill) if deadline is not None else None
        if rest is not None:
            rest.daemon = True
            rest.start()
        try:
            with suppress(SparkLost):
                self._held.close()
        finally:
            if rest is not None:
                rest.cancel()

    def metrics(self) -> Metrics:
        """What was done since the start."""
        with self._counting, suppress(SparkLost):
            for batch in self._query.new_batches() if self._query is not None else ():
                self._metrics = self._metrics.plus(batch)
                self._history.add(batch)
                self._retries.succeed()
                self._untold.append(self._metrics)
        return self._metrics

    # -- one query

    def _begin(self, plan: Plan, *, until_latest: bool) -> Query:
        """Start the query, what is quickest to fail first."""
        app, checkpoint = self._app, self._checkpoint
        self._address = app.broker or self._join_embedded_broker()
        topics = Topics(self._address, app.kafka)
        topics.check()
        self._refuse_what_is_not_allowed(plan)
        letters = app.dead_letters if callable(app.on_error) or app.on_error == DEAD_LETTER else None
        ensure_topics(plan, topics, letters, create=app.broker is None, say=app.say)
        refuse_overlaps(plan, topics)
        reset_to, known = checkpoint.complete_reset(), checkpoint.known_layout()
        layout = self._layout(plan, topics, known, reset_to)
        if known is None:
            checkpoint.refuse_lost_layout()
            group = Group(app.id, self._address, app.kafka) if reset_to is None else None
            refuse_lost_checkpoint(plan, checkpoint.place, topics, group, beside=app.runs_beside)
        else:
            checkpoint.refuse_misfit(known, layout)
            self._refuse_new_stores_in_a_batch(plan, topics, known, layout)
        self._asked = plan = ensure_changelogs(plan, topics, layout, known, app.say)
        layout = with_changelogs(layout, plan, layout.changelogs, topics)
        checkpoint.settle(layout)
        checkpoint.relocate()
        changelogs = {changelog_topic(plan.app, store): identity for store, identity in layout.changelog_ids.items()}
        self._watch = Watch(topics, written_topics(plan, letters), changelogs, self._lost_broker, app.say)
        session = self._session()
        self._resumption = checkpoint.resumption(layout.tasks)
        spark.hide_in_log(app.spark, session, secrets_of(app.kafka))
        kafka = {"bootstrap.servers": self._address, **for_java(app.kafka)}
        spec = workers_of(
            session, spark.master_of(app.spark), timeout_ms=app.worker_timeout_ms, memory_mb=app.worker_memory_mb
        )
        workers = Workers(spec, pickles_of(app) if layout.kept.in_python else Pickles())
        sink = sink_options(
            plan,
            kafka,
            create_topics=app.broker is None,
            transactions=app.guarantee == "exactly_once",
            matched=topics_of([source for source in plan.of(Source) if source.pattern], topics),
            on_error=app.on_error,
            workers=workers,
            letters=letters,
        )
        with plain_errors(app.id, self._log, partial(hide, kafka=app.kafka)):
            return Query.start(
                dataframe(
                    session,
                    Placement(plan),
                    kafka=kafka,
                    sharing=Sharing(layout.tasks, layout.sources),
                    clock=app.clock,
                    starts=all_starts(plan, topics, layout.starts),
                    sink=sink,
                    workers=workers,
                ),
                name=app.id,
                sink=sink,
                checkpoint=checkpoint.spark,
                until_latest=until_latest,
                log=self._log,
            )

    def _see_to_the_end(self, begin: Callable[[], Query]) -> None:
        """See the query through, and those that are begun in its place, until it is over for good."""
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
                failure = None if self._finishing.wait(pause) else self._again(begin, failure)
            self.failure = failure
            self._look()
        except Exception as exc:
            self.failure = QueryFailed(self._app.id, f"{type(exc).__name__}: {exc}", str(self._log))
        finally:
            self._over.set()

    def _again(self, begin: Callable[[], Query], failure: HeadraceError) -> HeadraceError | None:
        """Begin the query again; what this time it failed of."""
        if isinstance(failure, SparkLost):
            self._leave_session()
        asked = self._asks()
        try:
            self._query = begin()
        except TopicMissing as missing:
            # What was written until now may be made again; what was read is another topic then.
            return TopicGone(missing.topics, self._address) if set(missing.topics) <= self._watch.written else missing
        except HeadraceError as error:
            return error
        if self._finishing.is_set():
            self._query.finish()
        self._app.turn(State.RUNNING)
        self._app.say("running again")
        if self.queries is not None and self._asks() != asked:
            self._ask_anew()
        return self._see_through()

    def _asks(self) -> tuple[str, frozenset[str]]:
        """Where the changelogs are that are asked, and of which stores."""
        return self._address, frozenset(node.table for node in self._asked.of(Changelog))

    def _ask_anew(self) -> None:
        """The broker has moved, or a changelog was left out: what is left is asked where it is."""
        self._close_queries()
        if self._asked.of(Changelog):
            try:
                self.queries = Queries(self._app.serve, self._app.say)
                self._start_queries()
            except HeadraceError as error:
                self._app.say(f"no queries: {error.what}")

    def _start_queries(self) -> None:
        if self.queries is not None:
            directory = self._checkpoint.directory / _REPLICAS
            families = lambda: self._metrics.families()  # noqa: E731
            self.queries.start(self._asked, self._address, self._app.kafka, directory, families, self._history)

    def _close_queries(self) -> None:
        if self.queries is not None:
            self.queries.close()
        self.queries = None

    def _see_through(self) -> HeadraceError | None:
        """Wait for the end of the query, and say how far its batches have come; what it failed of."""
        assert self._query is not None
        with self._watch.while_running(self._query.stop):
            failure = self._follow(self._query)
        return self._watch.failure or failure

    def _follow(self, query: Query) -> HeadraceError | None:
        group = Group(self._app.id, self._address, self._app.kafka)
        ended, told, told_at, refused = False, -1, 0.0, ""
        restoring, before = Restoring(self._app.say) if self._resumption is not None else None, self._metrics.last
        try:
            while not ended:
                ended = query.wait(0 if self._untold else _LOOK_S)
                last = self._look().last  # often enough: Spark remembers the last hundred batches
                if restoring is not None and last is not None and last is not before:
                    restoring.end(last.duration_ms)
                    restoring = None
                elif restoring is not None:
                    restoring.look(*query.tasks())
                if last is None or (last.number == told and time.monotonic() - told_at < _REPEAT_S):
                    continue
                if self.queries is not None:
                    self.queries.note(last.positions)
                try:
                    group.publish(last.positions)
                    told, told_at = last.number, time.monotonic()
                except NotAllowed as denied:
                    query.stop()
                    return denied
                except PositionsRefused as error:
                    if error.what != refused:  # lag is not seen then, and nothing else is wrong
                        refused = error.what
                        self._app.say(refused)
            causes = query.failure()
        except SparkLost as lost:
            self._look()
            return lost
        causes = [hide(cause, self._app.kafka) for cause in causes]
        failure = failure_of(causes, self._app.id, self._checkpoint, self._address, self._log) if causes else None
        if isinstance(failure, CheckpointBehind) and self._metrics.last is not None:
            return TakenOver(self._app.id, self._checkpoint.place)  # it was not behind before
        return failure

    def _look(self) -> Metrics:
        """What was done since the start, once listeners know of each batch; this thread alone tells them, in order."""
        found = self.metrics()
        while self._untold:
            self._app.tell(self._untold.popleft())
        return found

    def _stop(self) -> None:
        self._finishing.set()
        if self._query is not None:
            with suppress(SparkLost):
                self._query.stop()

    # -- what it needs

    def _session(self) -> spark.Session:
        """The session of this run, which is joined when it is first asked for."""
        if self._joined is None:
            app, checkpoint = self._app, self._checkpoint
            self._log = spark.log_of(app.spark, checkpoint.log)
            app.say(f"{self._origin()}, its log is {self._log}")
            self._joined = spark.join(app.spark, checkpoint.log, verbose=app.verbose, inherited=[checkpoint.lock])
        return self._joined

    def _leave_session(self) -> None:
        if self._joined is not None:
            spark.leave(self._joined)
        self._joined = None

    def _origin(self) -> str:
        wanted = self._app.spark
        master = spark.master_of(wanted)
        if not isinstance(wanted, Mapping):
            return f"in a session of Spark on {master}"
        return "starting Spark" if master.inside else f"starting Spark on {master}"

    def _refuse_what_a_cluster_cannot_reach(self) -> None:
        app, master = self._app, spark.master_of(self._app.spark)
        if not master.here:
            if not app.checkpoint.shared:
                raise CheckpointNotShared(str(app.checkpoint), str(master))
            if app.broker is None:
                raise BrokerNotShared(str(master))

    def _refuse_new_stores_in_a_batch(self, plan: Plan, topics: Topics, known: Layout, layout: Layout) -> None:
        """What a task has written of a batch it does not write again: rows of new stores would miss in changelogs."""
        added = [store for store in layout.changelogs if store not in known.stores]
        half = self._checkpoint.half_done() if added and self._app.guarantee == "exactly_once" else None
        if half is None:
            return
        counts = topics.partitions(topics_of(plan.of(Source), topics))
        for task in range(max(known.tasks, sum(count or 0 for count in counts.values()))):
            group = Group(f"{self._app.id}-sink-{task}", self._address, self._app.kafka)
            if f"{half[0]} {half[1]}" in group.notes(counts):
                raise BatchHalfDone(self._app.id, half[1], added)

    def _refuse_what_is_not_allowed(self, plan: Plan) -> None:
        """Say at once all that is missing, where a broker knows who asks: else it shows later, piece by piece."""
        app = self._app
        if app.kafka.get("security.protocol", _OPEN).upper() != _OPEN:
            asked, served = self.queries is not None, app.serve is not None
            needed = acls_of(plan, transactions=app.guarantee == "exactly_once", asked=asked, served=served)
            lacking = Rights(self._address, app.kafka).lacking(needed)
            if lacking:
                raise NotAllowed([str(acl) for acl in lacking])

    def _join_embedded_broker(self) -> str:
        """Use it; if it was lost, it is started again."""
        lease = EmbeddedBroker().join(say=self._app.say)
        self._leave_broker()
        self._lease = lease
        return lease.address

    def _lost_broker(self) -> HeadraceError | None:
        """Why the broker will never answer at its address: the embedded one may have ended, or have moved."""
        if self._lease is None:
            return None
        now = EmbeddedBroker().status()
        if not now.running:
            return BrokerLost(self._address, "the embedded broker has ended")
        return BrokerLost(self._address, f"it runs at {now.address} now") if now.address != self._address else None

    def _leave_broker(self) -> None:
        if self._lease is not None:
            self._lease.close()
        self._lease = None

    def _layout(self, plan: Plan, topics: Topics, known: Layout | None, reset_to: Starts | None) -> Layout:
        """As this start would make it; where the checkpoint is older, its choices are kept."""
        now, state = share(plan, topics), kept(plan)
        sources = dict(now.partitions)
        if known is not None:
            # Partitions are compared as they are now; by which rule records are shared is the checkpoint's to say.
            sources = {name: _compared(known.sources.get(name, {}), there, topics) for name, there in sources.items()}
        return Layout(
            app=plan.app,
            cluster=topics.cluster_id(),
            tasks=known.tasks if known is not None else now.tasks,
            sources=sources,
            stages=state.stages,
            lanes=state.lanes,
            classes=state.classes,
            pickled=known is not None and known.pickled and self._app.pickled_state is PickledState.TRUST,
            starts=known.starts if known is not None else ends(plan, topics) if reset_to is None else reset_to,
            changelogs=complete_changelogs(plan, topics, known),
        )


def _compared(there: dict[str, int] | None, here: dict[str, int] | None, topics: Topics) -> dict[str, int] | None:
    """The partitions of a source as they are compared with those of a checkpoint; None if its records go by key.

    They would go by key now, too, where the partitions of one of several topics have become more: that is then told.
    """
    if there is None:
        return None
    if there and here is None:
        counted = {topic: count for topic, count in topics.partitions(there).items() if count is not None}
        return counted if counted != there else None
    return here


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
