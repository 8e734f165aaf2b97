"""Lanes: the nodes of a plan that run in Python, because they have to or because they belong to one that has."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator

from headrace.passes.split_subtopologies import split_subtopologies
from headrace.plan.graph import Plan
from headrace.plan.idle import idle_ms
from headrace.plan.nodes import (
    ForeignKeyMatch,
    ForeignKeySubscribe,
    Node,
    Process,
    Repartition,
    Source,
    TableGroupBy,
    TableTransformValues,
    To,
    ToStream,
)
from headrace.plan.nodes.expiring import Lasting
from headrace.plan.placement_nodes import Everywhere, global_sources, is_global
from headrace.spark.compile.lane_formats import crosses
from headrace.spark.layout.reasons import why_python

_TOLD = 3
"""How many nodes are told by name."""
_LONGEST = 90
"""How many characters of a reason are told."""


def python_nodes(plan: Plan) -> dict[Node, str]:
    """The nodes that run in Python, each with the reason in words."""
    reasons = {node: reason for node in plan.nodes if not _stays(node) and (reason := why_python(node)) is not None}
    if not reasons:
        return reasons
    together = _together(plan)
    more = True
    while more:
        found = dict(_drawn_in(plan, reasons, together))
        more = bool(found)
        reasons |= found
    return {node: reasons[node] for node in plan.nodes if node in reasons}


def told_of_python(plan: Plan) -> str | None:
    """How much of a plan runs in Python, in one line; None if nothing does."""
    nodes = python_nodes(plan)
    own = [f"{node.name} ({_in_short(reason)})" for node in nodes if (reason := why_python(node))]
    if not own:
        return None
    more = f" and {len(own) - _TOLD} more" if len(own) > _TOLD else ""
    return (
        f"{len(nodes)} of {len(plan.nodes)} nodes run in Python: {', '.join(own[:_TOLD])}{more};"
        " headrace explain says why, node by node"
    )


def _in_short(reason: str) -> str:
    """A reason without the advice behind a colon if it is long, but with its line."""
    line = re.search(r" \([^() ]+:\d+\)$", reason)
    what = reason.removesuffix(line[0]) if line else reason
    advice = what.rfind(": ", 30, _LONGEST) if len(what) > _LONGEST else -1
    what = what if advice < 0 else what[:advice]
    return textwrap.shorten(what, _LONGEST, placeholder=" ...") + (line[0] if line else "")


def sends_changes(node: Node) -> bool:
    """Whether what comes from a node means something to one lane only: changes of a table, or letters of a join."""
    while node.facts.cuts:
        (node,) = node.inputs
    if is_global(node) or isinstance(node, Everywhere):
        return False
    return node.facts.table or isinstance(node, TableGroupBy | ForeignKeySubscribe | ForeignKeyMatch)


def takes_changes(node: Node) -> bool:
    """Whether a node that reads from such a one takes them as they are."""
    return not (isinstance(node, ToStream | To) or node.facts.side_output is not None)


def _drawn_in(plan: Plan, reasons: dict[Node, str], together: dict[Node, set[Node]]) -> Iterator[tuple[Node, str]]:
    """Nodes that run in Python because others do."""
    behind = reached(plan.nodes, set(reasons), lambda node: node.inputs)
    before = reached(reversed(plan.nodes), set(reasons), lambda node: plan.consumers[node])
    for node in plan.nodes:
        if node in reasons or _stays(node):
            continue
        partner = next((one for one in together.get(node, ()) if one in reasons), None)
        if partner is not None:
            yield node, f"it belongs to {partner.name}"
        elif node in behind and node in before and not node.facts.cuts:
            yield node, "it is between others that run in Python"
        elif isinstance(node, To) or node.facts.cuts:
            if node.inputs[0] in reasons:
                yield node, f"it takes what {node.inputs[0].name} gives"
        elif isinstance(node, Source) and _read_in_python(plan, node, reasons):
            yield node, "all that read it run in Python"
        elif any(one in reasons and not _crosses(plan, one, node) for one in node.inputs) or any(
            one in reasons and not _crosses(plan, node, one) for one in plan.consumers[node] if not one.facts.cuts
        ):
            yield node, "only Python knows the values"
        elif any(one in reasons and isinstance(one, To | Repartition) for one in plan.consumers[node]):
            yield node, "it is sent on by a function in Python"


def gathers(node: Node) -> bool:
    """Whether a side output is of several operators, which may be in different stages."""
    return node.facts.side_output is not None and len(node.inputs) > 1


def failures_of_repartitions(plan: Plan) -> set[Node]:
    """Failures of repartitions and all nodes behind them: they are behind the stage whose last part these are."""
    failures = {
        node for node in plan.nodes if node.facts.side_output is not None and any(one.facts.cuts for one in node.inputs)
    }
    return failures | reached(plan.nodes, failures, lambda node: node.inputs)


def _stays(node: Node) -> bool:
    """Whether a node is in Spark whatever is around it: to gather rows of several stages it stands between these."""
    return gathers(node) and crosses(node.output().key, key=True) and crosses(node.output().value)


def _crosses(plan: Plan, node: Node, reader: Node) -> bool:
    """Whether what a node gives means the same to one who reads it in the other lane."""
    schema = reader.output() if reader.facts.side_output is not None else node.output()
    looks = reader.facts.reads_value or any(one.facts.takes_left_out for one in plan.consumers[reader])
    return crosses(schema.key, key=True) and (not looks or crosses(schema.value))


def _read_in_python(plan: Plan, source: Source, reasons: dict[Node, str]) -> bool:
    readers = [one for one in plan.consumers[source] if one.facts.side_output is None]
    return bool(readers) and all(one in reasons for one in readers)


def _together(plan: Plan) -> dict[Node, set[Node]]:
    """Nodes that share a lane: they know one another's rows, stores or time."""
    groups: dict[Node, set[Node]] = {node: {node} for node in plan.nodes}

    def join(nodes: Iterable[Node]) -> None:
        joined = set().union(*(groups[node] for node in nodes))
        groups.update(dict.fromkeys(joined, joined))

    for node in plan.nodes:
        for upstream in node.inputs:
            start = upstream
            while start.facts.cuts:
                (start,) = start.inputs
            follows = sends_changes(start) and takes_changes(node) and not node.facts.cuts
            if follows or is_global(start) or isinstance(start, Everywhere):
                join([node, start])
    everywhere = global_sources(plan)
    for node in plan.nodes:
        join([node, *(everywhere[name] for name in node.read_everywhere)])
    users: dict[str, Node] = {}
    for node in plan.nodes:
        for store in node.shared_stores:
            join([node, users.setdefault(store, node)])
    later = failures_of_repartitions(plan)
    for part in split_subtopologies(plan):
        if any(map(goes_by_task_time, part.nodes)):
            join(node for node in part.nodes if not (node.facts.cuts or node in later))
    return groups


def goes_by_task_time(node: Node) -> bool:
    """Whether a node knows the time of its task, which every record moves that comes to any node there, or hands on
    the time of the clock."""
    if isinstance(node, Process | TableTransformValues) or idle_ms(node) is not None:
        return True
    return isinstance(node, Lasting) and node.ttl_ms is not None


def reached(
    nodes: Iterable[Node],
    kept: set[Node],
    neighbours: Callable[[Node], tuple[Node, ...]],
    beyond: Callable[[Node], bool] = lambda node: node.facts.cuts,
) -> set[Node]:
    """The nodes next to which is one that is kept, or reached itself; nothing is reached through what is `beyond`."""
    found: set[Node] = set()
    for node in nodes:
        if any(one in kept or (one in found and not beyond(one)) for one in neighbours(node)):
            found.add(node)
    return found
