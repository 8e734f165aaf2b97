"""Live engine: runs a plan on stream threads, each a task of one long job of Spark's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from headrace.engine.batch.failures import failure_of
from headrace.engine.batch.start_offsets import all_starts
from headrace.engine.changelogs import ensure_changelogs, with_changelogs
from headrace.engine.layout import CheckpointLayout
from headrace.engine.live.files import LiveFiles
from headrace.engine.live.preparation import fitting_layout
from headrace.engine.live.refusals import refuse_for_now
from headrace.engine.port import EngineSpec, Prepared
from headrace.engine.resumption import Resumption
from headrace.engine.spark_host import SparkHost
from headrace.errors import HeadraceError, SparkLost
from headrace.log.properties import for_java
from headrace.log.secrets import hide
from headrace.log.topics import Topics
from headrace.model.batches import Batch
from headrace.model.deadline import Deadline
from headrace.plan.graph import Plan
from headrace.plan.nodes.to import changelog_topic
from headrace.plan.task_assignment import Sharing
from headrace.spark.compile.sink import sink_options
from headrace.spark.layout.placement import Placement
from headrace.spark.live.job import Job, Pace
from headrace.spark.query import plain_errors
from headrace.spark.session import spark

T = TypeVar("T")


class LiveEngine:
    """The directory, the session of Spark and the job of one application."""

    commits_positions = True
    state_in_kafka = True
    resumption: Resumption | None = None

    def __init__(self, spec: EngineSpec) -> None:
        self._spec = spec
        self._files = LiveFiles(spec.app, spec.place)
        self._host = SparkHost(spec, self._files.log)
        self._job: Job | None = None
        self._topics: Topics | None = None
        self._layout: CheckpointLayout | None = None
        self._lost: SparkLost | None = None

    @property
    def transactions(self) -> bool:
        return True

    @property
    def log(self) -> str:
        return str(self._host.log)

    # -- preflight

    def refuse(self, plan: Plan) -> str | None:
        refuse_for_now(plan, self._host.master)
        return None

    def take(self) -> None:
        self._files.take()

    def prepare(self, plan: Plan, topics: Topics) -> Prepared:
        if self._lost is not None:
            self._leave()
        layout, known = fitting_layout(plan, self._files, topics, self._spec)
        plan = ensure_changelogs(plan, topics, layout, known, self._spec.say)
        layout = with_changelogs(layout, plan, layout.changelogs, topics)
        self._files.keep(layout)
        self._topics, self._layout = topics, layout
        return Prepared(plan, {changelog_topic(plan.app, store): id_ for store, id_ in layout.changelog_ids.items()})

    # -- one job

    def start(self, prepared: Prepared, *, until_latest: bool) -> None:
        try:
            self._job = self._started(prepared.plan, until_latest=until_latest)
        except SparkLost as lost:
            self._lost = lost
            raise

    def _started(self, plan: Plan, *, until_latest: bool) -> Job:
        assert self._topics is not None and self._layout is not None
        spec, topics, layout = self._spec, self._topics, self._layout
        session = self._host.session(self._files.lock)
        kafka = {"bootstrap.servers": topics.address, **for_java(spec.kafka)}
        workers = self._host.workers(session, keeping=False)
        sink = sink_options(
            plan,
            kafka,
            create_topics=spec.embedded,
            transactions=spec.exactly_once,
            matched=(),
            on_error=spec.on_error,
            workers=workers,
            letters=spec.letters,
        )
        with plain_errors(spec.app, self._host.log, self._hidden):
            return Job.start(
                session,
                Placement(plan),
                name=spec.app,
                sharing=Sharing(layout.tasks, layout.sources),
                starts=all_starts(plan, topics, layout.starts),
                sink=sink,
                workers=workers,
                pace=Pace(
                    threads=spark.threads(session),
                    commit_every_ms=spec.commit_ms,
                    max_task_idle_ms=spec.max_task_idle_ms,
                ),
                exactly_once=spec.exactly_once,
                until_latest=until_latest,
                directory=self._files.state,
                log=self._host.log,
            )

    def wait(self, seconds: float) -> bool:
        return self._ask(lambda job: job.wait(seconds), True)

    def progress(self) -> Sequence[Batch]:
        return self._ask(Job.commits, ())

    def restored(self) -> tuple[int, int]:
        return 0, 0

    def finish(self) -> None:
        self._ask(Job.finish, None)

    def stop(self) -> None:
        self._ask(Job.stop, None)

    def kill(self) -> None:
        self._host.kill()

    def end_by(self, deadline: Deadline) -> None:
        spark.end_by(deadline)

    def failure(self) -> HeadraceError | None:
        nothing: list[str] = []
        causes = [self._hidden(cause) for cause in self._ask(Job.failure, nothing)]
        if self._lost is not None or not causes:
            return self._lost
        assert self._topics is not None
        return failure_of(causes, self._spec.app, str(self._files.directory), self._topics.address, self._host.log)

    def release(self) -> None:
        try:
            with suppress(SparkLost):
                self._leave()
        finally:
            self._files.release()

    # -- inside

    def _ask(self, asked: Callable[[Job], T], otherwise: T) -> T:
        """What the job says, if there is one; where Spark is lost, that is what it has failed of."""
        if self._job is None:
            return otherwise
        try:
            return asked(self._job)
        except SparkLost as lost:
            self._lost = lost
            return otherwise

    def _leave(self) -> None:
        self._job, self._lost = None, None
        self._host.leave()

    def _hidden(self, text: str) -> str:
        return hide(text, self._spec.kafka)
