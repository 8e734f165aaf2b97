"""Another number of tasks, with all state kept: what was in the old tasks comes to the new ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from headrace.engine.batch.batch_log import BatchLog
from headrace.engine.batch.checkpoint import Checkpoint
from headrace.engine.batch.failures import failure_of
from headrace.engine.batch.kept import kept
from headrace.engine.batch.state_size import bytes_to_load
from headrace.engine.changelogs import remake_changelogs, with_changelogs
from headrace.engine.layout import CheckpointLayout
from headrace.engine.place import writing
from headrace.engine.topics import share, topics_of
from headrace.errors import HeadraceError, QueryFailed, RescaleRefused
from headrace.log.groups import Group
from headrace.log.properties import for_java
from headrace.log.topics import Topics
from headrace.plan.graph import Plan
from headrace.plan.nodes import Source
from headrace.runtime.rescale.key_routing import KeyRoutes, new_sources
from headrace.runtime.rescale.state_migration import Moving
from headrace.spark.layout.placement import Placement
from headrace.spark.query import causes_of, plain_errors
from headrace.spark.rescaling import fenced, forget_partitions
from headrace.spark.rescaling import rescaling as opened
from headrace.spark.session.spark import Session
from headrace.state.codec import StateCodec

_FINISH = "let it finish the batch first: headrace run APP --until latest"


@dataclass(frozen=True)
class Rescale:
    """Rescaling that is planned."""

    plan: Plan
    checkpoint: Checkpoint
    before: CheckpointLayout
    after: CheckpointLayout
    log: BatchLog
    size: int
    """Bytes of state."""

    partitions: int
    """Of all topics that are read: as many tasks write, at the most, without a stage between."""

    address: str
    kafka: Mapping[str, str]
    codec: StateCodec
    """How Python processes have written their state."""

    @property
    def changes(self) -> bool:
        """Whether anything would be another."""
        return self.before != self.after

    @property
    def by_key(self) -> list[str]:
        """The sources whose records went to the tasks of their partitions, and go by key from now on."""
        return [name for name, there in self.before.sources.items() if there and self.after.sources[name] is None]

    def carry_out(self, session: Session) -> int:
        """Do it: how many cells of state were moved.

        If it is broken off behind the state, the stores without a complete changelog cannot be asked.
        """
        tasks = self.before.tasks, self.after.tasks
        moving = Moving(Placement(self.plan), KeyRoutes(self.before.sources, self.after.sources, tasks), self.codec)
        if self.log.begun > self.log.done:
            self._end_what_is_open(session)
        with self.checkpoint.renewed(replace(self.after, changelogs=[])) as fresh:
            moved, ids = 0, dict[int, list[str]]()
            for operator, known in self.log.ids().items():
                old, new = self.log.directory.absolute().as_uri(), fresh.absolute().as_uri()
                with (
                    told_plainly(self.plan.app, self.checkpoint, self.address),
                    opened(
                        session, old, new, operator=operator, batch=self.log.done, ids=known, tasks=self.after.tasks
                    ) as state,
                ):
                    moved += moving.move(state)
                    ids[operator] = state.commit()
            with writing(self.checkpoint.place):
                self.log.copied(fresh, self.after.tasks, ids)
        complete = remake_changelogs(
            self.plan, self.after, self.address, self.kafka, known=self.before, spool=self.checkpoint.directory
        )
        self.checkpoint.settle(with_changelogs(self.after, self.plan, complete, Topics(self.address, self.kafka)))
        with told_plainly(self.plan.app, self.checkpoint, self.address):
            forget_partitions(session)
        for name in self.writers(self.before)[len(self.writers(self.after)) :]:
            with suppress(HeadraceError):  # nobody looks at it any more
                Group(name, self.address, self.kafka).delete()
        return moved

    def writers(self, layout: CheckpointLayout) -> list[str]:
        """The names under which the tasks of the sink write."""
        return [f"{self.plan.app}-sink-{task}" for task in range(max(layout.tasks, self.partitions))]

    def _end_what_is_open(self, session: Session) -> None:
        """Have the broker give up what a task was writing when it was killed: with fewer tasks nobody else would."""
        with told_plainly(self.plan.app, self.checkpoint, self.address):
            kafka = {"bootstrap.servers": self.address, **for_java(self.kafka)}
            noted = fenced(session, kafka, self.writers(self.before))
        refuse_what_is_half_written(self.log, noted)


@contextmanager
def rescaling(
    plan: Plan,
    checkpoint: Checkpoint,
    tasks: int | None,
    address: str,
    kafka: Mapping[str, str],
    codec: StateCodec,
) -> Iterator[Rescale]:
    """A change that may be carried out: nobody runs the application meanwhile.

    Without a number of tasks there will be as many as a first start would have now.
    """
    checkpoint.take()
    try:
        checkpoint.complete_reset()
        topics, known = Topics(address, kafka), checkpoint.known_layout()
        if known is None:
            raise RescaleRefused(f"application {plan.app!r} has kept nothing yet", "start it: headrace run")
        checkpoint.refuse_foreign(known, plan.app, topics.cluster_id())
        checkpoint.refuse_other_state(known, replace(kept(plan), pickled=known.pickled and codec.trusts))
        now = share(plan, topics)
        numbers = known.tasks, tasks or now.tasks
        after = replace(known, tasks=numbers[1], sources=new_sources(plan, known.sources, now, numbers))
        log = BatchLog(checkpoint.directory / "spark")
        size = bytes_to_load(log.directory / "state")
        partitions = sum(count or 0 for count in topics.partitions(topics_of(plan.of(Source), topics)).values())
        yield Rescale(plan, checkpoint, known, after, log, size, partitions, address, kafka, codec)
    finally:
        checkpoint.release()


@contextmanager
def told_plainly(app: str, checkpoint: Checkpoint, address: str) -> Iterator[None]:
    """Report Spark's failures while state is moved, in the words of a query that fails."""
    try:
        with plain_errors(app, checkpoint.log):
            yield
    except QueryFailed as failed:
        cause = failed.__cause__ or failed
        raise failure_of(causes_of(cause), app, checkpoint.place, address, checkpoint.log) from cause


def refuse_what_is_half_written(log: BatchLog, noted: Iterable[str] | None) -> None:
    """A batch that was begun and not finished is begun anew by the new tasks, unless they cannot: some of it is there.

    Each task of the sink has `noted` the last batch of which it has written its part; None while nobody can tell.
    """
    if noted is None:
        raise RescaleRefused(f"a transaction of batch {log.begun} is still open", _FINISH)
    for note in noted:
        query, _, batch = note.partition(" ")
        if query == log.query and int(batch) > log.done:
            raise RescaleRefused(f"a part of batch {batch} is written already, the rest is not", _FINISH)
