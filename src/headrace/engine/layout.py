"""Layout of an application: what its state was made with, and whether a plan can go on from it."""

from __future__ import annotations

from dataclasses import dataclass, field

from headrace.engine.inventory import Evolution, Lanes, Stages, StateInventory
from headrace.engine.kept_classes import Shapes
from headrace.errors import CheckpointForeign, PartitionsChanged, StateChanged

Starts = dict[str, dict[str, int]]
"""Offsets by topic and partition."""


@dataclass(frozen=True)
class CheckpointLayout:
    """Layout of a checkpoint. State is found again only by those who agree on it."""

    app: str
    cluster: str
    tasks: int
    sources: dict[str, dict[str, int] | None]
    """As `Sharing.partitions`."""

    stages: Stages
    """What is kept in each stage."""

    starts: Starts
    """Where those topics are read from at first that are not read from their beginnings."""

    changelogs: list[str] = field(default_factory=list)
    """The stores whose changelogs have all of their rows."""

    changelog_ids: dict[str, str] = field(default_factory=dict)
    """The ids of their topics: one that was made anew by somebody else has not."""

    lanes: Lanes = field(default_factory=dict)
    """In which lanes each stage runs."""

    query: str = field(default="", compare=False)
    """The id of Spark's query; older checkpoints do not know it."""

    classes: Shapes = field(default_factory=dict)
    """Of the values that Python processes keep, by name."""

    pickled: bool = False
    """Whether Python processes have pickled what they keep."""

    @property
    def stores(self) -> tuple[str, ...]:
        """All stores, and what is held back, by name."""
        return tuple(store for stage in self.stages for store in stage)

    @property
    def kept(self) -> StateInventory:
        """All that was kept."""
        return StateInventory(self.stages, self.lanes, self.classes, self.pickled)


def refuse_foreign(place: str, known: CheckpointLayout, app: str, cluster: str) -> None:
    """Refuse the state of another application, or of one on another cluster."""
    own = "name a checkpoint of this application's own: --checkpoint, or checkpoint= of the application"
    for name, here, fix in (("app", app, own), ("cluster", cluster, None)):
        if getattr(known, name) != here:
            raise CheckpointForeign(place, _WORDS[name], getattr(known, name), here, fix)


def refuse_misfit(place: str, known: CheckpointLayout, layout: CheckpointLayout, *, has_state: bool) -> None:
    """Refuse a layout that cannot go on from the one that is known, of the same application.

    Number of tasks and sources have to be the same. Every store has to be there as before, in the same stage of as many
    and in the same lane, and so has what is held back; others may join them. What keeps no state may change at will,
    and so may all of it before the first batch is done.
    """
    for source, there in known.sources.items():
        _refuse_other_partitions(there, layout.sources.get(source))
    if has_state:
        refuse_other_state(known.app, place, known, layout.kept)
    if known.tasks != layout.tasks:
        raise CheckpointForeign(place, _WORDS["tasks"], known.tasks, layout.tasks)
    # Where nothing was kept, it does not matter by which rule records are shared.
    ruled = [source for source, there in known.sources.items() if there != {} and has_state]
    if known.sources.keys() != layout.sources.keys() or any(known.sources[one] != layout.sources[one] for one in ruled):
        raise CheckpointForeign(place, _WORDS["sources"], known.sources, layout.sources)


def refuse_other_state(app: str, place: str, known: CheckpointLayout, here: StateInventory) -> None:
    """Refuse stages that do not find again what is kept."""
    found = Evolution.of(known.kept, here)
    if found.misfits:
        raise StateChanged(app, place, found.misfits, found.hint)


def _refuse_other_partitions(there: dict[str, int] | None, here: dict[str, int] | None) -> None:
    for topic, count in (there or {}).items():
        now = (here or {}).get(topic, count)
        if now != count:
            raise PartitionsChanged(topic, count, str(now))


_WORDS = {
    "app": "application",
    "cluster": "the Kafka cluster",
    "tasks": "a number of tasks of",
    "sources": "the sources",
}
