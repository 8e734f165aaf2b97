"""What the live engine cannot run yet: refused in words at the start, for it would give other results."""

from __future__ import annotations

from collections.abc import Iterator

from headrace.errors import EngineCannot
from headrace.expr import Bound
from headrace.passes.split_subtopologies import split_subtopologies
from headrace.plan.graph import Plan
from headrace.plan.idle import idle_ms
from headrace.plan.nodes import Source, Times
from headrace.spark.layout.placement import Placement
from headrace.spark.layout.stamping import stamped_in_python
from headrace.spark.session.master import Master


def refuse_for_now(plan: Plan, master: Master) -> None:
    """Refuse a plan, or a cluster, that stream threads cannot run yet."""
    found = [*_of_plan(Placement(plan))]
    if not master.here:
        found.append(f"a cluster ({master})")
    if found:
        raise EngineCannot(plan.app, "live", found)


def _of_plan(placement: Placement) -> Iterator[str]:
    sources = placement.plan.of(Source)
    yield from (f"{node.name}, which runs in Python: {why}" for node, why in placement.python.items())
    yield from (f"the timestamp of {one.name}, found in Python" for one in stamped_in_python(placement))
    for source in sources:
        if source.facts.everywhere:
            yield f"the global table {source.name}"
        if source.pattern is not None:
            yield f"topics by a pattern ({source.pattern})"
        if source.timestamp is Times.WALL_CLOCK:
            yield f"the wall clock as the timestamp of {source.name}"
    for part in split_subtopologies(placement.declared):
        together = [node for node in part.nodes if isinstance(node, Source)]
        if sum(len(one.topics) for one in together) > 1:  # which goes first is seen before times are computed
            computed = (one.name for one in together if isinstance(one.timestamp, Bound))
            yield from (
                f"the computed timestamp of {name}, whose records meet those of other topics" for name in computed
            )
    yield from (f"idle_after of {node.name}" for node in placement.plan.nodes if idle_ms(node) is not None)
