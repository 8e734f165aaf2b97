"""Explanation of a placement, as text."""

from __future__ import annotations

from headrace.model.batches import Batch
from headrace.plan.describe import table
from headrace.plan.nodes import Node, Repartition, Source, To
from headrace.spark.layout.placement import Lane, Placement
from headrace.spark.layout.read_optimizations import may_be_apart
from headrace.spark.layout.stamping import remembering


def explain(placement: Placement, last: Batch | None = None) -> str:
    """Stages, lanes and stores, in the order the records take, and what the last batch did, if there was one."""
    plan = placement.plan
    lines = [f"application {plan.app} on Spark: one query, {_count(placement.stages, 'stage')}"]
    if last is not None:
        lines.append(_batch(last))
    times = remembering(placement)
    if times:
        lines += ["", "times: a stage before all others, records grouped by partition"]
        lines += table([_row(placement, source, Lane.KERNEL) for source in times], indent=2)
    for number in range(placement.stages + 1):
        if number:
            nodes = placement.stage(number)
            lines += ["", f"stage {number}: {_comes(placement, number)}, in task order"]
            lines += table([_row(placement, node) for node in nodes], indent=2)
            lines += _work(number, nodes, last)
        native = [node for node in placement.stretch(number) if not isinstance(node, To)]
        if native:
            lines += ["", f"after stage {number}" if number else "from the source"]
            lines += table([_row(placement, node) for node in native], indent=2)
    sinks = plan.of(To)
    if sinks:
        lines += ["", "to the sink"]
        lines += table([_row(placement, node) for node in sinks], indent=2)
    return "\n".join(lines)


def _comes(placement: Placement, number: int) -> str:
    """Rule by which the records of a stage find their tasks."""
    if number > 1 or not may_be_apart(placement):
        return "a shuffle brings each task its records"
    one = len([topic for source in placement.plan.of(Source) for topic in source.topics]) == 1
    return "each task reads its own partitions" + (
        "" if one else " (a shuffle brings its records if topics differ in their number of partitions)"
    )


def _row(placement: Placement, node: Node, lane: Lane | None = None) -> tuple[str, ...]:
    what = f"{node.op} {node.detail()}".rstrip()
    if isinstance(node, Repartition):
        what += " (with the shuffle of the next stage)"
    if isinstance(node, Source):
        what = node.detail()
    reason = placement.python.get(node, "")
    return ((lane or placement.lane(node)).value, node.name, what, node.origin, reason)


def _batch(last: Batch) -> str:
    records = f"{_count(last.records_in, 'record')} in, {last.records_out:,} out"
    behind = sum(last.lag.values())
    return f"batch {last.number}: {records}, {last.duration_ms / 1000:.1f} s, {last.records_per_s:,.0f} records/s" + (
        f", {behind:,} behind" if behind else ""
    )


def _work(number: int, nodes: tuple[Node, ...], last: Batch | None) -> list[str]:
    """Work of a stage in the last batch, and the drops of its nodes."""
    names = {node.name for node in nodes}
    return [
        *(
            f"  last batch: {_count(stage.records_in, 'record')} in, {stage.records_out:,} out, state of "
            f"{_count(stage.state_rows, 'row')} in {stage.state_bytes:,} bytes"
            for stage in (last.stages if last is not None else ())
            if stage.number == number
        ),
        *(
            f"  {node} dropped {_count(dropped, 'record')}: {reason}"
            for (node, reason), dropped in (last.drops.items() if last is not None else ())
            if node in names
        ),
    ]


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
