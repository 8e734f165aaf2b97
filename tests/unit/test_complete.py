"""Every node has a meaning in Python, a form on Spark, and a case."""

from __future__ import annotations

import re
from pathlib import Path

from cases.all import all_cases
from headrace.passes.pipeline import rewrite
from headrace.plan import nodes
from headrace.plan.nodes import ForeignKeySubscribe, Node, Source, StreamGlobalJoin, TableGroupBy
from headrace.plan.placement_nodes import Later, Through
from headrace.spark.compile.native import OPERATORS as NATIVE
from headrace.spark.layout.reasons import IN_SPARK
from headrace.task.operators import OPERATORS

# Nodes that are the user's own code: they run in Python.
PYTHON_ONLY = {
    "AsyncMapValues",
    "Foreach",
    "GlobalStore",
    "MapBatches",
    "Print",
    "Process",
    "ProcessValues",
    "TableTransformValues",
}
KERNEL = Path(__file__).parents[2] / "kernel" / "operators"
ALL_NODES = {node for node in vars(nodes).values() if isinstance(node, type) and issubclass(node, Node)} - {Node}

NODES = {node for node in ALL_NODES if node.__name__ not in PYTHON_ONLY}


def names(missing: set[type[Node]]) -> list[str]:
    return sorted(node.__name__ for node in missing)


def test_every_node_has_an_operator_in_python() -> None:
    assert names(ALL_NODES - set(OPERATORS)) == []
    assert names(set(OPERATORS) - ALL_NODES) == []


def test_the_nodes_that_only_python_runs_are_listed() -> None:
    assert names(ALL_NODES - IN_SPARK) == sorted(PYTHON_ONLY)


def test_every_stateless_node_of_streams_has_a_native_form() -> None:
    # Sources are not operators on rows: spark/compile/source.py makes the rows.
    assert names({node for node in NODES if not inside(node)} - set(NATIVE) - {Source}) == []
    assert names(set(NATIVE) - NODES - {Later, Through}) == []


def test_every_node_that_runs_inside_a_stage_has_an_operator_in_the_kernel() -> None:
    known = set(re.findall(r'"(\w+)"', (KERNEL / "Operator.scala").read_text().partition("object Operator")[2]))
    assert sorted({node.op for node in NODES if inside(node)} - known) == []
    stems = {node.__module__.rpartition(".")[2] for node in NODES if inside(node)}
    assert [stem for stem in sorted(stems) if not (KERNEL / f"{camel(stem)}.scala").is_file()] == []


def inside(node: type[Node]) -> bool:
    return node.facts.stateful or node.facts.table or node in (ForeignKeySubscribe, StreamGlobalJoin, TableGroupBy)


def camel(stem: str) -> str:
    return "".join(part.capitalize() for part in stem.split("_"))


def test_every_node_has_a_case() -> None:
    covered = {type(node) for case in all_cases() for node in rewrite(case.plan()).nodes}
    assert names(ALL_NODES - covered) == []
