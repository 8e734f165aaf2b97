"""Layout of a start on stream threads: as the last start left it, or as the topics tell where that is lost."""

from __future__ import annotations

from dataclasses import replace

from headrace.engine import layout as layouts
from headrace.engine.batch.kept import kept
from headrace.engine.batch.start_offsets import ends
from headrace.engine.changelogs import complete_changelogs, state_topic
from headrace.engine.first_start import refuse_lost_checkpoint
from headrace.engine.layout import CheckpointLayout
from headrace.engine.live.files import LiveFiles
from headrace.engine.port import EngineSpec
from headrace.engine.topics import share, topics_of
from headrace.log.groups import Group
from headrace.log.topics import Topics
from headrace.plan.graph import Plan
from headrace.plan.nodes import Source

_MARK = "live"
"""Beside each position that stream threads commit."""


def fitting_layout(
    plan: Plan, files: LiveFiles, topics: Topics, spec: EngineSpec
) -> tuple[CheckpointLayout, CheckpointLayout | None]:
    """The layout of this start, and the one of the last if it is here.

    An application whose directory is gone goes on: its positions and its state are in Kafka. One that has run on
    another engine is refused, for its state is not.
    """
    known, now, state = files.known_layout(), share(plan, topics), kept(plan)
    changelog = topics.identities([state_topic(plan.app)])[state_topic(plan.app)]
    layout = CheckpointLayout(
        app=plan.app,
        cluster=topics.cluster_id(),
        tasks=changelog.partitions if changelog is not None else known.tasks if known is not None else now.tasks,
        sources=now.partitions,
        stages=state.stages,
        lanes=state.lanes,
        classes=state.classes,
        starts=known.starts if known is not None else ends(plan, topics),
        changelogs=complete_changelogs(plan, topics, known),
    )
    if known is not None:
        place = str(files.directory)
        layouts.refuse_foreign(place, known, layout.app, layout.cluster)
        layouts.refuse_misfit(place, known, replace(layout, tasks=max(layout.tasks, now.tasks)), has_state=True)
    else:
        group = Group(spec.app, topics.address, spec.kafka)
        if _MARK not in group.notes(topics_of(plan.of(Source), topics)):
            refuse_lost_checkpoint(plan, spec.place.directory.as_posix(), topics, group, beside=spec.beside)
    return layout, known
