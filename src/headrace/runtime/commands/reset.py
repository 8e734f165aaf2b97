"""Reset: the offsets that each topic is read from, and the state that is forgotten."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from headrace.engine.batch.checkpoint import Checkpoint
from headrace.engine.batch.kept import kept
from headrace.engine.changelogs import existing_changelogs, ids_of, remake_changelogs, with_changelogs
from headrace.engine.layout import CheckpointLayout, Starts
from headrace.engine.ownership import refuse_foreign
from headrace.engine.topics import topics_of
from headrace.errors import HeadraceError, ResetRefused
from headrace.log.groups import Group
from headrace.log.topics import Topics
from headrace.passes.run_beside import id_beside
from headrace.plan.graph import Plan
from headrace.plan.nodes import Source, To

Beginning = str | int | Path
"""Where streams are read from: "earliest", "latest", a time in milliseconds, or a file of offsets."""


@dataclass(frozen=True)
class OffsetReset:
    """Reset of the offsets of a topic: the new ones, and those before as far as they are known."""

    topic: str
    table: bool
    before: Mapping[int, int]
    after: Mapping[int, int]
    named: Mapping[int, int]
    """Those that it is set to; others are the beginnings, wherever these are at the start."""

    @property
    def again(self) -> int:
        """How many records are read again."""
        return sum(max(0, self.before.get(partition, 0) - offset) for partition, offset in self.after.items())

    @property
    def left_out(self) -> int:
        """How many are never read."""
        return sum(max(0, offset - self.before.get(partition, 0)) for partition, offset in self.after.items())


@dataclass(frozen=True)
class Reset:
    """Reset that is planned."""

    app: str
    checkpoint: Checkpoint
    stores: tuple[str, ...]
    moves: tuple[OffsetReset, ...]
    groups: tuple[str, ...]
    changelogs: tuple[str, ...]
    """The topics of its stores that are there, and proved to be its own."""

    foreign: tuple[str, ...]
    """Those that have the names of its changelogs, and are not."""

    def carry_out(self, address: str, kafka: Mapping[str, str]) -> None:
        """Do it: state and positions are as if the application had never run, but for where it begins.

        Changelogs are removed, and the next start makes them anew. They are the first to go, while the checkpoint
        proves whose they are: if it is broken off there, the application goes on, but its stores cannot be asked.
        """
        Topics(address, kafka).delete(self.changelogs)
        self.checkpoint.reset({move.topic: _by_text(move.named) for move in self.moves if move.named})
        places = {(move.topic, partition): offset for move in self.moves for partition, offset in move.after.items()}
        Group(self.app, address, kafka).publish(places)
        for group in self.groups:
            with suppress(HeadraceError):  # nobody looks at it any more; an application may not delete it
                Group(group, address, kafka).delete()


@contextmanager
def resetting(
    plan: Plan, checkpoint: Checkpoint, to: Beginning, address: str, kafka: Mapping[str, str]
) -> Iterator[Reset]:
    """A reset that may be carried out: nobody runs the application meanwhile.

    Tables are read from their beginnings, whatever is said of streams: a table without its rows would be wrong.
    """
    checkpoint.take()
    try:
        topics, layout = Topics(address, kafka), checkpoint.known_layout()
        if layout is not None:
            checkpoint.refuse_foreign(layout, plan.app, layout.cluster)
        before = Group(plan.app, address, kafka).positions()
        offsets = _offsets_of(to, topics)
        moves = []
        for source in plan.of(Source):
            table = source.facts.table
            for topic in topics_of([source], topics):
                named = {} if table else offsets(topic)
                there = {partition: offset for (name, partition), offset in before.items() if name == topic}
                moves.append(OffsetReset(topic, table, there, topics.begin_offsets(topic) | named, named))
        if isinstance(to, Path):
            _refuse_unread(to, {move.topic for move in moves if not move.table})
        tasks = layout.tasks if layout is not None else 0
        groups = tuple(f"{plan.app}-sink-{task}" for task in range(tasks))
        found, known = existing_changelogs(plan, layout, topics), ids_of(layout)
        yield Reset(
            plan.app,
            checkpoint,
            layout.stores if layout is not None else (),
            tuple(moves),
            groups,
            changelogs=tuple(one.topic for one in found if one.is_ours(known)),
            foreign=tuple(one.topic for one in found if not one.is_ours(known)),
        )
    finally:
        checkpoint.release()


def switch(plan: Plan, mine: Checkpoint, other: Checkpoint, name: str, address: str, kafka: Mapping[str, str]) -> None:
    """Have an application go on with the state of a run beside it, which is called so, and with its changelogs.

    If it is broken off, the stores without a complete changelog cannot be asked; all else is as it has to be.
    """
    topics, before, layout = Topics(address, kafka), mine.known_layout(), adoptable(plan, other, name, address, kafka)
    for found in existing_changelogs(plan, before, topics):
        refuse_foreign(found, ids_of(before), topics)
    adopted = mine.adopt(other, layout)
    rows_of = id_beside(plan.app, name)
    copied = remake_changelogs(plan, layout, address, kafka, known=before, spool=mine.directory, rows_of=rows_of)
    left = [found for found in existing_changelogs(plan, before, topics) if found.store not in copied]
    topics.delete([found.topic for found in left if found.is_ours(ids_of(before))])
    mine.settle(with_changelogs(adopted, plan, copied, topics))


def adoptable(plan: Plan, other: Checkpoint, name: str, address: str, kafka: Mapping[str, str]) -> CheckpointLayout:
    """The layout of a run beside an application that this one can go on from; refused if it cannot."""
    layout = other.known_layout()
    if layout is None or not other.begun:
        raise ResetRefused(f"there is no run to go on from at {other.place}", f"run it first: headrace run --as {name}")
    other.refuse_foreign(layout, id_beside(plan.app, name), Topics(address, kafka).cluster_id())
    other.refuse_other_state(layout, kept(plan))
    if layout.sources.keys() != (read := {source.name for source in plan.of(Source)}):
        raise ResetRefused(
            f"the run at {other.place} has read {', '.join(layout.sources)}, the application reads {', '.join(read)}",
            f"run it again with the application as it is now: headrace run --as {name}",
        )
    written = {to.topic for to in plan.of(To)}
    if back := [topic for source in plan.of(Source) for topic in source.topics if topic in written]:
        raise ResetRefused(
            f"the application reads what it writes ({', '.join(back)}), the run beside it has read topics of its own",
            "begin anew instead: headrace reset --to",
        )
    return layout


def _offsets_of(to: Beginning, topics: Topics) -> Callable[[str], dict[int, int]]:
    """Lookup of the new offsets of a topic."""
    if to == "earliest":
        return lambda _: {}
    if to == "latest":
        return lambda topic: topics.end_offsets(topic, committed=True)
    if isinstance(to, int):
        return lambda topic: topics.offsets_at(topic, to)
    named = _read(Path(to))
    return lambda topic: _within(topic, named.get(topic, {}), topics)


def _read(file: Path) -> Starts:
    try:
        given = json.loads(file.read_text())
        return {
            topic: {str(int(name)): int(offset) for name, offset in places.items()} for topic, places in given.items()
        }
    except (OSError, ValueError, AttributeError, TypeError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) and exc.strerror else str(exc)
        raise ResetRefused(
            f"{file} holds no offsets: {reason}", 'a file is like {"orders": {"0": 17, "1": 23}}'
        ) from exc


def _within(topic: str, named: Mapping[str, int], topics: Topics) -> dict[int, int]:
    """The offsets of a file for a topic."""
    begins, ends = topics.begin_offsets(topic), topics.end_offsets(topic)
    for partition, offset in named.items():
        first, last = begins.get(int(partition)), ends.get(int(partition))
        if first is None or last is None:
            raise ResetRefused(f"topic {topic!r} has no partition {partition}", f"it has 0 to {len(ends) - 1}")
        if not first <= offset <= last:
            raise ResetRefused(f"{topic}-{partition} has no offset {offset}", f"it has {first} to {last}")
    return {int(partition): offset for partition, offset in named.items()}


def _refuse_unread(file: Path, streams: Set[str]) -> None:
    for topic in _read(file):
        if topic not in streams:
            raise ResetRefused(
                f"{file} names {topic!r}, which is none of the streams that are read",
                f"these are {', '.join(sorted(streams)) or 'none'}; tables are always read from their beginnings",
            )


def _by_text(places: Mapping[int, int]) -> dict[str, int]:
    return {str(partition): offset for partition, offset in places.items()}
