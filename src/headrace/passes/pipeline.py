"""The passes, in their order."""

from __future__ import annotations

from headrace.passes.merge_repartitions import merge_repartitions
from headrace.passes.place_repartitions import place_repartitions
from headrace.passes.self_joins import self_joins
from headrace.passes.write_changelogs import write_changelogs
from headrace.plan.graph import Plan

PASSES = (place_repartitions, merge_repartitions, self_joins, write_changelogs)


def rewrite(plan: Plan) -> Plan:
    """The plan that executors run: same answers, ready to be split and placed."""
    for rewrite_once in PASSES:
        plan = rewrite_once(plan)
    return plan
