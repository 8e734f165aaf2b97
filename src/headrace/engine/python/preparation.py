"""Layout of a start in this process: as the changelog of state knows it, or a first one; refused where it misfits."""

from __future__ import annotations

from headrace.engine.changelogs import complete_changelogs
from headrace.engine.first_start import refuse_lost_checkpoint
from headrace.engine.inventory import IN_PYTHON, StateInventory, accounts_of
from headrace.engine.kept_classes import shapes_of
from headrace.engine.layout import CheckpointLayout, refuse_foreign, refuse_misfit
from headrace.engine.port import EngineSpec
from headrace.engine.topics import share
from headrace.log.groups import Group
from headrace.log.topics import Topics
from headrace.plan.graph import Plan


def fitting_layout(
    plan: Plan, topics: Topics, spec: EngineSpec, known: CheckpointLayout | None, place: str
) -> CheckpointLayout:
    """The layout of this start; `known` is that of the state which was found at `place`."""
    now, state = share(plan, topics), kept(plan)
    layout = CheckpointLayout(
        app=plan.app,
        cluster=topics.cluster_id(),
        tasks=known.tasks if known is not None else now.tasks,
        sources=dict(now.partitions),
        stages=state.stages,
        lanes=state.lanes,
        classes=state.classes,
        starts={},
        changelogs=complete_changelogs(plan, topics, known),
    )
    if known is not None:
        refuse_foreign(place, known, plan.app, layout.cluster)
        refuse_misfit(place, known, layout, has_state=True)
    elif any(state.stages):
        refuse_lost_checkpoint(plan, place, topics, Group(spec.app, topics.address, spec.kafka), beside=spec.beside)
    return layout


def kept(plan: Plan) -> StateInventory:
    """What the tasks keep: all of them together are one stage."""
    stage = dict(one for node in plan.nodes for one in accounts_of(node, IN_PYTHON))
    return StateInventory([stage], {"1": [IN_PYTHON]}, shapes_of(plan.nodes))
