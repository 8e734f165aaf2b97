"""A placement as text."""

from __future__ import annotations

from headrace.plan.describe import table
from headrace.plan.nodes import Node, Repartition, Source, To
from headrace.spark.placement import Placement


def explain(placement: Placement) -> str:
    """Stages, lanes and stores, in the order the records take."""
    plan = placement.plan
    lines = [f"application {plan.app} on Spark: one query, {_count(placement.stages, 'stage')}"]
    for number in range(placement.stages + 1):
        if number:
            lines += ["", f"stage {number}: records grouped by task, in task order"]
            lines += table([_row(placement, node) for node in placement.stage(number)], indent=2)
        native = [node for node in placement.stretch(number) if not isinstance(node, To)]
        if native:
            lines += ["", f"after stage {number}" if number else "from the source"]
            lines += table([_row(placement, node) for node in native], indent=2)
    sinks = plan.of(To)
    if sinks:
        lines += ["", "to the sink"]
        lines += table([_row(placement, node) for node in sinks], indent=2)
    return "\n".join(lines)


def _row(placement: Placement, node: Node) -> tuple[str, ...]:
    what = f"{node.op} {node.detail()}".rstrip()
    if isinstance(node, Repartition):
        what += " (a shuffle, before the next stage)"
    if isinstance(node, Source):
        what = node.detail()
    return (placement.lane(node).value, node.name, what, node.origin)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
