"""One run of an application on Spark: everything that is started, and given back."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from headrace.errors import BrokerNotShared, CheckpointNotShared, HeadraceError, PositionsRefused, SparkLost
from headrace.log.broker import EmbeddedBroker
from headrace.log.groups import Group
from headrace.log.properties import for_java, refuse_ours
from headrace.log.topics import Topics
from headrace.observe.metrics import Metrics
from headrace.plan.graph import Plan
from headrace.plan.nodes import Source, To
from headrace.plan.sharing import Sharing
from headrace.runtime.checkpoint import Checkpoint, Layout
from headrace.runtime.failures import failure_of
from headrace.runtime.kept import kept
from headrace.runtime.starts import all_starts, ends
from headrace.runtime.topics import ensure_topics, refuse_overlaps, share
from headrace.spark import session as spark
from headrace.spark.files import SharedFiles
from headrace.spark.placement import Placement
from headrace.spark.query import Query, dataframe, plain_errors
from headrace.spark.shipped import workers_of
from headrace.spark.sink import sink_options

if TYPE_CHECKING:
    from headrace.runtime.app import App

_SLICE_S = 0.2
_COUNT_S = 1.0
_LAST_WORDS_S = 10.0
_NAMED = 8


class Run:
    """The checkpoint's lock, the broker's lease, the Spark session and the query of one application."""

    def __init__(self, app: App) -> None:
        self._app = app
        place = app.checkpoint
        files = SharedFiles(self._session, place.address) if place.address else None
        self._checkpoint = Checkpoint(app.id, place.directory, place.address, files)
        self._held = ExitStack()
        self._joined: spark.Session | None = None
        self._query: Query | None = None
        self._metrics, self._counting = Metrics(app=app.id), threading.RLock()
        self._address, self._log = "", spark.log_of(app.spark, self._checkpoint.log)
        self.failure: HeadraceError | None = None

    def start(self, plan: Plan, *, until_latest: bool) -> None:
        """Bring everything up, what is quickest to fail first."""
        app, checkpoint = self._app, self._checkpoint
        refuse_ours(app.kafka)
        self._refuse_what_a_cluster_cannot_reach()
        checkpoint.take()
        self._held.callback(checkpoint.release)
        self._address = app.broker or self._join_embedded_broker()
        topics = Topics(self._address, app.kafka)
        topics.check()
        ensure_topics(plan, topics, create=app.broker is None, say=app.say)
        refuse_overlaps(plan, topics)
        layout = self._layout(plan, topics)
        checkpoint.settle(layout)
        session = self._session()
        kafka = {"bootstrap.servers": self._address, **for_java(app.kafka)}
        sink = sink_options(
            plan,
            kafka,
            create_topics=app.broker is None,
            transactions=app.guarantee == "exactly_once",
            matched=[
                topic for source in plan.of(Source) if source.pattern for topic in topics.matching(source.pattern)
            ],
        )
        with plain_errors(app.id, self._log):
            self._query = Query.start(
                dataframe(
                    session,
                    Placement(plan),
                    kafka=kafka,
                    sharing=Sharing(layout.tasks, layout.sources),
                    clock=app.clock,
                    starts=all_starts(plan, topics, layout.starts),
                    sink=sink,
                    workers=workers_of(
                        session,
                        spark.master_of(app.spark),
                        timeout_ms=app.worker_timeout_ms,
                        memory_mb=app.worker_memory_mb,
                    ),
                ),
                name=app.id,
                sink=sink,
                checkpoint=checkpoint.spark,
                until_latest=until_latest,
                log=self._log,
            )
        counting = threading.Thread(target=self._count, daemon=True)
        counting.start()
        self._held.callback(counting.join, _LAST_WORDS_S)
        self._held.callback(self._query.stop)
        app.say(f"running, {_route(plan)}")

    def wait(self, timeout: float | None) -> bool:
        """Wait for the end of the query; False if the time ran out first."""
        deadline = math.inf if timeout is None else time.monotonic() + timeout
        while True:
            left = deadline - time.monotonic()
            if self._ended(max(0.0, min(left, _SLICE_S))):
                return True
            if left <= 0:
                return False

    def finish(self) -> None:
        """Let the batch end, then the query."""
        if self._query is not None:
            with suppress(SparkLost):  # wait() tells
                self._query.finish()
            self.wait(None)

    def release(self) -> None:
        """Give everything back, last taken first."""
        with suppress(SparkLost):
            self._held.close()

    def metrics(self) -> Metrics:
        """What was done since the start."""
        with self._counting, suppress(SparkLost):
            for batch in self._query.new_batches() if self._query is not None else ():
                self._metrics = self._metrics.plus(batch)
                self._app.tell(self._metrics)
        return self._metrics

    def _ended(self, seconds: float) -> bool:
        """Whether the query ends within so many seconds; if so its failure is known afterwards."""
        if self._query is None:
            return True
        try:
            ended = self._query.wait(seconds)
            causes = self._query.failure() if ended and self.failure is None else []
        except SparkLost as lost:
            self.failure = lost
            return True
        self.metrics()
        if causes:
            self.failure = failure_of(causes, self._app.id, self._checkpoint, self._address, self._log)
        return ended

    def _count(self) -> None:
        """Look at the batches often enough: Spark remembers the last hundred batches. Say how far they have come."""
        group = Group(self._app.id, self._address, self._app.kafka)
        ended, told, refused = False, -1, ""
        while not ended:
            ended = self._ended(_COUNT_S)
            last = self._metrics.last
            if last is None or last.number == told:
                continue
            try:
                group.publish(last.positions)
                told = last.number
            except PositionsRefused as error:
                if error.what != refused:  # lag is not seen then, and nothing else is wrong
                    refused = error.what
                    self._app.say(refused)

    def _session(self) -> spark.Session:
        """The session of this run, which is joined when it is first asked for."""
        if self._joined is None:
            app, checkpoint = self._app, self._checkpoint
            self._log = spark.log_of(app.spark, checkpoint.log)
            app.say(f"{self._origin()}, its log is {self._log}")
            self._joined = spark.join(app.spark, checkpoint.log, verbose=app.verbose, inherited=[checkpoint.lock])
            self._held.callback(spark.leave, self._joined)
        return self._joined

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

    def _join_embedded_broker(self) -> str:
        lease = EmbeddedBroker().join(say=self._app.say)
        self._held.callback(lease.close)
        return lease.address

    def _layout(self, plan: Plan, topics: Topics) -> Layout:
        """As this start would make it; where the checkpoint is older, its choices are kept."""
        known, now = self._checkpoint.known_layout(), share(plan, topics)
        sources = dict(now.partitions)
        if known is not None:
            # Partitions are compared as they are now; by which rule records are shared is the checkpoint's to say.
            sources = {name: None if known.sources.get(name, {}) is None else there for name, there in sources.items()}
        return Layout(
            app=plan.app,
            cluster=topics.cluster_id(),
            tasks=known.tasks if known is not None else now.tasks,
            sources=sources,
            stages=kept(plan),
            starts=known.starts if known is not None else ends(plan, topics),
        )


def _route(plan: Plan) -> str:
    read = [name for source in plan.of(Source) for name in (source.topics or (str(source.pattern),))]
    written = [to.topic if isinstance(to.topic, str) else f"topics by {to.topic}" for to in plan.of(To)]
    return f"from {_first(read)}" + (f" to {_first(written)}" if written else "")


def _first(names: Sequence[str]) -> str:
    """Some of many names."""
    named = list(dict.fromkeys(names))
    more = len(named) - _NAMED
    return ", ".join(named) if more <= 1 else f"{', '.join(named[:_NAMED])} and {more} more"
