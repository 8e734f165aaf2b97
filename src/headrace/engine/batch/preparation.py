"""Layout of a start on Spark: as its checkpoint knows it, or a first one; refused where the two do not fit."""

from __future__ import annotations

from headrace.engine.batch.checkpoint import Checkpoint
from headrace.engine.batch.kept import kept
from headrace.engine.batch.start_offsets import ends
from headrace.engine.changelogs import complete_changelogs
from headrace.engine.first_start import refuse_lost_checkpoint
from headrace.engine.layout import CheckpointLayout, Starts
from headrace.engine.port import EngineSpec
from headrace.engine.topics import share, topics_of
from headrace.errors import BatchHalfDone
from headrace.log.groups import Group
from headrace.log.topics import Topics
from headrace.plan.graph import Plan
from headrace.plan.nodes import Source
from headrace.state.pickles import PickledState


def fitting_layout(
    plan: Plan, checkpoint: Checkpoint, topics: Topics, spec: EngineSpec
) -> tuple[CheckpointLayout, CheckpointLayout | None]:
    """The layout of this start, and the one that the checkpoint knows."""
    reset_to, known = checkpoint.complete_reset(), checkpoint.known_layout()
    layout = _layout(plan, topics, known, reset_to, trusting=spec.pickled is PickledState.TRUST)
    if known is None:
        checkpoint.refuse_lost_layout()
        group = Group(spec.app, topics.address, spec.kafka) if reset_to is None else None
        refuse_lost_checkpoint(plan, checkpoint.place, topics, group, beside=spec.beside)
    else:
        checkpoint.refuse_misfit(known, layout)
        if spec.exactly_once:
            _refuse_new_stores_in_a_batch(plan, checkpoint, topics, spec, known, layout)
    return layout, known


def _layout(
    plan: Plan, topics: Topics, known: CheckpointLayout | None, reset_to: Starts | None, *, trusting: bool
) -> CheckpointLayout:
    """As this start would make it; where the checkpoint is older, its choices are kept."""
    now, state = share(plan, topics), kept(plan)
    sources = dict(now.partitions)
    if known is not None:
        # Partitions are compared as they are now; by which rule records are shared is the checkpoint's to say.
        sources = {name: _compared(known.sources.get(name, {}), there, topics) for name, there in sources.items()}
    return CheckpointLayout(
        app=plan.app,
        cluster=topics.cluster_id(),
        tasks=known.tasks if known is not None else now.tasks,
        sources=sources,
        stages=state.stages,
        lanes=state.lanes,
        classes=state.classes,
        pickled=known is not None and known.pickled and trusting,
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


def _refuse_new_stores_in_a_batch(
    plan: Plan,
    checkpoint: Checkpoint,
    topics: Topics,
    spec: EngineSpec,
    known: CheckpointLayout,
    layout: CheckpointLayout,
) -> None:
    """What a task has written of a batch it does not write again: rows of new stores would miss in changelogs."""
    added = [store for store in layout.changelogs if store not in known.stores]
    half = checkpoint.half_done() if added else None
    if half is None:
        return
    counts = topics.partitions(topics_of(plan.of(Source), topics))
    for task in range(max(known.tasks, sum(count or 0 for count in counts.values()))):
        group = Group(f"{spec.app}-sink-{task}", topics.address, spec.kafka)
        if f"{half[0]} {half[1]}" in group.notes(counts):
            raise BatchHalfDone(spec.app, half[1], added)
