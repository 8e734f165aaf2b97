"""Micro-batch engine: runs a plan as one Spark query, and goes on from Spark's checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from headrace.engine.batch.checkpoint import Checkpoint
from headrace.engine.batch.failures import failure_of
from headrace.engine.batch.preparation import fitting_layout
from headrace.engine.batch.start_offsets import all_starts
from headrace.engine.changelogs import ensure_changelogs, with_changelogs
from headrace.engine.layout import CheckpointLayout
from headrace.engine.port import EngineSpec, Prepared
from headrace.engine.resumption import Resumption
from headrace.engine.spark_host import SparkHost
from headrace.engine.topics import topics_of
from headrace.errors import BrokerNotShared, CheckpointBehind, CheckpointNotShared, HeadraceError, SparkLost, TakenOver
from headrace.log.properties import for_java
from headrace.log.secrets import hide
from headrace.log.topics import Topics
from headrace.model.batches import Batch
from headrace.model.deadline import Deadline
from headrace.plan.graph import Plan
from headrace.plan.nodes import Source
from headrace.plan.nodes.to import changelog_topic
from headrace.plan.task_assignment import Sharing
from headrace.spark.compile.sink import sink_options
from headrace.spark.layout.lanes import told_of_python
from headrace.spark.layout.placement import Placement
from headrace.spark.query import Query, dataframe, plain_errors
from headrace.spark.session import spark
from headrace.spark.session.shared_files import SharedFiles

T = TypeVar("T")


class BatchEngine:
    """The checkpoint, the session of Spark and the query of one application."""

    state_in_kafka = False
    commits_positions = False
    resumption: Resumption | None = None

    def __init__(self, spec: EngineSpec) -> None:
        self._spec, place = spec, spec.place
        files = SharedFiles(self._session, place.address) if place.address else None
        self._checkpoint = Checkpoint(spec.app, place.directory, place.address, files)
        self._host = SparkHost(spec, self._checkpoint.log)
        self._query: Query | None = None
        self._topics: Topics | None = None
        self._layout: CheckpointLayout | None = None
        self._lost: SparkLost | None = None
        self._told = False
        """Whether a batch was ever done."""

    @property
    def transactions(self) -> bool:
        return self._spec.exactly_once

    @property
    def log(self) -> str:
        return str(self._host.log)

    # -- preflight

    def refuse(self, plan: Plan) -> str | None:
        master = self._host.master
        if not master.here:
            if not self._spec.place.shared:
                raise CheckpointNotShared(str(self._spec.place), str(master))
            if self._spec.embedded:
                raise BrokerNotShared(str(master))
        return told_of_python(plan)

    def take(self) -> None:
        self._checkpoint.take()

    def prepare(self, plan: Plan, topics: Topics) -> Prepared:
        if self._lost is not None:
            self._leave_session()
        layout, known = fitting_layout(plan, self._checkpoint, topics, self._spec)
        plan = ensure_changelogs(plan, topics, layout, known, self._spec.say)
        layout = with_changelogs(layout, plan, layout.changelogs, topics)
        self._checkpoint.settle(layout)
        self._checkpoint.relocate()
        self._topics, self._layout = topics, layout
        return Prepared(plan, {changelog_topic(plan.app, store): id_ for store, id_ in layout.changelog_ids.items()})

    # -- one query

    def start(self, prepared: Prepared, *, until_latest: bool) -> None:
        try:
            self._query = self._started(prepared.plan, until_latest=until_latest)
        except SparkLost as lost:
            self._lost = lost
            raise

    def _started(self, plan: Plan, *, until_latest: bool) -> Query:
        assert self._topics is not None and self._layout is not None
        spec, topics, layout = self._spec, self._topics, self._layout
        session = self._session()
        self.resumption = self._checkpoint.resumption(layout.tasks)
        kafka = {"bootstrap.servers": topics.address, **for_java(spec.kafka)}
        workers = self._host.workers(session, keeping=layout.kept.in_python)
        sink = sink_options(
            plan,
            kafka,
            create_topics=spec.embedded,
            transactions=spec.exactly_once,
            matched=topics_of([source for source in plan.of(Source) if source.pattern], topics),
            on_error=spec.on_error,
            workers=workers,
            letters=spec.letters,
        )
        with plain_errors(spec.app, self._host.log, self._hidden):
            return Query.start(
                dataframe(
                    session,
                    Placement(plan),
                    kafka=kafka,
                    sharing=Sharing(layout.tasks, layout.sources),
                    clock=spec.clock,
                    starts=all_starts(plan, topics, layout.starts),
                    sink=sink,
                    workers=workers,
                ),
                name=spec.app,
                sink=sink,
                checkpoint=self._checkpoint.spark,
                until_latest=until_latest,
                log=self._host.log,
            )

    def wait(self, seconds: float) -> bool:
        return self._ask(lambda query: query.wait(seconds), True)

    def progress(self) -> Sequence[Batch]:
        batches: Sequence[Batch] = self._ask(Query.new_batches, ())
        self._told = self._told or bool(batches)
        return batches

    def restored(self) -> tuple[int, int]:
        return self._ask(Query.tasks, (0, 0))

    def finish(self) -> None:
        self._ask(Query.finish, None)

    def stop(self) -> None:
        self._ask(Query.stop, None)

    def kill(self) -> None:
        self._host.kill()

    def end_by(self, deadline: Deadline) -> None:
        spark.end_by(deadline)

    def failure(self) -> HeadraceError | None:
        found: Sequence[str] = self._ask(Query.failure, ())
        causes = [self._hidden(cause) for cause in found]
        if self._lost is not None:
            return self._lost
        if not causes:
            return None
        assert self._topics is not None
        failure = failure_of(causes, self._spec.app, self._checkpoint.place, self._topics.address, self._host.log)
        if isinstance(failure, CheckpointBehind) and self._told:
            return TakenOver(self._spec.app, self._checkpoint.place)  # it was not behind before
        return failure

    def release(self) -> None:
        try:
            with suppress(SparkLost):
                self._leave_session()
        finally:
            self._checkpoint.release()

    # -- inside

    def _ask(self, asked: Callable[[Query], T], otherwise: T) -> T:
        """Ask the query, if there is one; where Spark is lost, that is what the query has failed of."""
        if self._query is None:
            return otherwise
        try:
            return asked(self._query)
        except SparkLost as lost:
            self._lost = lost
            return otherwise

    def _session(self) -> spark.Session:
        return self._host.session(self._checkpoint.lock)

    def _leave_session(self) -> None:
        self._query, self._lost = None, None
        self._host.leave()

    def _hidden(self, text: str) -> str:
        return hide(text, self._spec.kafka)
