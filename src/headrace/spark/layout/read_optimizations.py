"""Read optimisations: no shuffle for co-located partitions, no value column that no operator reads."""

from __future__ import annotations

from headrace.expr import Bound
from headrace.plan.nodes import Node, Source, Times
from headrace.plan.task_assignment import Sharing
from headrace.serde import BYTES
from headrace.spark.layout.placement import Edge, Placement
from headrace.spark.layout.stamping import remembering, stamped_in_python


def apart(placement: Placement, sharing: Sharing) -> bool:
    """Whether the first stage gets only what its tasks' partitions have: then they read these, without a shuffle."""
    by_key = any(sharing.goes_by_key(source.name) for source in placement.plan.of(Source))
    return may_be_apart(placement) and not by_key


def may_be_apart(placement: Placement) -> bool:
    """Whether tasks may read their own partitions, where the topics that meet have equally many."""
    plan = placement.plan
    moved = any(node.facts.cuts for node in placement.stretch(0)) or any(map(_moves, plan.of(Source)))
    stamped = remembering(placement) or stamped_in_python(placement)
    return placement.stages > 0 and not moved and not stamped


def _moves(source: Source) -> bool:
    return source.facts.everywhere or source.pattern is not None


def in_order(placement: Placement, sharing: Sharing) -> bool:
    """Whether the tasks also read their records in the order in which they take them: by the times that Kafka has."""
    plainly_timed = all(source.timestamp in (Times.FAIL, Times.SKIP) for source in placement.plan.of(Source))
    return apart(placement, sharing) and plainly_timed


def stays(placement: Placement, sharing: Sharing, edge: Edge) -> bool:
    """Whether the rows on an edge are in the task already that takes them."""
    return _keeps_task(placement, sharing, edge.start)


def _keeps_task(placement: Placement, sharing: Sharing, node: Node) -> bool:
    if isinstance(node, Source):
        return not _moves(node) and not sharing.goes_by_key(node.name)
    if node.facts.cuts:
        return False
    return node in placement.inside or all(_keeps_task(placement, sharing, one) for one in node.inputs)


def unread(placement: Placement) -> list[str]:
    """The topics whose values only have to be there or not."""
    return [
        topic for source in placement.plan.of(Source) if not _reads_value(placement, source) for topic in source.topics
    ]


def _reads_value(placement: Placement, source: Source) -> bool:
    looked_at = source.value != BYTES or isinstance(source.timestamp, Bound) or source in placement.reading_failures
    return looked_at or any(map(placement.reads_value, placement.read(source)))
