"""Inventory of the state that the stages of a plan keep on Spark."""

from __future__ import annotations

from headrace.engine.inventory import IN_KERNEL, IN_PYTHON, TIMES, Lanes, Stages, StateInventory, accounts_of
from headrace.engine.kept_classes import shapes_of
from headrace.plan.graph import Plan
from headrace.spark.layout.placement import Lane, Placement
from headrace.spark.layout.stamping import remembering, stamped_in_python


def kept(plan: Plan) -> StateInventory:
    """Inventory of what the stages of a plan keep."""
    placement = Placement(plan)
    stages: Stages = []
    lanes: Lanes = {TIMES: []}
    if remembering(placement):
        account = {"op": "timestamps", "keys": "partitions", "values": "int", "tasks": "by partition", "time": ""}
        stages.append({"partition times": {**account, "lane": IN_KERNEL}})
        lanes[TIMES].append(IN_KERNEL)
    if stamped_in_python(placement):
        lanes[TIMES].append(IN_PYTHON)
    for number in range(1, placement.stages + 1):
        nodes = placement.stage(number)
        stages.append(dict(one for node in nodes for one in accounts_of(node, placement.lane(node).value)))
        lanes[str(number)] = [lane for lane in (IN_KERNEL, IN_PYTHON) if placement.stage(number, Lane(lane))]
    in_python = (
        node for node in placement.plan.nodes if node in placement.inside and placement.lane(node) is Lane.PYTHON
    )
    return StateInventory(stages, lanes, shapes_of(in_python))
