"""One run of an application on Spark: everything that is started, and given back."""

from __future__ import annotations

import math
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

from headrace.errors import HeadraceError
from headrace.log.broker import EmbeddedBroker
from headrace.log.properties import for_java
from headrace.log.topics import Topics
from headrace.plan.graph import Plan
from headrace.plan.nodes import Count, Source, To
from headrace.runtime.checkpoint import Checkpoint, Layout
from headrace.runtime.failures import failure_of
from headrace.runtime.progress import Progress
from headrace.runtime.topics import ensure_topics, share
from headrace.spark import session as spark
from headrace.spark.placement import Placement
from headrace.spark.query import Query, dataframe

if TYPE_CHECKING:
    from headrace.runtime.app import App

_SLICE_S = 0.2


class Run:
    """The checkpoint's lock, the broker's lease, the Spark session and the query of one application."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._checkpoint = Checkpoint(app.id, app.checkpoint)
        self._held = ExitStack()
        self._query: Query | None = None
        self._progress = Progress()
        self._address = ""
        self.failure: HeadraceError | None = None

    def start(self, plan: Plan, *, until_latest: bool) -> None:
        """Bring everything up, what is quickest to fail first."""
        app, checkpoint = self._app, self._checkpoint
        checkpoint.take()
        self._held.callback(checkpoint.release)
        self._address = app.broker or self._join_embedded_broker()
        topics = Topics(self._address, app.kafka)
        topics.check()
        placement = Placement(plan)
        ensure_topics(plan, topics, create=app.broker is None, say=app.say)
        layout = self._layout(placement, topics)
        checkpoint.settle(layout)
        app.say(f"starting Spark, its log is {checkpoint.log}")
        session = spark.join(app.spark, checkpoint.log, tasks=layout.tasks, verbose=app.verbose)
        self._held.callback(spark.leave, session)
        kafka = {"bootstrap.servers": self._address, **for_java(app.kafka)}
        by_partition = {source: layout.by_partition[source.name] for source in plan.of(Source)}
        self._query = Query.start(
            dataframe(session, placement, kafka=kafka, tasks=layout.tasks, by_partition=by_partition),
            name=app.id,
            kafka=kafka,
            checkpoint=checkpoint.spark,
            topics=[to.topic for to in plan.of(To) if isinstance(to.topic, str)],
            create_topics=app.broker is None,
            until_latest=until_latest,
        )
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
            self._query.finish()
            self.wait(None)

    def release(self) -> None:
        """Give everything back, last taken first."""
        if self._query is not None:
            self._query.stop()
        self._held.close()

    def progress(self) -> Progress:
        """What was done since the start."""
        if self._query is not None:
            for records_in, records_out in self._query.new_batches():
                self._progress = self._progress.plus(records_in, records_out)
        return self._progress

    def _ended(self, seconds: float) -> bool:
        """Whether the query ends within so many seconds; if so its failure is known afterwards."""
        if self._query is None:
            return True
        ended = self._query.wait(seconds)
        self.progress()
        if ended and self.failure is None:
            causes = self._query.failure()
            if causes is not None:
                self.failure = failure_of(causes, self._app.id, self._checkpoint, self._address)
        return ended

    def _join_embedded_broker(self) -> str:
        lease = EmbeddedBroker().join(say=self._app.say)
        self._held.callback(lease.close)
        return lease.address

    def _layout(self, placement: Placement, topics: Topics) -> Layout:
        plan, known = placement.plan, self._checkpoint.known_layout()
        sharing = known or share(plan, topics)
        sources = {source.name for source in plan.of(Source)}
        return Layout(
            app=plan.app,
            cluster=topics.cluster_id(),
            tasks=sharing.tasks,
            # A source that is new to the checkpoint is told by Layout itself: it has no entry there.
            by_partition={name: way for name, way in sharing.by_partition.items() if name in sources},
            stores=[
                [node.store for node in placement.stage(number) if isinstance(node, Count)]
                for number in range(1, placement.stages + 1)
            ],
        )


def _route(plan: Plan) -> str:
    read = [source.pattern or ", ".join(source.topics) for source in plan.of(Source)]
    written = [to.topic if isinstance(to.topic, str) else f"topics by {to.topic}" for to in plan.of(To)]
    return f"from {', '.join(read)}" + (f" to {', '.join(dict.fromkeys(written))}" if written else "")
