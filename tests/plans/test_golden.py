"""Plans as text, before and after the passes. `UPDATE_GOLDEN=1 pytest tests/plans` writes the texts anew."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from headrace.dsl import Builder
from headrace.errors import SharedStoreInCircle
from headrace.passes.handle_failures import handle_failures
from headrace.passes.merge_repartitions import merge_repartitions
from headrace.passes.pipeline import LOGICAL, each, rewrite
from headrace.passes.place_repartitions import place_repartitions
from headrace.passes.self_joins import self_joins
from headrace.passes.split_subtopologies import split_subtopologies
from headrace.passes.write_changelogs import write_changelogs
from headrace.plan.changes import passes_text
from headrace.plan.describe import describe
from headrace.plan.graph import Plan
from headrace.plan.nodes import Node
from headrace.spark.layout.stage_passes import FOR_STAGES
from plans.topologies import TOPOLOGIES


def described(plan: Plan) -> str:
    return describe(plan.app, split_subtopologies(rewrite(plan)))


def placed(plan: Plan) -> str:
    before, after = {node.name for node in plan.nodes}, place_repartitions(plan).nodes
    return "\n".join(f"{' ' if node.name in before else '+'} {_line(node)}" for node in after)


def split(plan: Plan) -> str:
    parts = split_subtopologies(place_repartitions(plan))
    return "\n".join(f"{part.number}: {', '.join(node.name for node in part.nodes)}" for part in parts)


def merged(plan: Plan) -> str:
    before = place_repartitions(plan)
    return changes(before, merge_repartitions(before), _line)


def kept_once(plan: Plan) -> str:
    return changes(plan, self_joins(plan), _detailed)


def logged(plan: Plan) -> str:
    return changes(plan, write_changelogs(plan), _detailed)


def whole_road(plan: Plan) -> str:
    try:
        return passes_text(plan.app, each(plan, (*LOGICAL, *FOR_STAGES)))
    except SharedStoreInCircle as refused:
        return str(refused)


def changes(before: Plan, after: Plan, line: Callable[[Node], str]) -> str:
    """The lines that a pass took away and put in."""
    old, new = [line(node) for node in before.nodes], [line(node) for node in after.nodes]
    lines = [f"- {one}" for one in old if one not in new] + [f"+ {one}" for one in new if one not in old]
    return "\n".join(lines) or "nothing"


def _detailed(node: Node) -> str:
    return f"{node.name}: {node.detail()}"


def _line(node: Node) -> str:
    reads = ", ".join(upstream.name for upstream in node.inputs)
    return f"{node.name} <- {reads}" if reads else node.name


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("describe.txt", described),
        ("place_repartitions.txt", placed),
        ("merge_repartitions.txt", merged),
        ("self_joins.txt", kept_once),
        ("write_changelogs.txt", logged),
        ("split_subtopologies.txt", split),
        ("passes.txt", whole_road),
    ],
)
def test_plans_read_as_before(file: str, text: Callable[[Plan], str]) -> None:
    golden = Path(__file__).with_name(file)
    found = "\n\n".join(f"# {one.__doc__}\n{_without_lines(text(_plan(one)))}" for one in TOPOLOGIES) + "\n"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(found)
    assert found == golden.read_text()


def _plan(topology: Callable[[Builder], None]) -> Plan:
    app = Builder(topology.__name__)
    topology(app)
    return rewrite(app.plan(), last=handle_failures)


def _without_lines(text: str) -> str:
    """The numbers of lines change with every edit above them."""
    return re.sub(r"topologies\.py:\d+", "topologies.py", text)
