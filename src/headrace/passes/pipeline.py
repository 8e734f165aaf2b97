"""The passes, in their order."""

from __future__ import annotations

from headrace.passes.place_repartitions import place_repartitions
from headrace.plan.graph import Plan

PASSES = (place_repartitions,)


def rewrite(plan: Plan) -> Plan:
    """The plan that executors run: same answers, ready to be split and placed."""
    for rewrite_once in PASSES:
        plan = rewrite_once(plan)
    return plan
