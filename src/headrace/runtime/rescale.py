"""Another number of tasks, with all state kept: what was in the old tasks comes to the new ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

from headrace.errors import RescaleRefused, StateChanged
from headrace.log.groups import Group
from headrace.log.topics import Topics
from headrace.plan.graph import Plan
from headrace.plan.nodes import Source
from headrace.runtime.batch_log import BatchLog
from headrace.runtime.changelogs import move_changelogs
from headrace.runtime.checkpoint import Checkpoint, Layout
from headrace.runtime.kept import Evolution, kept
from headrace.runtime.moving import Moving
from headrace.runtime.resumption import bytes_to_load
from headrace.runtime.topics import share
from headrace.runtime.ways import Ways, new_sources
from headrace.spark.placement import Placement
from headrace.spark.rescaling import forget_partitions
from headrace.spark.rescaling import rescaling as opened
from headrace.spark.session import Session

_FINISH = "let it finish the batch first: headrace run APP --until latest"


@dataclass(frozen=True)
class Rescale:
    """What a change of the number of tasks would do."""

    plan: Plan
    checkpoint: Checkpoint
    before: Layout
    after: Layout
    log: BatchLog
    size: int
    """Bytes of state."""

    address: str
    kafka: Mapping[str, str]

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
        moving = Moving(Placement(self.plan), Ways(self.before.sources, self.after.sources, tasks))
        with self.checkpoint.renewed(replace(self.after, changelogs=[])) as fresh:
            moved, ids = 0, dict[int, list[str]]()
            for operator, known in self.log.ids().items():
                old, new = self.log.directory.absolute().as_uri(), fresh.absolute().as_uri()
                with opened(
                    session, old, new, operator=operator, batch=self.log.done, ids=known, tasks=self.after.tasks
                ) as state:
                    moved += moving.move(state)
                    ids[operator] = state.commit()
            self.log.copied(fresh, self.after.tasks, ids)
        complete = move_changelogs(self.plan, self.after, self.address, self.kafka)
        forget_partitions(session)
        self.checkpoint.settle(replace(self.after, changelogs=complete))
        return moved


@contextmanager
def rescaling(
    plan: Plan, checkpoint: Checkpoint, tasks: int | None, address: str, kafka: Mapping[str, str]
) -> Iterator[Rescale]:
    """A change that may be carried out: nobody runs the application meanwhile.

    Without a number of tasks there will be as many as a first start would have now.
    """
    checkpoint.take()
    try:
        checkpoint.complete_reset()
        topics = Topics(address, kafka)
        known, now = checkpoint.known_layout(), share(plan, topics)
        if known is None:
            raise RescaleRefused(f"application {plan.app!r} has kept nothing yet", "start it: headrace run")
        misfits = Evolution.of(known.stages, kept(plan)).misfits
        if misfits:
            raise StateChanged(plan.app, checkpoint.place, misfits)
        numbers = known.tasks, tasks or now.tasks
        after = replace(known, tasks=numbers[1], sources=new_sources(plan, known.sources, now, numbers))
        log = BatchLog(checkpoint.directory / "spark")
        if log.begun > log.done:
            writers = max(known.tasks, _partitions(plan, topics))
            refuse_what_is_half_written(
                log, [Group(f"{plan.app}-sink-{one}", address, kafka) for one in range(writers)]
            )
        size = bytes_to_load(log.directory / "state")
        yield Rescale(plan, checkpoint, known, after, log, size, address, kafka)
    finally:
        checkpoint.release()


def refuse_what_is_half_written(log: BatchLog, writers: Iterable[Group]) -> None:
    """A batch that was begun and not finished is begun anew by the new tasks, unless they cannot: some of it is there.

    Each task of the sink has noted the last batch of which it has written its part.
    """
    for writer in writers:
        for note in writer.notes():
            query, _, batch = note.partition(" ")
            if query == log.query and int(batch) > log.done:
                raise RescaleRefused(f"a part of batch {batch} is written already, the rest is not", _FINISH)


def _partitions(plan: Plan, topics: Topics) -> int:
    """As many tasks write, at the most, where records are read and written without a stage between."""
    read = [topic for source in plan.of(Source) for topic in source.topics]
    read += [topic for source in plan.of(Source) if source.pattern for topic in topics.matching(source.pattern)]
    return sum(count or 0 for count in topics.partitions(read).values())
