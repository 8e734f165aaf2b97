"""Passes for stages, in their order: what a plan needs before it is laid out on Spark.

They come behind the logical passes of `passes/pipeline.py`.
"""

from __future__ import annotations

from headrace.passes.pipeline import Pass
from headrace.plan.graph import Plan
from headrace.spark.layout.break_cycles import break_cycles
from headrace.spark.layout.place_global_tables import place_global_tables
from headrace.spark.layout.stage_entries import place_stage_entries

FOR_STAGES: tuple[Pass, ...] = (place_stage_entries, break_cycles, place_global_tables)


def rewrite_for_stages(plan: Plan) -> Plan:
    """The plan with the nodes that only stages need."""
    for rewrite_once in FOR_STAGES:
        plan = rewrite_once(plan)
    return plan
